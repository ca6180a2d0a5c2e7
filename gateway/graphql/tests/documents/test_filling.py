"""A stranger who tries to fill Redis through the API, with the cache a few megabytes small."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from celery import Celery

from gateway.graphql.documents.persisted_queries import hash_of
from gateway.graphql.documents.persisted_texts import KEYS
from gateway.tests.redis_servers import RedisServer
from gateway.tests.web_servers import Server

# 10 MB of texts as they are sent: more than twice what the cache may hold.
DOCUMENTS = 700
EMOJI = "😀" * 3_500
CACHE_BYTES = 4_000_000
CLIENT_BYTES = 200_000
TOTAL_BYTES = 1_000_000
LOGIN = 'mutation ($email: String!) { login(email: $email, password: "guessed") { userErrors { code } } }'


class Attacked(NamedTuple):
    server: Server
    broker: RedisServer
    cache: RedisServer

    def post(self, content: dict[str, Any], client: str) -> Any:
        return self.server.client.post("/graphql", json=content, headers={"x-forwarded-for": client}).json()

    def store(self, decoration: str, client: str) -> Any:
        """Have a document stored that nobody has sent before."""
        text = f"query Q{uuid.uuid4().hex} {{ __typename {decoration} }}"
        extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of(text)}}
        return self.post({"query": text, "extensions": extensions}, client)


@pytest.fixture(scope="module")
def attacked(serve: Callable[..., Server], run_redis: Callable[..., RedisServer]) -> Attacked:
    broker = run_redis("--maxmemory", "8mb", "--maxmemory-policy", "noeviction")
    cache = run_redis("--maxmemory", str(CACHE_BYTES), "--maxmemory-policy", "allkeys-lru")
    server = serve(
        REDIS_URL=broker.url,
        CELERY_BROKER_URL=broker.url,
        REDIS_CACHE_URL=cache.url,
        REDIS_TIMEOUT="20",
        GRAPHQL_PERSISTED_CLIENT_BYTES=str(CLIENT_BYTES),
        GRAPHQL_PERSISTED_TOTAL_BYTES=str(TOTAL_BYTES),
        GRAPHQL_BUCKET_POINTS="100",
        GRAPHQL_POINTS_PER_MS="0",
        GRAPHQL_BUCKET_RESTORE="1000",
        SIGN_IN_FAILURES_PER_ACCOUNT="3",
    )
    return Attacked(server, broker, cache)


def used_bytes(redis: RedisServer) -> int:
    used: int = redis.client.info("memory")["used_memory"]
    return used


def test_comments_of_emoji_from_one_address_fill_nothing(attacked: Attacked) -> None:
    broker_before = used_bytes(attacked.broker)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: attacked.store(f"\n# {EMOJI}\n", client="10.4.0.1"), range(DOCUMENTS)))

    served = [answer for answer in answers if answer.get("data") == {"__typename": "Query"}]
    stored = attacked.cache.client.hgetall(KEYS[3])
    assert len(served) == DOCUMENTS
    assert stored == {"10.4.0.1": stored["*"], "*": stored["*"]}
    assert CLIENT_BYTES * 0.9 < int(stored["*"]) <= CLIENT_BYTES
    assert_cache_serves_and_broker_is_untouched(attacked, broker_before)


def test_texts_from_many_addresses_stay_within_the_budget_of_all(attacked: Attacked) -> None:
    broker_before = used_bytes(attacked.broker)
    # No comment, so that all of it counts: 12 kB each.
    decoration = " ".join(f"a{number}: __typename" for number in range(14)) + ' product(id: "%s") { name }'

    with ThreadPoolExecutor(4) as pool:
        list(
            pool.map(lambda number: attacked.store(decoration % ("x" * 11_000), client=f"10.5.{number}.1"), range(200))
        )

    spent = int(attacked.cache.client.hget(KEYS[3], "*") or 0)
    assert TOTAL_BYTES * 0.9 < spent <= TOTAL_BYTES
    assert attacked.cache.client.info("stats")["evicted_keys"] == 0
    assert_cache_serves_and_broker_is_untouched(attacked, broker_before)


def test_cache_that_is_full_of_anything_else_evicts_and_goes_on(attacked: Attacked) -> None:
    broker_before = used_bytes(attacked.broker)

    for number in range(600):
        attacked.cache.client.set(f"anything:{number}", "x" * 10_000)

    assert attacked.cache.client.info("stats")["evicted_keys"] > 0
    assert_cache_serves_and_broker_is_untouched(attacked, broker_before)
    assert attacked.store("", client="10.7.0.1")["data"] == {"__typename": "Query"}
    assert attacked.cache.client.hget(KEYS[3], "10.7.0.1") is not None


def assert_cache_serves_and_broker_is_untouched(attacked: Attacked, broker_before: int) -> None:
    """The broker has no key and takes tasks; points and failures to sign in are still counted in Redis."""
    assert used_bytes(attacked.cache) < CACHE_BYTES * 1.1
    assert attacked.broker.client.dbsize() == 0
    assert used_bytes(attacked.broker) - broker_before < 200_000
    client = f"10.6.{uuid.uuid4().int % 250}.{uuid.uuid4().int % 250}"
    attacked.post({"query": "{ __typename }"}, client)
    assert attacked.cache.client.exists(f"graphql:bucket:{client}") == 1
    login = {"query": LOGIN, "variables": {"email": f"{client}@example.com"}}
    codes = [attacked.post(login, client)["data"]["login"]["userErrors"][0]["code"] for _ in range(5)]
    assert codes == ["BAD_CREDENTIALS"] * 3 + ["RATE_LIMITED"] * 2
    assert attacked.server.logged("redis_away") == []
    with Celery(broker=attacked.broker.url, set_as_current=False) as app:
        app.send_task("gateway.tasks.sync_sweep", retry=False)
    assert attacked.broker.client.llen("celery") == 1
    attacked.broker.client.flushall()
