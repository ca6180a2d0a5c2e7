"""A process that forks after it has used Cassandra, as a Celery master may: parent and child both go on."""

import os
import signal
import sys
import traceback
import uuid
from collections.abc import Callable

import pytest

from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.reads import first
from gateway.cassandra.writes import write
from gateway.tests.samples.cassandra.tables import SESSIONS

pytestmark = [pytest.mark.usefixtures("tables", "fresh"), pytest.mark.timeout(60)]

HANGS_AFTER = 20


def in_child(work: Callable[[], None]) -> int:
    """The exit status of a forked child that does this work."""
    pid = os.fork()
    if pid == 0:
        # A child that hangs is killed by its own clock rather than left behind.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(HANGS_AFTER)
        status = 1
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001 a child of the test runner must not run the rest of it
            traceback.print_exc(file=sys.__stderr__)
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def remember(session_id: str, data: str) -> None:
    write([SESSIONS.upsert({"session_id": session_id, "data": data})])


def recall(session_id: str) -> str | None:
    row = first(SESSIONS.select("session_id = ?", session_id, columns=["data"]))
    return row["data"] if row else None


def test_child_of_a_connected_parent_reads_and_writes() -> None:
    by_parent, by_child = str(uuid.uuid4()), str(uuid.uuid4())
    remember(by_parent, "parent")

    def work() -> None:
        assert recall(by_parent) == "parent"
        remember(by_child, "child")

    assert in_child(work) == 0
    assert recall(by_child) == "child"
    remember(by_parent, "parent again")
    assert recall(by_parent) == "parent again"


def test_child_can_close_its_connection_and_leave_the_parents_alone() -> None:
    key = str(uuid.uuid4())
    remember(key, "parent")
    connection = CONNECTOR.connection()

    def work() -> None:
        assert recall(key) == "parent"
        CONNECTOR.close()

    assert in_child(work) == 0
    assert CONNECTOR.connection() is connection
    assert recall(key) == "parent"


def test_child_forked_while_a_lock_is_held_does_not_wait_for_it() -> None:
    key = str(uuid.uuid4())

    with CONNECTOR._lock, CIRCUIT._lock:
        status = in_child(lambda: remember(key, "child"))

    assert status == 0
    assert recall(key) == "child"


def test_child_does_not_inherit_an_open_circuit() -> None:
    key = str(uuid.uuid4())
    CIRCUIT.note_loss("the parent saw an outage")

    assert in_child(lambda: remember(key, "child")) == 0


def test_grandchild_too() -> None:
    key = str(uuid.uuid4())
    remember(key, "parent")

    def work() -> None:
        assert recall(key) == "parent"
        assert in_child(lambda: remember(key, "grandchild")) == 0
        assert recall(key) == "grandchild"

    assert in_child(work) == 0
    assert recall(key) == "grandchild"
