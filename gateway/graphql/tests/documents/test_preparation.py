"""New documents are prepared beside the event loop."""

import asyncio
import threading

import pytest
from django.test import override_settings

from gateway.graphql.documents.cache import Documents, PreparationOutcome
from gateway.graphql.documents.preparation import Preparation
from gateway.graphql.errors import RequestRefused
from gateway.graphql.tests.attacks import PAGE, unknown_fields
from gateway.graphql.tests.shop import SCHEMA


class Watched(Documents):
    """Notes who prepares what, and waits for the test while it does."""

    def __init__(self) -> None:
        super().__init__(SCHEMA)
        self.prepared_in: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def prepare(self, text: str) -> PreparationOutcome:
        self.prepared_in.append(threading.current_thread().name)
        self.may_go_on.wait(20)
        return super().prepare(text)


def test_small_document_is_prepared_at_once_and_a_larger_one_beside_the_loop_and_each_once() -> None:
    async def prepare() -> list[str]:
        documents = Watched()
        preparation = Preparation(documents)
        for text in ("{ geozones { code } }", unknown_fields(1), "{ geozones { code } }", unknown_fields(1)):
            await preparation.outcome(text)
        return documents.prepared_in

    assert asyncio.run(prepare()) == [threading.main_thread().name, "graphql-prepare_0"]


def test_one_flight_for_one_text_and_only_who_started_it_pays() -> None:
    async def prepare() -> tuple[int, list[bool]]:
        documents = Watched()
        preparation = Preparation(documents)
        outcomes = await asyncio.gather(*(preparation.outcome(unknown_fields(1)) for _ in range(10)))
        return len(documents.prepared_in), [outcome.milliseconds > 0 for outcome in outcomes]

    assert asyncio.run(prepare()) == (1, [True] + [False] * 9)


def test_too_many_that_wait_are_refused_while_remembered_and_small_ones_go_on() -> None:
    async def prepare() -> str:
        documents = Watched()
        preparation = Preparation(documents)
        await preparation.outcome(PAGE + "#" * 500)
        documents.may_go_on.clear()
        waiting = [asyncio.create_task(preparation.outcome(unknown_fields(number))) for number in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(RequestRefused) as refused:
            await preparation.outcome(unknown_fields(4))
        (await preparation.outcome(PAGE + "#" * 500)).prepared()
        documents.may_go_on.set()
        (await preparation.outcome("{ geozones { code } }")).prepared()
        await asyncio.gather(*waiting)
        await preparation.outcome(unknown_fields(4))
        return refused.value.code

    with override_settings(GRAPHQL_MAX_PREPARING=3):
        assert asyncio.run(prepare()) == "OVERLOADED"


def test_request_that_is_given_up_leaves_the_flight_to_the_others() -> None:
    async def prepare() -> bool:
        documents = Watched()
        documents.may_go_on.clear()
        preparation = Preparation(documents)
        given_up, stays = (asyncio.create_task(preparation.outcome(unknown_fields(1))) for _ in range(2))
        await asyncio.sleep(0)
        given_up.cancel()
        documents.may_go_on.set()
        await asyncio.gather(given_up, return_exceptions=True)
        return isinstance((await stays).found, RequestRefused)

    assert asyncio.run(prepare())
