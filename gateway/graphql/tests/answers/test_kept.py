"""Keeping answers in memory: one is made for all who ask at once, and nobody depends on whoever makes it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gateway.graphql.answers.kept import Answers, KeptAnswer, Lookup, Made

KEY = b"k" * 32
Make = Callable[[], Awaitable[Made[str]]]


def kept(data: bytes = b"{}", *, seconds: int = 30, age: float = 0.0) -> KeptAnswer:
    return KeptAnswer(data, 1, seconds, time.monotonic() - age)


class Maker:
    """Makes answers when it is told to, and counts how many it was asked for."""

    def __init__(self, made: KeptAnswer | None) -> None:
        self.made = made
        self.asked = 0
        self.let_go = asyncio.Event()

    async def make(self) -> Made[str]:
        self.asked += 1
        await self.let_go.wait()
        return Made("own", self.made)


async def ask(answers: Answers, make: Make, key: bytes = KEY) -> Any:
    return await answers.find_or_make(key, make)


async def started(*requests: Any) -> list[asyncio.Task[Any]]:
    tasks = [asyncio.ensure_future(request) for request in requests]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def memory(most: int = 1_000_000) -> Answers:
    return Answers(lambda: most)


def test_many_at_once_make_one_answer() -> None:
    async def crowd() -> tuple[int, list[Any], Answers]:
        answers, maker = memory(), Maker(kept())
        tasks = await started(*(ask(answers, maker.make) for _ in range(50)))
        maker.let_go.set()
        return maker.asked, await asyncio.gather(*tasks), answers

    asked, found, answers = asyncio.run(crowd())

    assert asked == 1
    assert found[0] == "own"
    assert all(isinstance(each, KeptAnswer) for each in found[1:])
    assert answers.counts == {Lookup.MISS: 1, Lookup.WAITED: 49}


def test_later_request_finds_it_until_its_time_is_over() -> None:
    async def later() -> list[Any]:
        answers, maker = memory(), Maker(kept(seconds=5, age=4.0))
        maker.let_go.set()
        found = [await ask(answers, maker.make) for _ in range(2)]
        maker.made = kept(seconds=5, age=5.0)
        answers._kept.keep(KEY, maker.made, 2)
        return [*found, await ask(answers, maker.make), maker.asked]

    first, hit, too_old, asked = asyncio.run(later())

    assert (first, hit.age(), too_old, asked) == ("own", 4, "own", 2)


@pytest.mark.parametrize("end", ["cancelled", "failed"])
def test_whoever_waits_makes_it_when_the_first_fails_or_gives_up(end: str) -> None:
    async def lose_the_first() -> tuple[int, Any, list[Any]]:
        answers, maker = memory(), Maker(kept())

        async def first() -> Made[str]:
            maker.asked += 1
            await asyncio.sleep(0)
            if end == "failed":
                raise RuntimeError(end)
            await asyncio.Event().wait()
            raise AssertionError

        leader, *others = await started(ask(answers, first), *(ask(answers, maker.make) for _ in range(10)))
        leader.cancel()
        maker.let_go.set()
        return (
            maker.asked,
            await asyncio.gather(leader, return_exceptions=True),
            await asyncio.wait_for(asyncio.gather(*others), 10),
        )

    asked, lost, found = asyncio.run(lose_the_first())

    assert isinstance(lost[0], RuntimeError if end == "failed" else asyncio.CancelledError)
    assert found.count("own") == 1
    assert sum(isinstance(each, KeptAnswer) for each in found) == 9
    assert asked <= 2


def test_one_that_gives_up_waiting_takes_nothing_from_the_others() -> None:
    async def one_leaves() -> tuple[int, list[Any]]:
        answers, maker = memory(), Maker(kept())
        tasks = await started(*(ask(answers, maker.make) for _ in range(4)))
        tasks[1].cancel()
        await asyncio.sleep(0)
        maker.let_go.set()
        return maker.asked, await asyncio.gather(*tasks, return_exceptions=True)

    asked, found = asyncio.run(one_leaves())

    assert asked == 1
    assert isinstance(found[1], asyncio.CancelledError)
    assert [type(each) for each in (found[0], found[2], found[3])] == [str, KeptAnswer, KeptAnswer]


def test_what_is_nobody_elses_business_is_made_by_each_and_no_longer_waited_for() -> None:
    async def apart() -> tuple[list[int], list[Any], Answers]:
        answers, maker = memory(), Maker(None)
        tasks = await started(*(ask(answers, maker.make) for _ in range(5)))
        asked = [maker.asked]
        maker.let_go.set()
        found = await asyncio.gather(*tasks)
        maker.let_go.clear()
        later = await started(*(ask(answers, maker.make) for _ in range(5)))
        asked.append(maker.asked)
        maker.let_go.set()
        return asked, [*found, *await asyncio.gather(*later)], answers

    asked, found, answers = asyncio.run(apart())

    # At first one is asked for, then each its own; later all of them at once.
    assert asked == [1, 10]
    assert found == ["own"] * 10
    assert answers.counts == {Lookup.APART: 10}


def test_bytes_are_bounded_and_the_longest_unused_go_first() -> None:
    async def fill() -> tuple[Answers, list[Any]]:
        answers = memory(50_000)
        maker = Maker(kept(b"x" * 10_000))
        maker.let_go.set()
        sizes = []
        for number in range(20):
            await ask(answers, maker.make, str(number).encode())
            sizes.append(answers.size)
        assert max(sizes) <= 50_000
        return answers, [await ask(answers, maker.make, name) for name in (b"19", b"0")]

    _, (newest, oldest) = asyncio.run(fill())

    assert isinstance(newest, KeptAnswer)
    assert oldest == "own"


def test_answer_larger_than_all_there_may_be_is_given_and_not_kept() -> None:
    async def huge() -> tuple[int, Any]:
        answers, maker = memory(1_000), Maker(kept(b"x" * 2_000))
        maker.let_go.set()
        return answers.size, await ask(answers, maker.make)

    assert asyncio.run(huge()) == (0, "own")
