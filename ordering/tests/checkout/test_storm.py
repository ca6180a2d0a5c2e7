"""Many buyers, few pieces, and all that can die dies: never one piece too many, never an order lost or made twice."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from pymongo.database import Database
from pymongo.errors import PyMongoError

from cart.tests.shop import CUSTOMER, fill, sell
from deploy.local.start.stack import Stack
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document, client, database
from gateway.mongo.routing import ROUTING
from gateway.mongo.tests.elections import step_down
from gateway.tests.races import python_process, short_transactions
from ordering.checkout.holds import resolve_old_holds, settle_queued
from ordering.tests.buyers import BUYERS, STEPS, WORKERS, last_orders
from ordering.tests.shop import assert_nothing_oversold, buy, buyer, reserved

STOCK = 20
KILLS = 12


@pytest.fixture(scope="module")
def dying(cluster: None) -> Iterator[Callable[[str], int]]:
    """Runs a checkout that dies at the named step; returns how its process ended."""
    with python_process(database(), "-m", "ordering.tests.buyers", "steps") as process:

        def die(step: str) -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            with short_transactions():
                process.stdin.write(f"{step}\n".encode())
                process.stdin.flush()
                return int(process.stdout.readline())

        yield die


@pytest.mark.parametrize("step", STEPS)
def test_checkout_killed_at_any_step_is_completed_by_the_next_and_leaves_nothing_behind(
    orders: Database[Document], dying: Callable[[str], int], step: str
) -> None:
    fill(CUSTOMER, ("PROD-1", 2), ("PROD-2", 1 if step != "after refusal" else 3))

    assert dying(step) == -signal.SIGKILL

    committed = orders["orders"].find_one()
    if step == "after refusal":
        sell("PROD-2", Decimal("49990.00"), msk=3)
    order = buy(CUSTOMER).order

    if step in {"after commit", "before settle"}:
        assert committed is not None
        assert order["_id"] == committed["_id"]
    sweep()
    assert orders["orders"].count_documents({}) == 1
    assert_nothing_oversold(orders)


def test_killed_processes_sell_exactly_what_there_is(orders: Database[Document], tmp_path: Path) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=STOCK)
    owners = [buyer(number) for number in range(BUYERS)]
    for owner in owners:
        fill(owner, ("PROD-1", 1))
    answers = tmp_path / "answers"

    chance = random.Random(3)  # noqa: S311 - the same pauses every time
    with python_process(orders, "-m", "ordering.tests.buyers", "storm", str(answers)) as storming:
        assert storming.stdout is not None
        alive = [int(storming.stdout.readline()) for _ in range(WORKERS)]
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.02, 0.3))
            victim = chance.choice(alive)
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            alive.remove(victim)
            if started := storming.stdout.readline():
                alive.append(int(started))
        storming.wait(timeout=120)

    sweep()
    for owner in owners:
        try_to_buy(owner)
    sweep()
    assert reserved(orders, "PROD-1") == (STOCK, STOCK)
    assert orders["orders"].count_documents({}) == STOCK
    assert_nothing_oversold(orders)
    stored = {order["owner"]: order["_id"] for order in orders["orders"].find()}
    assert all(told == {stored[buyer(number)]} for number, told in last_orders(answers).items())


@pytest.mark.parametrize("trouble", ["primary killed", "step-down", "products move", "orders move", "two sweeps"])
def test_trouble_in_the_cluster_during_a_sale_costs_no_piece_and_no_order(
    orders: Database[Document], stack: Stack, trouble: str
) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=STOCK)
    owners = [buyer(number) for number in range(2 * STOCK)]
    for owner in owners:
        fill(owner, ("PROD-1", 1), ("PROD-2", 1))
    sell("PROD-2", Decimal("49990.00"), msk=3 * STOCK)
    stop = threading.Event()

    with ThreadPoolExecutor(9) as pool:
        buying = [pool.submit(try_to_buy, owner) for owner in owners]
        making = pool.submit(TROUBLES[trouble], stack, stop)
        for each in buying:
            each.result()
        stop.set()
        making.result()

    sweep()
    for owner in owners:
        try_to_buy(owner)
    sweep()
    assert reserved(orders, "PROD-1") == (STOCK, STOCK)
    assert_nothing_oversold(orders)


def kill_primary(stack: Stack, stop: threading.Event) -> None:
    name = stack.primary_of("shard1")
    stack.kill(name)
    stop.wait(4)
    stack.start(name)


def step_down_each(stack: Stack, stop: threading.Event) -> None:
    for shard in ("shard1", "shard2"):
        step_down(stack, shard)
        stop.wait(1)


def move_products(_: Stack, stop: threading.Event) -> None:
    _to_and_fro("products", {"category": "audio", "_id": "PROD-1"}, stop)


def move_orders(_: Stack, stop: threading.Event) -> None:
    _to_and_fro("orders", {"owner": buyer(1)}, stop)


def sweep_twice_at_once(_: Stack, stop: threading.Event) -> None:
    def sweeping() -> None:
        while not stop.is_set():
            sweep()

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(sweeping), pool.submit(sweeping)]:
            each.result()


TROUBLES: dict[str, Callable[[Stack, threading.Event], None]] = {
    "primary killed": kill_primary,
    "step-down": step_down_each,
    "products move": move_products,
    "orders move": move_orders,
    "two sweeps": sweep_twice_at_once,
}


def sweep() -> None:
    """As if every hold were old: the live ones too, whose checkouts are then fenced and try again."""
    settle_queued()
    resolve_old_holds(limit=1_000, now=datetime.now(UTC) + timedelta(minutes=3))


def try_to_buy(owner: str) -> None:
    """As a client does: after an answer that says nothing of the order, ask again; a refusal is an answer."""
    for _ in range(20):
        try:
            buy(owner)
        except DomainError:
            return
        except PyMongoError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"{owner} got no answer")


def _to_and_fro(collection: str, key: Document, stop: threading.Event) -> None:
    name = f"{database().name}.{collection}"
    shards = sorted(shard["_id"] for shard in client().admin.command("listShards")["shards"])
    (home,) = ROUTING.shards_reached(collection, key) or set()
    (away,) = set(shards) - {home}
    for place in (away, home):
        client().admin.command("moveChunk", name, find=key, to=place, _waitForDelete=True)
        ROUTING.refresh(client(), database().name)
        stop.wait(0.2)
