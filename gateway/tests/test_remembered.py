"""What a process remembers: read once for many, anew when it is old, by one caller at a time."""

import threading
import time

import pytest

from gateway.remembered import Remembered


def test_many_who_ask_at_once_cause_one_read() -> None:
    reads: list[int] = []

    def read() -> int:
        time.sleep(0.05)
        reads.append(1)
        return len(reads)

    remembered = Remembered(read, seconds=60)
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(remembered.get())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [1] * 8


def test_old_answer_is_read_anew() -> None:
    answers = iter([1, 2])
    remembered = Remembered(lambda: next(answers), seconds=0)

    assert [remembered.get(), remembered.get()] == [1, 2]


def test_others_go_on_with_the_old_one_meanwhile() -> None:
    entered, leave = threading.Event(), threading.Event()
    reads: list[int] = []

    def read() -> int:
        reads.append(1)
        if len(reads) > 1:
            entered.set()
            leave.wait(10)
        return len(reads)

    remembered = Remembered(read, seconds=0)
    remembered.get()
    slow = threading.Thread(target=remembered.get)
    slow.start()
    entered.wait(10)

    assert remembered.get() == 1

    leave.set()
    slow.join()


def test_read_that_fails_is_not_remembered() -> None:
    answers = iter([1])
    remembered = Remembered(lambda: next(answers), seconds=0)
    remembered.get()

    with pytest.raises(StopIteration):
        remembered.get()
    remembered.forget()
    with pytest.raises(StopIteration):
        remembered.get()
