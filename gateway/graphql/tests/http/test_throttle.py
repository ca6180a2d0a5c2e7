"""A client spends cost points and gets them back over time; see the fixture `strict`: 100 points, 1 a second."""

import asyncio
import signal
import time
from collections.abc import Callable
from typing import NamedTuple

import httpx
import pytest
from django.test import override_settings

from gateway.graphql.http.throttle import spend
from gateway.redis.clients import cache_client, close_async_redis
from gateway.tests.redis_servers import RedisServer
from gateway.tests.web_servers import Server

TYPENAME = {"query": "{ __typename }"}
TOKEN = "a-token-that-a-server-of-the-shop-holds"


class Guarded(NamedTuple):
    server: Server
    redis: RedisServer


@pytest.fixture(scope="module")
def guarded(serve: Callable[..., Server], run_redis: Callable[..., RedisServer]) -> Guarded:
    """With a Redis of its own for the cache, and few points."""
    redis = run_redis()
    tariff = {"GRAPHQL_BUCKET_POINTS": "100", "GRAPHQL_BUCKET_RESTORE": "1", "GRAPHQL_POINTS_PER_MS": "0"}
    return Guarded(serve(REDIS_CACHE_URL=redis.url, **tariff), redis)


def ask(server: Server, client: str, times: int = 1, headers: dict[str, str] | None = None) -> list[httpx.Response]:
    """From an address that the proxy in front names; with a bucket that nobody has used."""
    cache_client().delete(f"graphql:bucket:{client}")
    return [
        server.client.post("/graphql", json=TYPENAME, headers={"x-forwarded-for": client, **(headers or {})})
        for _ in range(times)
    ]


def test_every_answer_tells_what_it_cost_and_what_is_left(strict: Server, geozones: None) -> None:
    cache_client().delete("graphql:bucket:10.1.0.1")

    response = strict.client.post(
        "/graphql", json={"query": "{ geozones { code } }"}, headers={"x-forwarded-for": "10.1.0.1"}
    )

    assert response.json()["extensions"] == {
        "cost": {
            "requestedQueryCost": 1,
            "actualQueryCost": 1,
            "throttleStatus": {"maximumAvailable": 100, "currentlyAvailable": 99, "restoreRate": 1},
        }
    }


def test_client_that_spent_its_points_is_told_when_to_come_back(strict: Server) -> None:
    refused = [response for response in ask(strict, "10.1.0.2", 130) if response.status_code != 200]

    # How many more were served than the bucket holds depends on how long it took.
    assert 0 < len(refused) <= 30
    last = refused[-1]
    assert last.status_code == 429
    assert last.headers["retry-after"] == "1"
    assert last.json()["errors"] == [
        {
            "message": "Слишком много запросов. Повторите через 1 с.",
            "extensions": {"code": "THROTTLED", "retryAfter": 1},
        }
    ]
    assert last.json()["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"] == 0


def test_clients_have_buckets_of_their_own(strict: Server) -> None:
    ask(strict, "10.1.0.3", 110)

    assert ask(strict, "10.1.0.4")[0].status_code == 200


def test_refused_documents_cost_a_point_too(strict: Server) -> None:
    cache_client().delete("graphql:bucket:10.1.0.5")
    responses = [
        strict.client.post("/graphql", json={"query": "{"}, headers={"x-forwarded-for": "10.1.0.5"}) for _ in range(120)
    ]

    codes = [response.json()["errors"][0]["extensions"]["code"] for response in responses]
    assert codes[:100] == ["GRAPHQL_PARSE_FAILED"] * 100
    assert set(codes[100:]) >= {"THROTTLED"}


def test_server_with_a_token_asks_for_its_buyers(strict: Server) -> None:
    cache_client().delete("graphql:bucket:192.0.2.7")
    named = {"x-buyer-address": "192.0.2.7"}

    trusted = ask(strict, "10.1.0.6", headers={**named, "x-server-token": TOKEN})
    liar = ask(strict, "10.1.0.7", headers={**named, "x-server-token": "guessed"})

    assert [response.status_code for response in (*trusted, *liar)] == [200, 200]
    assert cache_client().exists("graphql:bucket:192.0.2.7", "graphql:bucket:10.1.0.6") == 1
    assert cache_client().exists("graphql:bucket:10.1.0.7") == 1


def test_without_redis_the_process_throttles_by_itself(alone: Server) -> None:
    responses = ask(alone, "10.1.1.1", 130)

    statuses = [response.status_code for response in responses]
    assert statuses[:100] == [200] * 100
    assert 0 < statuses.count(429) <= 30
    assert responses[0].json()["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"] == 99
    assert responses[-1].json()["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"] == 0
    assert ask(alone, "10.1.1.2")[0].status_code == 200


@pytest.mark.parametrize(
    ("client", "lose", "find"),
    [
        pytest.param(
            "10.1.1.3",
            lambda redis: redis.process.send_signal(signal.SIGSTOP),
            lambda redis: redis.process.send_signal(signal.SIGCONT),
            id="hangs",
        ),
        pytest.param("10.1.1.4", RedisServer.fill, RedisServer.empty, id="full"),
    ],
)
def test_redis_that_hangs_or_is_full_lets_nobody_past_and_counts_again_once_it_can(
    guarded: Guarded, client: str, lose: Callable[[RedisServer], None], find: Callable[[RedisServer], None]
) -> None:
    server, redis = guarded
    redis.client.flushall()

    lose(redis)
    try:
        statuses = [response.status_code for response in ask(server, client, 130)]
    finally:
        find(redis)
    kept_meanwhile = redis.client.dbsize()
    while not redis.client.exists(f"graphql:bucket:{client}"):
        time.sleep(0.1)
        ask(server, client)
    (again,) = ask(server, client)

    assert kept_meanwhile == 0
    assert 0 < statuses.count(429) <= 30
    # By the bucket in Redis, which is nearly full.
    assert again.status_code == 200
    assert again.json()["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"] >= 98


def test_points_come_back_at_the_rate_and_the_bucket_is_forgotten_when_full() -> None:
    async def spend_wait_spend() -> list[float]:
        first = await spend("test-restore", 10)
        await asyncio.sleep(0.3)
        second = await spend("test-restore", 0)
        await close_async_redis()
        return [first.left, second.left]

    cache_client().delete("graphql:bucket:test-restore")
    with override_settings(GRAPHQL_BUCKET_POINTS=10, GRAPHQL_BUCKET_RESTORE=10):
        first, second = asyncio.run(spend_wait_spend())

    assert first == pytest.approx(0, abs=0.01)
    assert 3 <= second < 8
    assert 0 < int(cache_client().ttl("graphql:bucket:test-restore")) <= 2
