"""Turns and their queue, in one event loop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from pytest_django import Settings

from gateway.web.admission import ClientGone, Overloaded, Turns
from gateway.web.http import Message

FIRST, OTHER = "192.0.2.1", "192.0.2.2"
FAR = 5.0
SOON = 0.05


@pytest.fixture(autouse=True)
def narrow(settings: Settings) -> None:
    settings.GRAPHQL_MAX_RUNNING = 1
    settings.GRAPHQL_MAX_WAITING = 2


class Client:
    """What a server would tell of a client: that it has gone, when it has."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def receive(self) -> Message:
        await self.gone.wait()
        return {"type": "http.disconnect"}


class Asked:
    """Requests that hold their turns until the test lets them go."""

    def __init__(self) -> None:
        self.turns = Turns(
            running="GRAPHQL_MAX_RUNNING", waiting="GRAPHQL_MAX_WAITING", per_client="GRAPHQL_MAX_RUNNING_PER_CLIENT"
        )
        self.begun: list[str] = []
        self.whose: dict[str, str] = {}
        """Requests that are not the first client's."""
        self.done = asyncio.Event()

    def ask(self, name: str, client: Client | None = None, seconds: float = FAR) -> "asyncio.Task[None]":
        return asyncio.create_task(self._serve(name, client or Client(), seconds))

    async def _serve(self, name: str, client: Client, seconds: float) -> None:
        async with self.turns.turn(
            self.whose.get(name, FIRST), client.receive, asyncio.get_running_loop().time() + seconds
        ):
            self.begun.append(name)
            await self.done.wait()


@asynccontextmanager
async def asked() -> AsyncIterator[Asked]:
    """One request runs; nobody waits yet."""
    requests = Asked()
    running = requests.ask("running")
    await settled()
    yield requests
    requests.done.set()
    await running
    await settled()
    # Whatever happened, the turn is free again.
    last = requests.ask("last")
    await last
    assert requests.begun[-1] == "last"


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def run(scenario: Callable[[Asked], Awaitable[None]]) -> list[str]:
    async def play() -> list[str]:
        async with asked() as requests:
            await scenario(requests)
        return requests.begun

    return asyncio.run(play())


def test_requests_are_served_in_the_order_of_arrival() -> None:
    async def scenario(requests: Asked) -> None:
        waiting = [requests.ask(name) for name in ("first", "second")]
        await settled()
        assert requests.begun == ["running"]
        requests.done.set()
        await asyncio.gather(*waiting)

    assert run(scenario) == ["running", "first", "second", "last"]


def test_request_beyond_the_queue_is_refused_at_once() -> None:
    async def scenario(requests: Asked) -> None:
        waiting = [requests.ask(name) for name in ("first", "second")]
        await settled()
        with pytest.raises(Overloaded):
            requests.turns.refuse_when_full(FIRST)
        with pytest.raises(Overloaded):
            await requests.ask("third")
        requests.done.set()
        await asyncio.gather(*waiting)

    assert run(scenario) == ["running", "first", "second", "last"]


def test_request_that_gets_no_turn_in_time_is_refused_and_leaves_the_queue() -> None:
    async def scenario(requests: Asked) -> None:
        with pytest.raises(Overloaded):
            await requests.ask("impatient", seconds=SOON)
        requests.turns.refuse_when_full(FIRST)

    assert run(scenario) == ["running", "last"]


def test_request_whose_client_goes_while_it_waits_is_not_begun() -> None:
    async def scenario(requests: Asked) -> None:
        client = Client()
        leaving, staying = requests.ask("leaving", client), requests.ask("staying")
        await settled()
        client.gone.set()
        with pytest.raises(ClientGone):
            await leaving
        requests.done.set()
        await staying

    assert run(scenario) == ["running", "staying", "last"]


def test_request_whose_client_has_gone_before_takes_no_place_in_a_full_queue() -> None:
    async def scenario(requests: Asked) -> None:
        client = Client()
        client.gone.set()
        waiting = [requests.ask(name) for name in ("first", "second")]
        await settled()
        with pytest.raises(ClientGone):
            await requests.ask("gone", client)
        requests.done.set()
        await asyncio.gather(*waiting)

    assert run(scenario) == ["running", "first", "second", "last"]


def test_client_that_has_the_whole_queue_gives_its_newest_place_to_another() -> None:
    async def scenario(requests: Asked) -> None:
        requests.whose["other"] = OTHER
        first, second = (requests.ask(name) for name in ("first", "second"))
        await settled()
        requests.turns.refuse_when_full(OTHER)
        other = requests.ask("other")
        with pytest.raises(Overloaded):
            await second
        with pytest.raises(Overloaded):
            requests.turns.refuse_when_full(FIRST)
        requests.done.set()
        await asyncio.gather(first, other)

    assert run(scenario) == ["running", "first", "other", "last"]


def test_client_with_as_many_turns_as_it_may_have_lets_others_pass(settings: Settings) -> None:
    settings.GRAPHQL_MAX_RUNNING, settings.GRAPHQL_MAX_RUNNING_PER_CLIENT = 2, 1

    async def scenario(requests: Asked) -> None:
        requests.whose["other"] = OTHER
        second, other = requests.ask("second"), requests.ask("other")
        await settled()
        assert requests.begun == ["running", "other"]
        requests.done.set()
        await asyncio.gather(second, other)

    assert run(scenario) == ["running", "other", "second", "last"]


@pytest.mark.parametrize("is_given", [False, True])
def test_turn_of_a_cancelled_request_is_not_lost(is_given: bool) -> None:
    async def scenario(requests: Asked) -> None:
        cancelled, next_ = requests.ask("cancelled"), requests.ask("next")
        await settled()
        if is_given:
            # The turn is handed over, and the request cancelled before it hears of it.
            requests.done.set()
            await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        requests.done.set()
        await next_

    assert "cancelled" not in run(scenario)
