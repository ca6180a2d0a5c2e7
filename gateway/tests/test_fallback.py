"""«This read, else that one»: who is asked, for how long, and what becomes of the answer."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from pytest_django import Settings

from gateway.cassandra.errors import CassandraUnavailable
from gateway.circuit import SILENCES_TO_OPEN
from gateway.domain.texts import Text
from gateway.fallback import is_degraded, note_incomplete, noting_degradation, served
from gateway.mongo.outage import MONGODB, MongoUnavailable, NotServed

CANNOT = Text("Не получится.", "It cannot be.")


@pytest.fixture(autouse=True)
def closed_circuit(settings: Settings) -> Iterator[Settings]:
    MONGODB.reset()
    settings.MONGODB_PATIENCE_SECONDS = 0.02
    yield settings
    MONGODB.reset()


def says(answer: str, *, after: float = 0.0) -> Callable[[], Awaitable[str]]:
    async def say() -> str:
        await asyncio.sleep(after)
        return answer

    return say


def raises(error: Exception) -> Callable[[], Awaitable[str]]:
    async def fail() -> str:
        raise error

    return fail


def answered(*pairs: tuple[Callable[[], Awaitable[str]], Callable[[], Awaitable[str]]]) -> tuple[list[str], bool]:
    """What each pair of reads gave within one request, and whether its answer is marked."""

    async def ask() -> list[str]:
        return [await served(read, otherwise) for read, otherwise in pairs]

    with noting_degradation() as degradation:
        return asyncio.run(ask()), degradation.noted


def test_mongodb_answers_in_ordinary_times() -> None:
    assert answered((says("mongodb"), says("cassandra"))) == (["mongodb"], False)


def test_other_store_answers_when_mongodb_is_away_and_the_answer_is_marked() -> None:
    assert answered((raises(MongoUnavailable("away")), says("cassandra"))) == (["cassandra"], True)


def test_fault_of_ours_is_no_reason_to_ask_elsewhere() -> None:
    with pytest.raises(LookupError):
        answered((raises(LookupError()), says("cassandra")))


def test_reader_waits_no_longer_than_its_patience_and_once_per_request() -> None:
    slow = says("mongodb", after=0.2)

    assert answered((slow, says("cassandra")), (says("mongodb"), says("cassandra too"))) == (
        ["cassandra", "cassandra too"],
        True,
    )


def test_without_the_other_store_mongodb_is_waited_for() -> None:
    assert answered((says("mongodb", after=0.1), raises(CassandraUnavailable("away too")))) == (["mongodb"], False)


def test_what_only_mongodb_can_answer_waits_for_it() -> None:
    assert answered((says("mongodb", after=0.1), raises(NotServed(CANNOT)))) == (["mongodb"], False)


def test_what_only_mongodb_can_answer_says_so_when_it_is_away() -> None:
    with pytest.raises(NotServed) as refusal:
        answered((raises(MongoUnavailable("away")), raises(NotServed(CANNOT))))

    assert refusal.value.text == CANNOT


def test_with_both_away_it_is_mongodb_that_is_unavailable() -> None:
    with pytest.raises(MongoUnavailable, match="away"):
        answered((raises(MongoUnavailable("away")), raises(CassandraUnavailable("away too"))))


def test_one_slow_read_opens_no_circuit_but_silence_does() -> None:
    """So looks a mongos whose shards are gone: it takes every question and answers none."""
    slow = says("mongodb", after=0.1)

    for _ in range(SILENCES_TO_OPEN - 1):
        answered((slow, says("cassandra")))
    MONGODB.check()
    MONGODB.note_answer()
    for _ in range(SILENCES_TO_OPEN):
        answered((slow, says("cassandra")))

    with pytest.raises(MongoUnavailable):
        MONGODB.check()


def test_answer_in_which_something_is_missing_is_marked_and_goes_on_asking_mongodb() -> None:
    with noting_degradation() as noted:
        note_incomplete()

        assert asyncio.run(served(says("mongodb"), says("cassandra"))) == "mongodb"

    assert (noted.noted, noted.elsewhere) == (True, False)


def test_requests_are_marked_apart() -> None:
    with noting_degradation():
        asyncio.run(served(raises(MongoUnavailable("away")), says("cassandra")))
        assert is_degraded()
        with noting_degradation():
            assert not is_degraded()
