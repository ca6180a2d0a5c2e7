"""What strangers may have stored: how much of it, in what form, and what becomes of it when Redis forgets or lies."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import pytest
from django.conf import settings
from django.test import override_settings

from gateway.graphql.documents import persisted_texts
from gateway.graphql.documents.persisted_queries import hash_of
from gateway.graphql.documents.persisted_texts import ENTRY_BYTES, KEYS, SIGNATURE_LENGTH, StoreOutcome, Texts
from gateway.redis.clients import cache_client, close_async_redis
from gateway.tests.redis_servers import RedisServer
from gateway.tests.web_servers import Server

TEXTS, USED, OWNERS, SPENT = KEYS
# Of a text of ten bytes.
COST = ENTRY_BYTES + SIGNATURE_LENGTH + 10

T = TypeVar("T")


def run(action: Coroutine[Any, Any, T]) -> T:
    async def done() -> T:
        try:
            return await action
        finally:
            await close_async_redis()

    return asyncio.run(done())


def text_number(number: int) -> str:
    return f"{{ f{number:06} }}"[:10]


def keep(number: int, client: str = "192.0.2.1") -> StoreOutcome:
    return run(persisted_texts.keep(f"id-{number}", text_number(number), client=client))


def find(number: int) -> str | None:
    return run(persisted_texts.find(f"id-{number}"))


@pytest.fixture
def emptied() -> Iterator[None]:
    """Nothing stored, and patience with Redis: on a busy machine its answer may take long."""
    cache_client().delete(*KEYS)
    with override_settings(REDIS_TIMEOUT=20):
        yield
    cache_client().delete(*KEYS)


@pytest.fixture
def three_each_five_in_all(emptied: None) -> Iterator[None]:
    with override_settings(GRAPHQL_PERSISTED_CLIENT_BYTES=3 * COST, GRAPHQL_PERSISTED_TOTAL_BYTES=5 * COST):
        yield


# ---------------------------------------------------------------- through the web server


class Frugal(NamedTuple):
    server: Server
    redis: RedisServer

    def send(self, *, client: str, sha256: str, query: str | None = None) -> dict[str, Any]:
        content: dict[str, Any] = {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": sha256}}}
        if query is not None:
            content["query"] = query
        answer: dict[str, Any] = self.server.client.post(
            "/graphql", json=content, headers={"x-forwarded-for": client}
        ).json()
        return answer

    def stored(self) -> dict[str, str]:
        return {str(id_): str(text)[SIGNATURE_LENGTH:] for id_, text in self.redis.client.hgetall(TEXTS).items()}


@pytest.fixture(scope="module")
def frugal_server(serve: Callable[..., Server], run_redis: Callable[..., RedisServer]) -> Frugal:
    redis = run_redis()
    budget = 5 * (ENTRY_BYTES + SIGNATURE_LENGTH + 60)
    server = serve(
        REDIS_CACHE_URL=redis.url,
        REDIS_TIMEOUT="20",
        GRAPHQL_PERSISTED_CLIENT_BYTES=str(budget),
        GRAPHQL_PERSISTED_MAX_BYTES="1000",
        GRAPHQL_BUCKET_POINTS="100",
        GRAPHQL_POINTS_PER_MS="0",
        GRAPHQL_BUCKET_RESTORE="1",
    )
    return Frugal(server, redis)


@pytest.fixture
def frugal(frugal_server: Frugal) -> Frugal:
    """A web server with a Redis of its own, emptied, and room for five texts of a client."""
    frugal_server.redis.client.flushall()
    return frugal_server


def new_text(decoration: str = "") -> str:
    """A valid document that nobody has sent before; 55 bytes without the decoration."""
    return f"query Q{uuid.uuid4().hex} {{{decoration} __typename }}"


def test_neither_comments_nor_white_space_are_stored(frugal: Frugal) -> None:
    text = new_text(f"\n   # {'😀' * 3_000}\n,,,\n\t")

    first = frugal.send(client="10.2.0.1", sha256=hash_of(text), query=text)
    then = frugal.send(client="10.2.0.1", sha256=hash_of(text))

    name = text.split()[1]
    assert first["data"] == then["data"] == {"__typename": "Query"}
    assert frugal.stored() == {hash_of(text): f"query {name}{{__typename}}"}


def test_text_is_measured_in_bytes(frugal: Frugal) -> None:
    query = 'query Q%s { product(id: "%s") { name } }'
    fits = query % (uuid.uuid4().hex, "ш" * 400)
    too_long = query % (uuid.uuid4().hex, "😀" * 400)

    for text in (fits, too_long):
        assert frugal.send(client="10.2.0.2", sha256=hash_of(text), query=text)["data"] == {"product": None}

    assert list(frugal.stored()) == [hash_of(fits)]
    assert frugal.send(client="10.2.0.2", sha256=hash_of(too_long))["errors"][0]["message"] == "PersistedQueryNotFound"


def test_beyond_its_budget_a_client_is_served_but_nothing_more_is_stored(frugal: Frugal) -> None:
    texts = [new_text() for _ in range(8)]

    answers = [frugal.send(client="10.2.0.3", sha256=hash_of(text), query=text) for text in texts]
    again = [frugal.send(client="10.2.0.3", sha256=hash_of(text)) for text in texts]
    neighbour = new_text()
    frugal.send(client="10.2.0.4", sha256=hash_of(neighbour), query=neighbour)

    assert [answer["data"] for answer in answers] == [{"__typename": "Query"}] * 8
    assert [answer.get("data") for answer in again[:5]] == [{"__typename": "Query"}] * 5
    assert [answer["errors"][0]["message"] for answer in again[5:]] == ["PersistedQueryNotFound"] * 3
    assert list(frugal.stored()) == [*map(hash_of, texts[:5]), hash_of(neighbour)]
    refused = frugal.server.logged("graphql_text_not_kept")
    assert {line["sha256"] for line in refused} >= {hash_of(text) for text in texts[5:]}


def test_throttled_client_has_nothing_stored(frugal: Frugal) -> None:
    plain = {"query": "{ __typename }"}
    while frugal.server.client.post("/graphql", json=plain, headers={"x-forwarded-for": "10.2.0.5"}).status_code == 200:
        pass
    text = new_text()

    refused = frugal.send(client="10.2.0.5", sha256=hash_of(text), query=text)

    assert refused["errors"][0]["extensions"]["code"] == "THROTTLED"
    assert frugal.stored() == {}


def test_text_that_somebody_changed_in_redis_is_not_executed(frugal: Frugal, serve: Callable[..., Server]) -> None:
    text, other = new_text(), new_text()
    frugal.send(client="10.2.0.6", sha256=hash_of(text), query=text)
    signed = str(frugal.redis.client.hget(TEXTS, hash_of(text)))
    frugal.redis.client.hset(TEXTS, hash_of(other), signed)
    frugal.redis.client.zadd(USED, {hash_of(other): 2_000_000_000})
    frugal.redis.client.hset(TEXTS, hash_of(text), signed.replace("__typename", "geozones{code}"))
    # One that has the text in no memory of its own.
    fresh = Frugal(serve(REDIS_CACHE_URL=frugal.redis.url, REDIS_TIMEOUT="20"), frugal.redis)

    changed = fresh.send(client="10.2.0.6", sha256=hash_of(text))
    moved = fresh.send(client="10.2.0.6", sha256=hash_of(other))
    mended = fresh.send(client="10.2.0.6", sha256=hash_of(text), query=text)

    assert changed["errors"][0]["message"] == moved["errors"][0]["message"] == "PersistedQueryNotFound"
    assert mended["data"] == {"__typename": "Query"}
    assert frugal.redis.client.hget(TEXTS, hash_of(text)) == signed


def test_stored_text_passes_the_limits_of_a_text_that_is_sent(frugal: Frugal) -> None:
    """Stored while the limits were wider, say."""
    long = "{ " + " ".join(f"f{number}" for number in range(4_000)) + " }"
    with override_settings(REDIS_CACHE_URL=frugal.redis.url, REDIS_TIMEOUT=20):
        assert run(persisted_texts.keep("long", long, client="10.2.0.7")) is StoreOutcome.STORED

    refused = frugal.send(client="10.2.0.7", sha256="long")

    assert refused["errors"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"


# ---------------------------------------------------------------- budgets


def test_budget_of_one_client_leaves_the_others_theirs(three_each_five_in_all: None) -> None:
    mine = [keep(number) for number in range(5)]
    others = keep(10, client="192.0.2.2")

    assert mine == [StoreOutcome.STORED] * 3 + [StoreOutcome.OVER_BUDGET] * 2
    assert others is StoreOutcome.STORED
    assert cache_client().hgetall(SPENT) == {"192.0.2.1": str(3 * COST), "192.0.2.2": str(COST), "*": str(4 * COST)}


def test_text_that_is_there_already_costs_nobody_anything(three_each_five_in_all: None) -> None:
    keep(1)

    assert keep(1, client="192.0.2.2") is StoreOutcome.STORED
    assert cache_client().hgetall(SPENT) == {"192.0.2.1": str(COST), "*": str(COST)}


def test_beyond_the_budget_of_all_the_least_recently_used_go(three_each_five_in_all: None) -> None:
    for number in range(5):
        keep(number, client=f"192.0.2.{number}")
    find(0)

    assert [keep(number, client="198.51.100.1") for number in (5, 6)] == [StoreOutcome.STORED] * 2

    assert [number for number in range(7) if find(number)] == [0, 3, 4, 5, 6]
    spent = cache_client().hgetall(SPENT)
    assert spent.pop("*") == str(5 * COST)
    assert spent == {
        "192.0.2.0": str(COST),
        "192.0.2.3": str(COST),
        "192.0.2.4": str(COST),
        "198.51.100.1": str(2 * COST),
    }


def test_text_larger_than_the_budget_of_all_is_not_stored_and_nothing_goes_for_it(three_each_five_in_all: None) -> None:
    keep(1)

    with override_settings(GRAPHQL_PERSISTED_CLIENT_BYTES=10**9):
        kept = run(persisted_texts.keep("large", "x" * 10_000, client="192.0.2.1"))

    assert kept is StoreOutcome.OVER_BUDGET
    assert find(1) == text_number(1)


def test_clients_at_once_stay_within_all_budgets(three_each_five_in_all: None) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: keep(number, client=f"192.0.2.{number % 3}"), range(120)))

    spent = {client: int(cost) for client, cost in cache_client().hgetall(SPENT).items()}
    assert spent.pop("*") == sum(spent.values()) == 5 * COST
    assert max(spent.values()) <= 3 * COST
    assert cache_client().hlen(TEXTS) == cache_client().zcard(USED) == cache_client().hlen(OWNERS) == 5


@pytest.mark.parametrize("evicted", KEYS)
def test_whatever_redis_evicts_by_itself_budgets_begin_anew_and_nothing_is_left_over(
    three_each_five_in_all: None, evicted: str
) -> None:
    for number in range(3):
        keep(number)
    cache_client().delete(evicted)

    found = find(0)
    kept = [keep(number) for number in range(3, 7)]

    assert found is None
    assert kept == [StoreOutcome.STORED] * 3 + [StoreOutcome.OVER_BUDGET]
    assert cache_client().hlen(TEXTS) == cache_client().zcard(USED) == cache_client().hlen(OWNERS) == 3
    assert cache_client().hgetall(SPENT) == {"192.0.2.1": str(3 * COST), "*": str(3 * COST)}


def test_text_that_nobody_asks_for_gives_its_place_back(three_each_five_in_all: None) -> None:
    for number in range(3):
        keep(number)
    long_ago = 1_000_000_000
    cache_client().zadd(USED, {"id-0": long_ago, "id-1": long_ago})

    assert find(0) is None
    assert [keep(number) for number in (3, 4, 5)] == [StoreOutcome.STORED] * 2 + [StoreOutcome.OVER_BUDGET]
    assert cache_client().hlen(TEXTS) == 3


def test_all_keys_expire(three_each_five_in_all: None) -> None:
    keep(1)

    assert all(0 < int(cache_client().ttl(key)) <= settings.GRAPHQL_PERSISTED_SECONDS for key in KEYS)


def test_redis_needs_no_more_than_is_charged(emptied: None) -> None:
    """For the smallest texts, where what is not text counts most."""

    async def fill() -> None:
        for number in range(3_000):
            await persisted_texts.keep(hash_of(str(number)), "{a}", client=f"2001:db8:{number % 50:x}::/64")

    run(fill())

    needed = sum(cache_client().memory_usage(key, samples=0) or 0 for key in KEYS)
    assert 0.5 < needed / int(cache_client().hget(SPENT, "*") or 0) <= 1


# ---------------------------------------------------------------- the memory of a process


def test_memory_of_a_process_is_bounded_by_bytes() -> None:
    memory = Texts(maximum=100_000)

    for number in range(1_000):
        memory.remember(f"id-{number}", "😀" * 1_000)

    assert 90_000 < memory.bytes <= 100_000
    assert 20 < len(memory) < 25
    assert memory.get("id-999") == "😀" * 1_000
    assert memory.get("id-1") is None


def test_memory_keeps_what_was_asked_for_last_and_counts_a_text_once() -> None:
    memory = Texts(maximum=10_000)
    for _ in range(100):
        memory.remember("wanted", "x" * 1_000)
    once = memory.bytes

    for number in range(100):
        memory.get("wanted")
        memory.remember(f"id-{number}", "x" * 1_000)

    assert once < 1_500
    assert memory.get("wanted") == "x" * 1_000
    assert memory.bytes <= 10_000
