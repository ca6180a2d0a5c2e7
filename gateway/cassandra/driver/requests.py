"""Running one request: bound with the declared consistency, sent, awaited for a bounded time.

Synchronous and asynchronous code take the same steps; the one waits for the future, the other awaits it.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, NamedTuple

from cassandra import ConsistencyLevel
from cassandra.cluster import ResultSet, Session
from cassandra.query import BatchStatement, BatchType, BoundStatement
from django.conf import settings

from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.outcomes import judge, typed_errors
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.statements import Row, Select, Write

# The driver's own timer comes first; this guards against the day it does not come at all.
GRACE_SECONDS = 1.0


class Ready(NamedTuple):
    """A bound statement with its session: sending it waits for nothing."""

    session: Session
    statement: Any


class RowPage(NamedTuple):
    """One page of the rows that a request finds."""

    rows: list[Row]
    following: bytes | None
    """Where the next page begins; None: this was the last."""


def prepare(request: Select | Write) -> Ready:
    """Bind the request to its values and its table's consistency. May wait: the first use connects and prepares."""
    with typed_errors():
        connection = CONNECTOR.connection()
        prepared = connection.prepared.get(request.cql)
    return Ready(connection.session, _bind(request, prepared))


async def prepare_async(request: Select | Write) -> Ready:
    connection = CONNECTOR.opened()
    if connection and connection.prepared.is_ready(request.cql):
        return prepare(request)
    return await asyncio.to_thread(prepare, request)


def prepare_batch(writes: Sequence[Write]) -> Ready:
    """Bind writes to one key of a keyspace as one: a single round trip, and a single mutation on each replica."""
    if len(writes) == 1:
        return prepare(writes[0])
    batch = BatchStatement(BatchType.UNLOGGED, consistency_level=_level(writes[0]))
    with typed_errors():
        connection = CONNECTOR.connection()
        # Most are rows of one table, and so have one text.
        prepared = {cql: connection.prepared.get(cql) for cql in {write.cql for write in writes}}
    for write in writes:
        batch.add(_bind(write, prepared[write.cql]))
    batch.is_idempotent = True
    return Ready(connection.session, batch)


def send(to_send: Ready, page: bytes | None = None) -> Future[RowPage]:
    """Return at once; the future will hold a page of rows (none for a write) or an error fit to be raised."""
    future: Future[RowPage] = Future()
    # Nobody who merely waits can cancel it from here on, so the driver's thread can always set it.
    future.set_running_or_notify_cancel()

    # The driver may report twice, when a time-out and a repetition end at the same moment: the first report counts.
    def succeed(rows: list[Row] | None) -> None:
        CIRCUIT.note_answer()
        with suppress(InvalidStateError):
            future.set_result(RowPage(rows or [], ResultSet(response, rows).paging_state))

    def fail(error: Exception) -> None:
        seen = judge(error, answered=getattr(to_send.statement, "was_answered", False))
        with suppress(InvalidStateError):
            future.set_exception(seen)

    with typed_errors():
        # A request per page, rather than the driver's own paging, whose time-out covers the first page only.
        response = to_send.session.execute_async(to_send.statement, paging_state=page)
    response.add_callbacks(succeed, fail)
    return future


def wait(future: Future[RowPage]) -> RowPage:
    with typed_errors():
        return future.result(timeout=_longest_wait())


async def wait_async(future: Future[RowPage]) -> RowPage:
    with typed_errors():
        return await asyncio.wait_for(asyncio.wrap_future(future), timeout=_longest_wait())


def _bind(request: Select | Write, prepared: Any) -> BoundStatement:
    paging = {"fetch_size": request.page_size} if isinstance(request, Select) else {}
    statement = BoundStatement(prepared, consistency_level=_level(request), **paging).bind(request.params)
    # So is all that a table makes: reads, upserts and deletes by key.
    statement.is_idempotent = True
    return statement


def _longest_wait() -> float:
    return float(settings.CASSANDRA_REQUEST_TIMEOUT) + GRACE_SECONDS


def _level(request: Select | Write) -> int:
    return int(ConsistencyLevel.name_to_value[request.consistency])
