"""A real node killed -9 under a process that uses it."""

import asyncio
import uuid

import pytest

from deploy.local.start.stack import Stack
from gateway.cassandra.errors import CassandraUnavailable
from gateway.cassandra.reads import first, first_async
from gateway.cassandra.tests.node import answers
from gateway.cassandra.writes import write
from gateway.tests.eventually import eventually
from gateway.tests.samples.cassandra.tables import SESSIONS

pytestmark = [pytest.mark.usefixtures("tables", "impatient"), pytest.mark.timeout(150)]


def test_killed_node_is_a_typed_error_at_once_and_its_return_is_noticed(stack: Stack) -> None:
    key = str(uuid.uuid4())
    request = SESSIONS.select("session_id = ?", key, columns=["data"])
    write([SESSIONS.upsert({"session_id": key, "data": "before"})])
    assert first(request) == {"data": "before"}

    stack.kill("cassandra")

    with pytest.raises(CassandraUnavailable):
        first(request)
    with pytest.raises(CassandraUnavailable):
        asyncio.run(first_async(request))
    with pytest.raises(CassandraUnavailable):
        write([SESSIONS.upsert({"session_id": key, "data": "lost"})])

    stack.start("cassandra")

    eventually(answers, within=90)
    # The statements are prepared anew on the restarted node, unnoticed.
    write([SESSIONS.upsert({"session_id": key, "data": "after"})])
    assert first(request) == {"data": "after"}


def test_suspended_node_is_a_typed_error_in_bounded_time_and_its_return_is_noticed(stack: Stack) -> None:
    request = SESSIONS.select("session_id = ?", "anybody")
    first(request)

    stack.suspend("cassandra")
    try:
        with pytest.raises(CassandraUnavailable):
            first(request)
        with pytest.raises(CassandraUnavailable):
            asyncio.run(first_async(request))
    finally:
        stack.resume("cassandra")

    eventually(answers, within=90)
