"""/healthz and /readyz of a real web server while its dependencies are killed, and what a read says meanwhile."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from pymongo.database import Database
from pytest_django import Settings

from catalog.demo.geozones import load_geozones
from deploy.local.start.stack import Stack
from gateway.mongo.client import Document
from gateway.tests.eventually import eventually
from gateway.web.health import REPORT_SECONDS, HealthReport, State, check_dependencies

QUERY = {"query": "{ geozones { code } }"}
ANSWER = {"geozones": [{"code": code} for code in ("msk", "spb", "ekb", "kzn", "nsk")]}


@pytest.fixture(autouse=True)
def geozones(database: Database[Document]) -> None:
    load_geozones()


@contextmanager
def killed(stack: Stack, *names: str) -> Iterator[None]:
    for name in names:
        stack.kill(name)
    try:
        yield
    finally:
        for name in names:
            stack.start(name)


def states(web: httpx.Client) -> tuple[int, str, dict[str, str]]:
    response = web.get("/readyz")
    report = response.json()
    return (
        response.status_code,
        report["status"],
        {name: dependency["state"] for name, dependency in report["dependencies"].items()},
    )


ALL_UP = (200, "ok", {"mongodb": "up", "cassandra": "up", "redis": "up", "redis_cache": "up"})


def test_page_says_what_cassandra_has_still_to_be_told_of(web: httpx.Client, database: Database[Document]) -> None:
    nothing = {"owed": 0, "lag_seconds": 0.0, "failing": 0}
    eventually(lambda: web.get("/readyz").json()["copies"], {"products": nothing, "orders": nothing}, within=30)

    since = datetime.now(UTC) - timedelta(minutes=1)
    mark = {"since": since, "due": since, "failures": 2, "error": "ValueError: no"}
    database["orders"].insert_one({"_id": "owed", "owner": "u:1", "version": 1, "synced_version": 0, "unsynced": mark})

    def owed() -> tuple[int, int, bool, bool]:
        copies = web.get("/readyz").json()["copies"]
        orders = copies["orders"]
        return orders["owed"], orders["failing"], orders["lag_seconds"] >= 60, copies["products"] == nothing

    eventually(owed, (1, 1, True, True), within=30)


def test_process_lives(web: httpx.Client) -> None:
    response = web.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_every_dependency_is_up_with_its_latency(web: httpx.Client) -> None:
    eventually(lambda: states(web), ALL_UP, within=30)

    report = web.get("/readyz").json()

    assert all(dependency["latency_ms"] > 0 for dependency in report["dependencies"].values())


def test_many_who_ask_at_once_share_one_check(web: httpx.Client) -> None:
    def ask(_: int) -> str:
        return httpx.get(f"{web.base_url}/readyz", timeout=20).text

    with ThreadPoolExecutor(20) as callers:
        reports = Counter(callers.map(ask, range(60)))

    # Latencies are measured anew by each check; sixty requests take seconds on a busy machine.
    assert len(reports) < 15


def test_check_that_hangs_is_waited_for_by_all_and_repeated_by_nobody() -> None:
    async def ask_often() -> tuple[int, int, int]:
        begun, answers = 0, asyncio.Event()

        async def check() -> State:
            nonlocal begun
            begun += 1
            await answers.wait()
            return {"status": "ok", "check": begun}

        report = HealthReport(check)
        callers = [asyncio.create_task(report.state()) for _ in range(50)]
        await asyncio.sleep(1.5 * REPORT_SECONDS)
        callers += [asyncio.create_task(report.state()) for _ in range(50)]
        # One who goes away does not take the check with it.
        callers.pop(0).cancel()
        await asyncio.sleep(0)
        while_it_hung = begun
        answers.set()
        told = {state["check"] for state in await asyncio.gather(*callers, report.state())}
        await asyncio.sleep(1.5 * REPORT_SECONDS)
        return while_it_hung, len(told), (await report.state())["check"]

    assert asyncio.run(ask_often()) == (1, 1, 2)


def test_killed_shard_primary_leaves_the_shop_ready_and_reading(web: httpx.Client, stack: Stack) -> None:
    with killed(stack, stack.primary_of("shard1"), stack.primary_of("shard2")):
        assert web.post("/graphql", json=QUERY).json()["data"] == ANSWER
        eventually(lambda: states(web), ALL_UP, within=30)
    eventually(lambda: states(web), ALL_UP, within=30)


def test_killed_mongos_leaves_the_shop_ready_and_reading(web: httpx.Client, stack: Stack) -> None:
    for mongos in ("mongos-1", "mongos-2"):
        with killed(stack, mongos):
            assert web.post("/graphql", json=QUERY).json()["data"] == ANSWER
            eventually(lambda: states(web)[:2], (200, "ok"), within=30)


def test_killed_redis_degrades_and_reads_go_on(web: httpx.Client, stack: Stack) -> None:
    with killed(stack, "redis"):
        eventually(lambda: states(web), (200, "degraded", {**ALL_UP[2], "redis": "down"}), within=30)
        assert web.post("/graphql", json=QUERY).json()["data"] == ANSWER
    eventually(lambda: states(web), ALL_UP, within=30)


def test_killed_cache_degrades_and_reads_go_on(web: httpx.Client, stack: Stack) -> None:
    with killed(stack, "cache"):
        eventually(lambda: states(web), (200, "degraded", {**ALL_UP[2], "redis_cache": "down"}), within=30)
        assert web.post("/graphql", json=QUERY).json()["data"] == ANSWER
    eventually(lambda: states(web), ALL_UP, within=30)


def test_killed_cassandra_degrades_and_reads_go_on_and_sessions_are_kept_by_redis(
    web: httpx.Client, stack: Stack
) -> None:
    def kept() -> tuple[str, str]:
        sessions = web.get("/readyz").json()["sessions"]
        return sessions["state"], sessions["kept_in"]

    eventually(kept, ("up", "cassandra and redis"), within=30)
    with killed(stack, "cassandra"):
        eventually(lambda: states(web), (200, "degraded", {**ALL_UP[2], "cassandra": "down"}), within=30)
        assert web.post("/graphql", json=QUERY).json()["data"] == ANSWER
        eventually(kept, ("degraded", "redis"), within=30)
        with killed(stack, "redis"):
            eventually(kept, ("down", "nowhere"), within=30)
    with killed(stack, "redis"):
        eventually(kept, ("degraded", "cassandra"), within=30)
    eventually(kept, ("up", "cassandra and redis"), within=30)
    eventually(lambda: states(web), ALL_UP, within=30)


def test_sessions_in_redis_alone_are_no_fault_when_cassandra_is_not_configured(settings: Settings) -> None:
    settings.CASSANDRA_CONTACT_POINTS = []

    report = asyncio.run(check_dependencies())

    assert report["status"] == "ok"
    assert report["dependencies"]["cassandra"] == {"state": "not configured"}
    assert report["sessions"] == {"state": "up", "kept_in": "redis"}


def test_without_mongodb_the_shop_shows_what_cassandra_has_and_without_both_it_is_unavailable(
    web: httpx.Client, stack: Stack
) -> None:
    with killed(stack, "mongos-1", "mongos-2"):
        eventually(lambda: states(web), (200, "degraded", {**ALL_UP[2], "mongodb": "down"}), within=30)
        with killed(stack, "cassandra"):
            eventually(
                lambda: states(web),
                (503, "unavailable", {**ALL_UP[2], "mongodb": "down", "cassandra": "down"}),
                within=30,
            )
            assert web.get("/healthz").status_code == 200
    eventually(lambda: states(web), ALL_UP, within=30)


def test_mongos_without_shards_is_no_database(web: httpx.Client, stack: Stack) -> None:
    """A ping would still succeed; readiness is judged by a read."""
    with killed(stack, *stack.members_of("shard1"), *stack.members_of("shard2")):
        eventually(lambda: states(web), (200, "degraded", {**ALL_UP[2], "mongodb": "down"}), within=30)
    eventually(lambda: states(web), ALL_UP, within=30)
