"""Filling a table anew from the documents behind it, while they go on changing.

Rows carry the timestamps of their versions: what the sync writes meanwhile is younger, or the same.
"""

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple

import django

from gateway.cassandra import partition_stats
from gateway.cassandra.table import Table
from gateway.cassandra.writes import gathered, write
from gateway.collector import spare_loaded_code
from gateway.mongo.client import database
from gateway.sync.batches import by_id, ids
from gateway.sync.copy import place
from gateway.sync.declarations import Synced, declared
from gateway.worker_process import follow_parent

# Batches that each process has before it, so that none waits for the next; all are small.
AHEAD = 2
# Batches, some 2 000 documents, that one process has done by the time at which others have started and connected.
ALONE = 4


class Batch(NamedTuple):
    """What one step of a rebuild has done."""

    documents: int
    rows: int
    last: Any
    """The id of the last document: the rows of all documents up to it are there."""


def rebuildable() -> dict[str, tuple[Synced, Table]]:
    """Each table that is made from documents, with its declaration, by the table's name."""
    return {table.name: (synced, table) for synced in declared() for table in synced.tables}


def rebuild(synced: Synced, table: Table, *, after: Any = None, processes: int = 1) -> Iterator[Batch]:
    """Write the table's rows of all documents with ids beyond `after`; yields each batch, in order, once it is done.

    With several processes each takes a range of ids at a time, if there is enough to do. Raises CassandraError.
    """
    if processes > 1 and _is_long(synced, after):
        yield from _side_by_side(synced, table, after, processes)
        return
    for documents in by_id(synced.collection, after=after, fields=synced.read):
        yield _rebuild_batch(synced, table, documents)


def _is_long(synced: Synced, after: Any) -> bool:
    """Whether other processes would still find work once they have started."""
    return len(list(islice(ids(synced.collection, after=after), ALONE + 1))) > ALONE


def _side_by_side(synced: Synced, table: Table, after: Any, processes: int) -> Iterator[Batch]:
    running: deque[Future[Batch]] = deque()
    # Not forked: clients and their threads do not survive that.
    with ProcessPoolExecutor(processes, get_context("spawn"), _start_worker, (database().name,)) as pool:
        try:
            for found in ids(synced.collection, after=after):
                if len(running) == AHEAD * processes:
                    yield running.popleft().result()
                running.append(pool.submit(_rebuild_range, table.name, after, found[-1]))
                after = found[-1]
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()


def _start_worker(mongodb_database: str) -> None:
    follow_parent()
    os.environ["MONGODB_DATABASE"] = mongodb_database
    django.setup()
    spare_loaded_code()


def _rebuild_range(name: str, after: Any, until: Any) -> Batch:
    """In a worker process: the documents with ids beyond `after`, up to `until`."""
    synced, table = rebuildable()[name]
    batches = by_id(synced.collection, after=after, to=until, fields=synced.read)
    done = [_rebuild_batch(synced, table, documents) for documents in batches]
    return Batch(sum(batch.documents for batch in done), sum(batch.rows for batch in done), until)


def _rebuild_batch(synced: Synced, table: Table, documents: Sequence[Mapping[str, Any]]) -> Batch:
    placed = place(synced, documents)
    # One that was changed at this moment is left to the copying of its change, which writes all of its tables.
    rows = gathered(one for document in placed for one in synced.writes_to(table, document))
    write(rows)
    # Readers find buckets by their sizes, which may have been lost with the table.
    partition_stats.note([table], {one.partition for one in rows})
    return Batch(len(documents), len(rows), documents[-1]["_id"])
