"""Running reads: `read`, `first` and `scan` for synchronous code, the same with `_async` for GraphQL.

All raise CassandraNotConfigured or CassandraUnavailable, and never wait longer than to connect, prepare and ask.
"""

import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from gateway.cassandra.circuit import CIRCUIT
from gateway.cassandra.sending import ready, ready_async, send, wait, wait_async
from gateway.cassandra.statements import Consistency, Row, Select

_PING = Select("SELECT key FROM system.local", (), Consistency.LOCAL_ONE, page_size=1)


def read(request: Select) -> list[Row]:
    return list(scan(request))


def first(request: Select) -> Row | None:
    return next(scan(request), None)


def scan(request: Select) -> Iterator[Row]:
    """Row by row, fetched page by page as they are asked for."""
    CIRCUIT.check()
    to_send = ready(request)
    page = wait(send(to_send))
    yield from page.rows
    while page.following:
        page = wait(send(to_send, page.following))
        yield from page.rows


async def read_async(request: Select) -> list[Row]:
    return [row async for row in scan_async(request)]


async def first_async(request: Select) -> Row | None:
    async with aclosing(scan_async(request)) as rows:
        return await anext(rows, None)


async def scan_async(request: Select) -> AsyncGenerator[Row, None]:
    CIRCUIT.check()
    to_send = await ready_async(request)
    page = await wait_async(send(to_send))
    for row in page.rows:
        yield row
    while page.following:
        page = await wait_async(send(to_send, page.following))
        for row in page.rows:
            yield row


def ping() -> float:
    """Seconds that a request to the nearest node takes, the connection included when it is the first."""
    started = time.perf_counter()
    first(_PING)
    return time.perf_counter() - started
