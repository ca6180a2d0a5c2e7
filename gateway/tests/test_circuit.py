"""The circuit by itself: when it opens, who may try, what closes it."""

import os

import pytest

from gateway.circuit import SILENCES_TO_OPEN, Circuit


class Away(Exception):
    pass


@pytest.fixture
def circuit() -> Circuit:
    return Circuit("store", pause=lambda: 60.0, away=Away)


def let_pause_pass(circuit: Circuit) -> None:
    circuit._next_try -= 60.0
    if circuit._open_since is not None:
        circuit._open_since -= 60.0


def is_open(circuit: Circuit) -> bool:
    try:
        circuit.check()
    except Away:
        return True
    return False


def test_no_node_reachable_opens_at_once(circuit: Circuit) -> None:
    assert not is_open(circuit)
    circuit.note_loss("refused")
    assert is_open(circuit)


def test_requests_without_answer_open_after_several_in_a_row(circuit: Circuit) -> None:
    for _ in range(SILENCES_TO_OPEN - 1):
        circuit.note_silence("timed out")
    assert not is_open(circuit)
    circuit.note_silence("timed out")
    assert is_open(circuit)


def test_answer_in_between_starts_the_count_anew(circuit: Circuit) -> None:
    for _ in range(5):
        circuit.note_silence("timed out")
        circuit.note_answer()
        circuit.note_silence("timed out")
    assert not is_open(circuit)


def test_after_the_pause_one_caller_passes_and_the_next_after_another_pause(circuit: Circuit) -> None:
    circuit.note_loss("refused")
    let_pause_pass(circuit)

    assert [is_open(circuit) for _ in range(3)] == [False, True, True]

    # The one who tried never came back, not even with an error.
    let_pause_pass(circuit)
    assert [is_open(circuit) for _ in range(2)] == [False, True]


def test_answer_closes_it_for_all(circuit: Circuit) -> None:
    circuit.note_loss("refused")
    circuit.note_answer()
    assert [is_open(circuit) for _ in range(3)] == [False, False, False]


def test_one_silence_after_the_pause_is_enough_to_stay_open(circuit: Circuit) -> None:
    circuit.note_loss("refused")
    let_pause_pass(circuit)
    circuit.check()

    circuit.note_silence("timed out")

    assert is_open(circuit)


def test_failure_of_a_later_try_is_told_from_the_first_failures(circuit: Circuit) -> None:
    """Fifty requests that fail together are one outage; the connection is renewed only when trying again fails too."""
    assert [circuit.note_loss("refused") for _ in range(50)] == [False] * 50
    let_pause_pass(circuit)
    circuit.check()
    assert circuit.note_loss("refused again")


def test_forked_process_begins_with_a_closed_one(circuit: Circuit) -> None:
    circuit.note_loss("refused")
    if (child := os.fork()) == 0:
        os._exit(int(is_open(circuit)))
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert is_open(circuit)
