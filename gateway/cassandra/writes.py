"""Running writes: any number, to any tables, each at its table's consistency."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from itertools import groupby, islice
from typing import Any

from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.requests import RowPage, prepare_batch, send, wait
from gateway.cassandra.statements import Write

# Enough to keep a small cluster busy, few enough that one rebuild does not crowd out the shop's own requests.
IN_FLIGHT = 32
# Rows of one key that travel together; 100 orders with their lines are some 200 kB, far below the mutation limit.
BATCH = 100


def write(writes: Iterable[Write]) -> None:
    """Write all; returns when all are acknowledged.

    After an error some are written and some not: repeat them all, it does no harm.
    """
    CIRCUIT.check()
    pending: deque[Future[RowPage]] = deque()
    for batch in _by_mutation(writes):
        if len(pending) == IN_FLIGHT:
            wait(pending.popleft())
        pending.append(send(prepare_batch(batch)))
    while pending:
        wait(pending.popleft())


def gathered(writes: Iterable[Write]) -> list[Write]:
    """The same writes, with those that may travel together beside each other."""
    by_mutation: dict[tuple[Any, ...], list[Write]] = {}
    for one in writes:
        by_mutation.setdefault(one.mutation, []).append(one)
    return [one for together in by_mutation.values() for one in together]


def _by_mutation(writes: Iterable[Write]) -> Iterator[list[Write]]:
    """Batches of neighbours that may travel together. Nothing is gathered: the input may be as long as a table."""
    for _, group in groupby(writes, key=lambda write: write.mutation):
        while batch := list(islice(group, BATCH)):
            yield batch
