"""Strays: rows that no document makes. The comparison the other way round, for tables that are walked whole."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from gateway.cassandra.reads import read_many, scan
from gateway.cassandra.statements import Row
from gateway.cassandra.table import Table
from gateway.cassandra.writes import write
from gateway.mongo.policies import SYNC
from gateway.mongo.reads import Evidence, decide
from gateway.sync.batches import BATCH
from gateway.sync.comparison import Differing, RowDifference, is_unmarked, row_key
from gateway.sync.declarations import D, Synced
from gateway.sync.documents import is_waiting
from gateway.sync.repair import Finding, note_finding, repair_rows

# Microseconds to which MongoDB keeps a creation: a document made just after a look must not be deleted by that look.
CREATION_PRECISION = 1_000


def reconcile_strays(synced: Synced, *, repair: bool, report: Callable[[int], None]) -> Iterator[Finding]:
    """Yields the strays as they are found, deleted or corrected if `repair`.

    `report` is told how many rows each batch had.
    """
    for table in synced.walked:
        keys = scan(table.keys())
        while batch := list(islice(keys, BATCH)):
            yield from _strays_among(batch, synced, table, repair=repair)
            report(len(batch))


def _strays_among(keys: Sequence[Row], synced: Synced[D], table: Table, *, repair: bool) -> Iterator[Finding]:
    looked = time.time_ns() // 1_000 - CREATION_PRECISION
    documents = _by_id(synced, keys)
    suspects = [key for key in keys if _is_stray(synced, table, key, documents.get(key[synced.id_column]))]
    # What was copied or moved between the walk and the look at its document is no stray.
    suspects = _still_there(table, suspects)
    now = _by_id(synced, suspects)
    for key in suspects:
        id_ = key[synced.id_column]
        before, after = documents.get(id_), now.get(id_)
        if before is None and after is None:
            if repair:
                # No version to follow: the clock's time, below which nothing of a later document lies.
                write([table.delete(key, timestamp=looked)])
            yield note_finding(RowDifference(table.name, id_, "only_copied"), is_repaired=repair)
        elif before and after and after["version"] == before["version"] and not is_waiting(after):
            difference = RowDifference(table.name, id_, "stale")
            left = repair_rows(synced, [Differing(after, (difference,), ((table, key),))]) if repair else {id_}
            yield note_finding(difference, is_repaired=not left)


def _is_stray(synced: Synced[D], table: Table, key: Row, document: D | None) -> bool:
    """Whether the row has no document, or one that does not make this row."""
    if document is None:
        return True
    if is_waiting(document) or is_unmarked(synced, document) or synced.rows is None:
        return False
    return row_key(table, key) not in {row_key(of, row) for of, row in synced.rows(document)}


def _still_there(table: Table, keys: Sequence[Row]) -> list[Row]:
    found = read_many(table.by_key(key) for key in keys) if keys else []
    return [key for key, rows in zip(keys, found, strict=True) if rows]


def _by_id(synced: Synced[D], keys: Sequence[Row]) -> dict[str, D]:
    """The documents that the rows name, as of one moment: whatever is absent then loses its row."""
    ids = sorted({key[synced.id_column] for key in keys})
    if not ids:
        return {}
    found = Evidence(
        collection=synced.collection,
        policy=SYNC,
        where={"_id": {"$in": ids}},
        result=lambda documents: {document["_id"]: document for document in documents},
    )
    return decide(lambda moment: moment.run(found))
