"""Repairing rows that differ from their documents: written as a new version, so that they win over what is there."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import structlog
from pymongo import UpdateOne

from gateway.cassandra.reads import read_many
from gateway.cassandra.statements import Row
from gateway.cassandra.table import Table
from gateway.cassandra.writes import write
from gateway.mongo.client import database
from gateway.mongo.policies import SYNC, under
from gateway.sync import marks
from gateway.sync.comparison import Differing, RowDifference, Stale, confirmed, row_key
from gateway.sync.copy import copy_documents
from gateway.sync.declarations import D, Synced

log = structlog.get_logger(__name__)


class Finding(NamedTuple):
    """A difference, and whether it has been repaired."""

    difference: RowDifference
    is_repaired: bool


def reconcile(
    synced: Synced[D], batches: Iterable[Sequence[D]], *, repair: bool, report: Callable[[int], None]
) -> Iterator[Finding]:
    """Yields what differs between these documents and their rows, repaired if `repair`.

    `report` is told how many documents each batch had.
    """
    for documents in batches:
        differing = confirmed(synced, documents)
        left = repair_rows(synced, differing) if repair else {each.document["_id"] for each in differing}
        for each in differing:
            for difference in each.differences:
                yield note_finding(difference, is_repaired=difference.id not in left)
        report(len(documents))


def note_finding(difference: RowDifference, *, is_repaired: bool) -> Finding:
    """Log the difference; returns it with what became of it."""
    log.warning("reconcile.difference", **difference._asdict(), repaired=is_repaired)
    return Finding(difference, is_repaired)


def repair_rows(synced: Synced[D], differing: Sequence[Differing[D]]) -> set[str]:
    """Write the rows anew; returns the ids of the documents whose rows still differ.

    A document that is changed at the same moment is left to the copying of that change.
    """
    left = list(differing)
    # Whoever wrote by hand did it under the clock's time, far above any version's: the second try is younger than that.
    for overtakes in (False, True):
        if left:
            _write_anew(synced, left, overtakes=overtakes)
            left = _still_differing(synced, left)
    return {each.document["_id"] for each in left}


def _still_differing(synced: Synced[D], repaired: Sequence[Differing[D]]) -> list[Differing[D]]:
    """The documents whose rows are not right yet, or that still have a row too many."""
    stand = _stand(synced, repaired)
    found = {each.document["_id"]: each for each in confirmed(synced, stand)}
    stale = {each.document["_id"]: each for each in repaired if each.stale}
    for document in stand:
        each = stale.get(document["_id"])
        if each and document["_id"] not in found and _is_any_left(synced, document, each.stale):
            found[document["_id"]] = Differing(document, each.differences, each.stale)
    return list(found.values())


def _is_any_left(synced: Synced[D], document: D, stale: Stale) -> bool:
    """Whether one of the rows that should be gone is still there."""
    return any(read_many(table.by_key(key) for table, key in _surplus(synced, document, stale)))


def owe(synced: Synced, documents: Iterable[Mapping[str, Any]], *, overtakes: bool = False) -> None:
    """Mark the documents for the sweep, as new versions; one that has changed since it was read is left alone.

    `overtakes`: the new version's rows win over whatever was written by hand under the clock's time.
    """
    now = datetime.now(UTC)
    updates = [
        UpdateOne(
            {**synced.address(document), "version": document["version"]},
            marks.owed(marks.version_at(document, now) if overtakes else None),
        )
        for document in documents
    ]
    if updates:
        with under(SYNC):
            database()[synced.collection].bulk_write(updates, ordered=False)


def _write_anew(synced: Synced[D], differing: Sequence[Differing[D]], *, overtakes: bool) -> None:
    """Owe the documents, delete the rows they should not have, and copy them."""
    owe(synced, (each.document for each in differing), overtakes=overtakes)
    stand: list[Any] = _stand(synced, differing)
    stale = {each.document["_id"]: each.stale for each in differing}
    write(
        table.delete(key, timestamp=marks.timestamp_of(document))
        for document in stand
        for table, key in _surplus(synced, document, stale[document["_id"]])
    )
    copy_documents(synced, stand)


def _surplus(synced: Synced[D], document: D, stale: Stale) -> Iterator[tuple[Table, Row]]:
    """The stale rows that the document, as it stands now, does not make either."""
    made = {row_key(table, row) for table, row in synced.rows(document)} if stale and synced.rows else set()
    for table, key in stale:
        if row_key(table, key) not in made:
            yield table, key


def _stand(synced: Synced[D], differing: Sequence[Differing[D]]) -> list[D]:
    """The documents as they stand now."""
    return synced.find([synced.key_of(each.document) for each in differing])
