"""Running reads: `read`, `first`, `scan`, the same with `_async` for GraphQL, and `read_many` for many at once.

All raise CassandraNotConfigured or CassandraUnavailable, and never wait longer than to connect, prepare and ask.
"""

import time
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import aclosing

from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.requests import Ready, RowPage, prepare, prepare_async, send, wait, wait_async
from gateway.cassandra.statements import Consistency, Row, Select
from gateway.cassandra.writes import IN_FLIGHT

_PING = Select("SELECT key FROM system.local", (), Consistency.LOCAL_ONE, page_size=1)


def read(request: Select) -> list[Row]:
    return list(scan(request))


def first(request: Select) -> Row | None:
    return next(scan(request), None)


def read_many(requests: Iterable[Select]) -> list[list[Row]]:
    """The rows that each request finds, in the order of the requests; IN_FLIGHT requests are under way at a time."""
    CIRCUIT.check()
    answers: list[list[Row]] = []
    pending: deque[tuple[Ready, Future[RowPage]]] = deque()

    def take_first() -> None:
        to_send, future = pending.popleft()
        answers.append(list(_from(to_send, wait(future))))

    for request in requests:
        if len(pending) == IN_FLIGHT:
            take_first()
        to_send = prepare(request)
        pending.append((to_send, send(to_send)))
    while pending:
        take_first()
    return answers


def scan(request: Select) -> Iterator[Row]:
    """Yields rows one by one, fetching pages as they are asked for."""
    CIRCUIT.check()
    to_send = prepare(request)
    yield from _from(to_send, wait(send(to_send)))


async def read_async(request: Select) -> list[Row]:
    return [row async for row in scan_async(request)]


async def first_async(request: Select) -> Row | None:
    async with aclosing(scan_async(request)) as rows:
        return await anext(rows, None)


async def scan_async(request: Select) -> AsyncGenerator[Row, None]:
    CIRCUIT.check()
    to_send = await prepare_async(request)
    page = await wait_async(send(to_send))
    for row in page.rows:
        yield row
    while page.following:
        page = await wait_async(send(to_send, page.following))
        for row in page.rows:
            yield row


def ping() -> float:
    """Seconds that a request to the nearest node takes, including the connection when it is the first."""
    started = time.perf_counter()
    first(_PING)
    return time.perf_counter() - started


def _from(to_send: Ready, page: RowPage) -> Iterator[Row]:
    yield from page.rows
    while page.following:
        page = wait(send(to_send, page.following))
        yield from page.rows
