"""Who brings a document that takes long to prepare pays for it, refused or not, and before anything else is done."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.test import override_settings

from gateway.graphql.errors import RequestRefused
from gateway.graphql.http import charges
from gateway.graphql.tests.attacks import unknown_fields
from gateway.redis.clients import cache_client, close_async_redis
from gateway.tests.web_servers import Server

CLIENT = "10.8.0.1"


@pytest.fixture(scope="module")
def counting(serve: Callable[..., Server]) -> Server:
    """A bucket that hardly refills while a test runs, and dear CPU, so that any machine shows the difference."""
    return serve(GRAPHQL_BUCKET_POINTS="20000", GRAPHQL_BUCKET_RESTORE="1", GRAPHQL_POINTS_PER_MS="100")


def send(server: Server, query: str, client: str) -> tuple[str | None, int]:
    """The code of the first error, and the points that are left."""
    content = server.client.post("/graphql", json={"query": query}, headers={"x-forwarded-for": client}).json()
    left: int = content.get("extensions", {}).get("cost", {}).get("throttleStatus", {}).get("currentlyAvailable", 0)
    return (content["errors"][0]["extensions"]["code"] if "errors" in content else None), left


def test_refused_document_costs_its_cpu_once_and_then_the_least(counting: Server) -> None:
    cache_client().delete("graphql:bucket:10.8.0.2")

    first, again = (send(counting, unknown_fields(1), "10.8.0.2") for _ in range(2))

    assert first[0] == again[0] == "GRAPHQL_VALIDATION_FAILED"
    # More than a millisecond of CPU, a hundred points each.
    assert first[1] < 20_000 - 100
    assert first[1] - again[1] <= 1


def test_valid_document_that_is_new_costs_its_cpu_too_and_is_served(counting: Server) -> None:
    cache_client().delete("graphql:bucket:10.8.0.3")
    query = "query New { __typename " + "__typename " * 19 + "} " + "#" * 400

    first, again = (send(counting, query, "10.8.0.3") for _ in range(2))

    assert (first[0], again[0]) == (None, None)
    assert first[1] < 20_000 - 1
    assert first[1] - again[1] <= 1


def test_client_that_sends_what_is_expensive_to_refuse_is_stopped_before_it_is_looked_at(counting: Server) -> None:
    cache_client().delete("graphql:bucket:10.8.0.4", "graphql:bucket:10.8.0.5")

    codes = [str(send(counting, unknown_fields(number), "10.8.0.4")[0]) for number in range(10, 60)]

    # A hundred points buy a millisecond: the bucket is good for 200, each document takes five or more.
    assert codes[0] == "GRAPHQL_VALIDATION_FAILED"
    assert codes[-1] == "THROTTLED"
    assert codes == sorted(codes), "once in debt, nothing more is prepared"
    assert send(counting, "{ __typename }", "10.8.0.4")[0] == "THROTTLED"
    assert send(counting, "{ __typename }", "10.8.0.5")[0] is None


@pytest.fixture
def bucket() -> Iterator[None]:
    cache_client().delete(f"graphql:bucket:{CLIENT}")
    charges._owed.clear()
    charges._refused_until.clear()
    with override_settings(GRAPHQL_BUCKET_POINTS=100, GRAPHQL_BUCKET_RESTORE=1):
        yield
    charges._owed.clear()
    charges._refused_until.clear()


def test_what_the_bucket_cannot_pay_is_owed_and_collected_in_parts_before_anything_else(bucket: None) -> None:
    async def overdraw() -> list[bool]:
        paid = [(await charges.charge(CLIENT, points)).allowed for points in (70, 250)]
        for _ in range(3):
            try:
                await charges.collect(CLIENT)
            except RequestRefused as refused:
                paid.append(refused.code != "THROTTLED")
            else:
                paid.append(True)
            cache_client().delete(f"graphql:bucket:{CLIENT}")
        await close_async_redis()
        return paid

    # Thirty were left: 220 are owed. An empty bucket pays nothing, two full ones a hundred each and the rest.
    assert asyncio.run(overdraw()) == [True, False, False, False, False]
    assert charges._owed == {CLIENT: 20}


def test_debtor_is_refused_without_asking_redis_until_the_bucket_can_pay(bucket: None) -> None:
    async def overdraw() -> None:
        await charges.charge(CLIENT, 150)
        with suppress(RequestRefused):
            await charges.collect(CLIENT)
        await close_async_redis()

    charges.refuse_debtor(CLIENT)
    asyncio.run(overdraw())
    # Were Redis asked, it would find a full bucket.
    cache_client().delete(f"graphql:bucket:{CLIENT}")

    with pytest.raises(RequestRefused) as refused:
        charges.refuse_debtor(CLIENT)
    assert refused.value.code == "THROTTLED"
    charges.refuse_debtor("10.8.0.9")


def test_debtors_are_remembered_within_a_bound() -> None:
    charges._owed.clear()
    for number in range(charges.DEBTORS + 10):
        charges.owe(f"client-{number}", 1)

    assert len(charges._owed) == charges.DEBTORS
    charges._owed.clear()
