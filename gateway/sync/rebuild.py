"""Filling a table anew from the documents behind it, while they go on changing.

Rows carry the timestamps of their versions: what the sync writes meanwhile is younger, or the same.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from gateway.cassandra import partition_stats
from gateway.cassandra.table import Table
from gateway.cassandra.writes import gathered, write
from gateway.sync.batches import by_id
from gateway.sync.copy import place
from gateway.sync.declarations import Synced, declared


class Batch(NamedTuple):
    """What one step of a rebuild has done."""

    documents: int
    rows: int
    last: Any
    """The id of the last document: the rows of all documents up to it are there."""


def rebuildable() -> dict[str, tuple[Synced, Table]]:
    """Each table that is made from documents, with its declaration, by the table's name."""
    return {table.name: (synced, table) for synced in declared() for table in synced.tables}


def rebuild(synced: Synced, table: Table, *, after: Any = None) -> Iterator[Batch]:
    """Write the table's rows of all documents with ids beyond `after`; yields each batch once it is done.

    Raises CassandraError.
    """
    for documents in by_id(synced.collection, after=after):
        placed = place(synced, documents)
        # One that was changed at this moment is left to the copying of its change, which writes all of its tables.
        writes = gathered(one for document in placed for one in synced.writes(document))
        rows = [one for one in writes if one.partition[0] == table.full_name]
        write(rows)
        # Readers find buckets by their sizes, which may have been lost with the table.
        partition_stats.note([table], {one.partition for one in rows})
        yield Batch(len(documents), len(rows), documents[-1]["_id"])
