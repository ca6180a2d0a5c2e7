"""Copying documents to Cassandra: place, write, mark. Any number of processes may copy the same one at once.

Rows carry a timestamp that follows the version, so a copy that comes late changes nothing. What dies on the way leaves
the document marked, and the sweep copies it again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from pymongo import UpdateMany, UpdateOne
from pymongo.collection import Collection
from pymongo.errors import AutoReconnect, BulkWriteError, PyMongoError

from gateway.cassandra import partition_stats
from gateway.cassandra.errors import CassandraError, CassandraNotConfigured
from gateway.cassandra.reads import ping
from gateway.cassandra.writes import gathered, write
from gateway.mongo.client import Document, database
from gateway.mongo.policies import SYNC, under
from gateway.sync import marks
from gateway.sync.batches import BY_ID
from gateway.sync.declarations import Synced

log = structlog.get_logger(__name__)

Versioned = tuple[Mapping[str, Any], int]
"""A document as it was copied, and its version."""

# So many in a row that Cassandra does not serve are its own trouble, not theirs.
TURNED_AWAY = 3


def copy_documents(synced: Synced, documents: Sequence[Mapping[str, Any]]) -> int:
    """How many have reached Cassandra. One that fails keeps no other from it: it is tried again after a pause.

    Raises CassandraError when Cassandra is away, and leaves all marked as they are.
    """
    try:
        return _copy(synced, documents)
    except (CassandraNotConfigured, PyMongoError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one of them, the others must not wait
        if isinstance(error, CassandraError):
            # Away for all, or unable to serve some of them?
            ping()
        log.info("sync.one_by_one", collection=synced.collection, error=type(error).__name__)
    return _copy_each(synced, documents)


def _copy_each(synced: Synced, documents: Sequence[Mapping[str, Any]]) -> int:
    copied, turned_away = 0, 0
    for document in documents:
        try:
            copied += _copy(synced, [document])
            turned_away = 0
        except PyMongoError:
            raise
        except Exception as error:
            _postpone(synced, document, error)
            turned_away = turned_away + 1 if isinstance(error, CassandraError) else 0
            if turned_away == TURNED_AWAY:
                raise
    return copied


def _copy(synced: Synced, documents: Sequence[Mapping[str, Any]]) -> int:
    placed = place(synced, documents)
    writes = gathered(one for document in placed for one in synced.writes(document))
    write(writes)
    _mark(synced, placed)
    partition_stats.note(synced.tables, {one.partition for one in writes})
    return len(placed)


def place(synced: Synced, documents: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Write down where rows will go before they do. A document that was changed meanwhile is left for the next time."""
    wanted = [(document, fields) for document in documents if (fields := synced.placed(document))]
    if not wanted:
        return list(documents)
    updates = [
        UpdateOne(
            {
                **synced.address(document),
                "version": document["version"],
                **{field: document.get(field) for field in fields},
            },
            {"$set": fields},
        )
        for document, fields in wanted
    ]
    with under(SYNC):
        if database()[synced.collection].bulk_write(updates, ordered=False).matched_count == len(wanted):
            ours = {document["_id"]: fields for document, fields in wanted}
            return [{**document, **ours.get(document["_id"], {})} for document in documents]
    stand = synced.find([synced.key_of(document) for document in documents])
    return [document for document in stand if not synced.placed(document)]


def _mark(synced: Synced, documents: Sequence[Mapping[str, Any]]) -> None:
    """Strike off what has been copied; a document that was changed meanwhile owes its newer version from now on."""
    if not documents:
        return
    versions = [(document, document["version"]) for document in documents]
    with under(SYNC):
        collection = database()[synced.collection]
        if _settle(synced, collection, versions) < len(versions):
            # Which of them have changed it does not say; for the others this is nothing new.
            collection.bulk_write(
                [UpdateOne(synced.address(document), marks.synced(version)) for document, version in versions],
                ordered=False,
            )


def _settle(synced: Synced, collection: Collection[Document], versions: Sequence[Versioned]) -> int:
    """Mark those that have not changed, of one version by one update; returns how many that were."""
    alike: dict[int, list[tuple[str, ...]]] = {}
    updates: list[UpdateOne | UpdateMany] = []
    for document, version in versions:
        if tidied := synced.tidied(document):
            where = {**synced.address(document), "version": version}
            updates.append(UpdateOne(where, marks.settled({"synced_version": version, **tidied})))
        else:
            alike.setdefault(version, []).append(synced.key_of(document))
    for version, keys in alike.items():
        where = {**synced.among(keys), "version": version}
        updates.append(UpdateMany(where, marks.settled({"synced_version": version}), hint=BY_ID))
    try:
        return collection.bulk_write(updates, ordered=False).matched_count
    except (AutoReconnect, BulkWriteError):
        # A primary has changed, as the driver or as mongos says it. Neither repeats an update of many every time; each
        # document by itself is repeated, and raises what is really wrong.
        return 0


def _postpone(synced: Synced, document: Mapping[str, Any], error: Exception) -> None:
    log.warning("sync.postponed", collection=synced.collection, id=document["_id"], exc_info=error)
    where = {**synced.address(document), "version": document["version"]}
    with under(SYNC):
        database()[synced.collection].update_one(where, marks.postponed(error))
