"""Cassandra away: typed errors in bounded time, few attempts, and recovery by itself."""

import asyncio
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cassandra import InvalidRequest, Unavailable
from cassandra.cluster import NoHostAvailable
from cassandra.connection import ConnectionShutdown
from cassandra.query import SimpleStatement
from pytest_django import Settings
from structlog.testing import capture_logs

from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.outcomes import judge
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.errors import CassandraNotConfigured, CassandraUnavailable
from gateway.cassandra.reads import first, first_async, ping, read
from gateway.cassandra.tests.link import Link
from gateway.cassandra.tests.node import answers
from gateway.cassandra.writes import write
from gateway.circuit import SILENCES_TO_OPEN
from gateway.tests.eventually import eventually
from gateway.tests.races import at_once
from gateway.tests.samples.cassandra.tables import HISTORY, SESSIONS

# Far more than the time-outs in these tests add up to: a request that hangs fails its test.
pytestmark = pytest.mark.timeout(60)

READ = SESSIONS.select("session_id = ?", "anybody")
WRITE = SESSIONS.upsert({"session_id": "anybody", "data": "x"})


def read_async_in_own_loop() -> Any:
    return asyncio.run(first_async(READ))


# Each way to ask. All must fail alike.
WAYS: list[Callable[[], Any]] = [lambda: first(READ), read_async_in_own_loop, lambda: write([WRITE]), ping]


def count_requests() -> list[Any]:
    sent: list[Any] = []
    CONNECTOR.connection().session.add_request_init_listener(sent.append)
    return sent


@pytest.mark.parametrize("ask", WAYS)
def test_not_configured_says_so(ask: Callable[[], Any], fresh: Settings) -> None:
    fresh.CASSANDRA_CONTACT_POINTS = []

    with pytest.raises(CassandraNotConfigured):
        ask()


# ---------------------------------------------------------------- never connected


@pytest.mark.parametrize("ask", WAYS)
def test_dead_node_at_first_use(ask: Callable[[], Any], link: Link) -> None:
    link.cut()

    with pytest.raises(CassandraUnavailable, match="no node of dc1 can be reached"):
        ask()


@pytest.mark.parametrize("ask", WAYS)
def test_hanging_node_at_first_use(ask: Callable[[], Any], link: Link, fresh: Settings) -> None:
    fresh.CASSANDRA_CONNECT_TIMEOUT = 0.5
    link.freeze()

    with pytest.raises(CassandraUnavailable, match="no node of dc1 can be reached"):
        ask()


def test_unknown_host_name(fresh: Settings) -> None:
    fresh.CASSANDRA_CONTACT_POINTS = ["nowhere.invalid"]

    with pytest.raises(CassandraUnavailable):
        ping()


def test_unknown_data_centre(tables: None, fresh: Settings) -> None:
    fresh.CASSANDRA_LOCAL_DC = "dc9"

    with pytest.raises(CassandraUnavailable, match="no node of dc9 can be reached"):
        ping()


def test_fifty_threads_at_a_hanging_node_make_one_attempt(link: Link, fresh: Settings) -> None:
    fresh.CASSANDRA_CONNECT_TIMEOUT = 1.0
    link.freeze()

    def attempt(_: int) -> type[BaseException] | None:
        try:
            first(READ)
        except CassandraUnavailable as error:
            return type(error)
        return None

    with ThreadPoolExecutor(50) as pool:
        outcomes = list(pool.map(attempt, range(50)))

    assert outcomes == [CassandraUnavailable] * 50
    assert link.accepted == 1


def test_node_that_comes_up_later_is_used(link: Link, fresh: Settings) -> None:
    fresh.CASSANDRA_CIRCUIT_SECONDS = 0.2
    link.cut()
    with pytest.raises(CassandraUnavailable):
        ping()

    link.mend()

    eventually(answers)


# ---------------------------------------------------------------- lost on the way


@pytest.mark.parametrize("ask", WAYS)
def test_node_that_dies_after_connecting(ask: Callable[[], Any], link: Link) -> None:
    ask()

    link.cut()

    with pytest.raises(CassandraUnavailable):
        ask()


@pytest.mark.parametrize("ask", WAYS)
def test_node_that_hangs_after_connecting(ask: Callable[[], Any], link: Link, impatient: Settings) -> None:
    ask()

    link.freeze()

    with pytest.raises(CassandraUnavailable):
        ask()


def test_statement_not_yet_prepared_at_a_hanging_node_fails_in_request_time(link: Link, impatient: Settings) -> None:
    ping()
    link.freeze()

    started = time.monotonic()
    with pytest.raises(CassandraUnavailable):
        first(READ)

    # The driver's own time-out for preparing is ten seconds.
    assert time.monotonic() - started < 5


def test_dead_node_opens_the_circuit_and_no_more_requests_are_made(link: Link) -> None:
    ping()
    sent = count_requests()
    link.cut()
    eventually(lambda: not answers())
    sent.clear()

    for ask in WAYS:
        with pytest.raises(CassandraUnavailable, match="cassandra is away; next try in"):
            ask()

    assert sent == []


def test_one_slow_request_does_not_open_the_circuit_but_three_do(link: Link, impatient: Settings) -> None:
    ping()
    sent = count_requests()
    link.freeze()

    for _ in range(SILENCES_TO_OPEN):
        with pytest.raises(CassandraUnavailable, match="timeout"):
            ping()
    assert len(sent) == SILENCES_TO_OPEN
    with pytest.raises(CassandraUnavailable, match="cassandra is away"):
        ping()

    assert len(sent) == SILENCES_TO_OPEN


def test_when_the_pause_is_over_a_single_caller_tries(link: Link, impatient: Settings) -> None:
    ping()
    sent = count_requests()
    impatient.CASSANDRA_CIRCUIT_SECONDS = 0.0
    CIRCUIT.note_loss("an outage whose pause is over")
    impatient.CASSANDRA_CIRCUIT_SECONDS = 5.0
    link.freeze()

    assert at_once(*[answers] * 20) == [False] * 20
    assert len(sent) == 1


def test_dead_node_that_returns_is_used_again_and_the_log_tells_both(link: Link, fresh: Settings) -> None:
    fresh.CASSANDRA_CIRCUIT_SECONDS = 0.3
    key = str(uuid.uuid4())
    write([SESSIONS.upsert({"session_id": key, "data": "before"})])

    with capture_logs() as logs:
        link.cut()
        eventually(lambda: not answers())
        link.mend()
        eventually(answers)

    assert [entry["event"] for entry in logs] == ["cassandra.away", "cassandra.back"]
    assert first(SESSIONS.select("session_id = ?", key, columns=["data"])) == {"data": "before"}
    assert asyncio.run(first_async(SESSIONS.select("session_id = ?", key, columns=["data"]))) == {"data": "before"}


def test_hanging_node_that_wakes_up_is_used_again(link: Link, impatient: Settings) -> None:
    impatient.CASSANDRA_CIRCUIT_SECONDS = 0.3
    ping()
    link.freeze()
    eventually(lambda: not answers())

    link.thaw()

    eventually(answers)


def test_long_outage_makes_a_new_connection(link: Link, fresh: Settings) -> None:
    """The addresses may have changed meanwhile."""
    fresh.CASSANDRA_CIRCUIT_SECONDS = 0.2
    ping()
    lost = CONNECTOR.connection()
    link.cut()

    eventually(lambda: not answers() and CONNECTOR.opened() is not lost)

    link.mend()
    eventually(answers)
    assert lost.session.is_shutdown


# ---------------------------------------------------------------- errors that are no outage


def test_wrong_queries_do_not_open_the_circuit(tables: None) -> None:
    for _ in range(SILENCES_TO_OPEN + 1):
        with pytest.raises(InvalidRequest):
            read(HISTORY.select("status = ?", "paid"))

    CIRCUIT.check()
    assert answers()


def test_too_few_replicas_is_unavailable_but_does_not_open_the_circuit(session: Any, fresh: Settings) -> None:
    """One table may need more replicas than are up while the others are served."""
    fresh.CASSANDRA_KEYSPACE_PREFIX = "test_unserved"
    factors = "{'class': 'NetworkTopologyStrategy', 'dc1': '3'}"
    session = CONNECTOR.connection().session
    session.execute(f"CREATE KEYSPACE test_unserved_carts WITH replication = {factors}", timeout=60)
    try:
        session.execute(f"CREATE TABLE {SESSIONS.full_name} (session_id text PRIMARY KEY, data text)", timeout=60)

        for _ in range(SILENCES_TO_OPEN + 1):
            with pytest.raises(CassandraUnavailable) as caught:
                write([SESSIONS.delete({"session_id": "1"})])

        refusal = caught.value.__cause__
        assert isinstance(refusal, NoHostAvailable)
        # The driver may fill this in after it has reported the error.
        (reason,) = eventually(lambda: list(refusal.errors.values()))
        assert isinstance(reason, Unavailable)
        assert answers()
    finally:
        session.execute("DROP KEYSPACE test_unserved_carts", timeout=60)


def test_refusal_that_the_driver_has_not_noted_yet_does_not_open_the_circuit(tables: None) -> None:
    """The driver begins the repetition, which finds no other host, before it notes why there was one."""
    unexplained = NoHostAvailable("Unable to complete the operation against any hosts", {})

    seen = judge(unexplained, answered=True)

    assert isinstance(seen, CassandraUnavailable)
    assert seen.__cause__ is unexplained
    CIRCUIT.check()


# ---------------------------------------------------------------- repeating


@pytest.mark.parametrize(
    ("idempotent", "expected"),
    # The next host is tried, and there is none; or the lost connection is the last word.
    [(True, NoHostAvailable), (False, ConnectionShutdown)],
)
def test_write_whose_answer_is_lost_is_repeated_only_if_idempotent(
    link: Link, idempotent: bool, expected: type[Exception]
) -> None:
    statement = SimpleStatement(
        f"INSERT INTO {SESSIONS.full_name} (session_id) VALUES ('1')",  # noqa: S608
        is_idempotent=idempotent,
    )
    session = CONNECTOR.connection().session
    link.freeze()
    pending = session.execute_async(statement)

    link.cut()

    with pytest.raises(expected):
        pending.result()
