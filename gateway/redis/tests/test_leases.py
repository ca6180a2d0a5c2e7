"""Points that a process takes in advance: few questions to Redis, and never more spent than was there."""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from gateway.redis import leases
from gateway.redis.buckets import Rate, Withdrawal
from gateway.redis.clients import cache_client, close_async_redis
from gateway.redis.leases import LeasedBuckets
from gateway.tests.web_servers import Server

CLIENT = "192.0.2.1"
KEY = f"test:leases:{CLIENT}"
# So slow that nothing comes back within a test.
SLOW = Rate(capacity=100, restore=0.000_001)


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    cache_client().delete(KEY)
    yield
    cache_client().delete(KEY)


def process() -> LeasedBuckets:
    """The buckets as one process knows them."""
    return LeasedBuckets("test:leases")


def take(*wanted: tuple[LeasedBuckets, float], rate: Rate = SLOW) -> list[Withdrawal]:
    async def one_after_the_other() -> list[Withdrawal]:
        taken = [await buckets.take(CLIENT, points, rate) for buckets, points in wanted]
        await close_async_redis()
        return taken

    return asyncio.run(one_after_the_other())


def questions() -> int:
    found: int = cache_client().info("commandstats").get("cmdstat_evalsha", {"calls": 0})["calls"]
    return found


def kept() -> int:
    return round(float(cache_client().hget(KEY, "left") or 0))


def test_most_requests_ask_nobody_and_are_told_what_is_left() -> None:
    buckets = process()
    take((buckets, 0))  # so that Redis knows the script
    cache_client().delete(KEY)
    buckets = process()
    before = questions()

    taken = take(*[(buckets, 1)] * 30)

    assert [round(each.left) for each in taken] == list(range(99, 69, -1))
    # Ten at a time at first, then a tenth of what is left.
    assert questions() - before == 4


def test_every_point_can_be_spent_and_no_other() -> None:
    buckets = process()

    taken = take(*[(buckets, 1)] * 110)

    assert [each.allowed for each in taken] == [True] * 100 + [False] * 10
    assert round(taken[-1].left) == 0


def test_what_was_taken_in_advance_goes_back_before_anything_is_refused() -> None:
    buckets = process()

    first, all_the_rest, nothing = take((buckets, 1), (buckets, 99), (buckets, 1))

    assert (first.allowed, all_the_rest.allowed, nothing.allowed) == (True, True, False)


def test_what_is_not_spent_in_time_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "SECONDS", 0.0)
    buckets = process()

    taken = take((buckets, 1), (buckets, 1))

    assert [round(each.left) for each in taken] == [99, 98]
    assert kept() == 98 - 9


def test_processes_together_spend_what_the_bucket_holds() -> None:
    processes = [process() for _ in range(3)]

    taken = take(*[(each, 1) for _ in range(100) for each in processes])

    assert sum(each.allowed for each in taken) == 100


def test_bucket_that_is_full_again_is_overdrawn_by_a_tenth_for_each_process_at_most() -> None:
    processes = [process() for _ in range(3)]
    for each in processes:
        take((each, 1))
        cache_client().delete(KEY)  # as after the time in which it refills

    taken = take(*[(each, 1) for _ in range(200) for each in processes])

    # Of the ten that each took, one was spent. A tenth of 99 is 9.
    assert sum(each.allowed for each in taken) == 100 + 3 * 9


def test_requests_at_once_keep_what_each_of_them_has_taken() -> None:
    buckets = process()

    async def at_once() -> list[Withdrawal]:
        taken = await asyncio.gather(*(buckets.take(CLIENT, 1, SLOW) for _ in range(4)))
        rest = [await buckets.take(CLIENT, 1, SLOW) for _ in range(110)]
        await close_async_redis()
        return [*taken, *rest]

    assert sum(each.allowed for each in asyncio.run(at_once())) == 100


def test_clients_are_remembered_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "CLIENTS", 5)
    buckets = process()

    async def crowd() -> None:
        for number in range(10):
            await buckets.take(f"crowd-{number}", 1, Rate(100, 100))
        await close_async_redis()

    asyncio.run(crowd())

    assert list(buckets._leases) == [f"crowd-{number}" for number in range(5, 10)]


def test_real_processes_together_serve_what_the_bucket_holds(serve: Callable[..., Server]) -> None:
    tariff = {"GRAPHQL_BUCKET_POINTS": "300", "GRAPHQL_BUCKET_RESTORE": "1", "GRAPHQL_POINTS_PER_MS": "0"}
    servers = [serve(**tariff, SERVER_NUMBER=str(number)) for number in range(3)]
    cache_client().delete("graphql:bucket:10.9.0.1")
    began = time.monotonic()

    def spend_all(server: Server) -> int:
        served = 0
        while (
            server.client.post(
                "/graphql", json={"query": "{ __typename }"}, headers={"x-forwarded-for": "10.9.0.1"}
            ).status_code
            == 200
        ):
            served += 1
        return served

    with ThreadPoolExecutor(3) as pool:
        served = sum(pool.map(spend_all, servers))
    restored = time.monotonic() - began

    assert 300 <= served <= 300 + restored + 1
