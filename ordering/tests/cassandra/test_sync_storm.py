"""Sales, moves and cancellations while all that copies them dies: in the end Cassandra says what MongoDB says."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

import pytest
from django.test import override_settings
from pymongo.database import Database
from pymongo.errors import PyMongoError

from cart.tests.shop import fill, sell
from catalog.cassandra.sync import SYNCED as PRODUCTS
from deploy.local.start.stack import Stack
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.tests.node import answers
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document, database
from gateway.sync.backlog import backlogs, failing
from gateway.sync.reconciliation import reconcile_documents
from gateway.sync.strays import reconcile_strays
from gateway.sync.sweep import sweep_all
from gateway.tests.eventually import eventually
from gateway.tests.races import ROOT, environment_of
from ordering.archive.reconcile import reconcile_orders
from ordering.cassandra.rows import day_of
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER, BY_PAYMENT_SYSTEM
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import cancel_order, move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.tests.shop import buy, buyer
from ordering.tests.staff import ANNA

BUYERS = 60
AT_ONCE = timedelta(seconds=-1)

T = TypeVar("T")


class Worker:
    """A Celery worker that is killed -9 now and then, and started again."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "gateway", "worker", "--pool", "solo"],
                cwd=ROOT,
                env=environment_of(database()),
                stdout=output,
                stderr=output,
            )

    def kill(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


@contextmanager
def worker(log: Path) -> Iterator[Worker]:
    working = Worker(log)
    working.start()
    try:
        yield working
    finally:
        working.kill()


def test_storm_in_which_worker_redis_cassandra_and_a_primary_are_killed_leaves_both_stores_equal(
    orders: Database[Document], stack: Stack, tmp_path: Path
) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=1000)
    owners = [buyer(number) for number in range(BUYERS)]
    for owner in owners:
        fill(owner, ("PROD-1", 1))
    chance = random.Random(7)  # noqa: S311 - the same troubles every time
    lives = [(owner, chance.choice(LIVES)) for owner in owners]

    with worker(tmp_path / "worker.log") as working, ThreadPoolExecutor(5) as pool:
        troubles = pool.submit(_make_trouble, stack, working, chance)
        living = [pool.submit(live, owner) for owner, live in lives]
        troubles.result()
        for each in living:
            each.result()

    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        CONNECTOR.close()
        CIRCUIT.reset()
        eventually(answers, within=60)
        while sweep_all(grace=AT_ONCE):
            pass
        assert failing() == []
        assert [backlog.documents for backlog in backlogs()] == [0, 0]
        stored = cast("list[OrderDocument]", list(orders["orders"].find({}, ["created_at"])))
        days = {day_of(order) for order in stored}
        found = [each for day in days for each in reconcile_orders(day, repair=False, report=_nobody)]
        found += reconcile_documents(PRODUCTS, repair=False, report=_nobody)
        found += reconcile_strays(PRODUCTS, repair=False, report=_nobody)
        assert found == []
    assert orders["orders"].count_documents({}) == BUYERS
    CONNECTOR.close()


def _make_trouble(stack: Stack, working: Worker, chance: random.Random) -> None:
    """In any order, while the shop sells."""

    def worker_dies() -> None:
        working.kill()
        working.start()

    def dies(name: str) -> Callable[[], None]:
        def die() -> None:
            stack.kill(name)
            time.sleep(chance.uniform(0.2, 1.0))
            stack.start(name)

        return die

    deaths = [
        worker_dies,
        worker_dies,
        dies("redis"),
        dies("redis"),
        dies("cassandra"),
        dies(stack.primary_of("shard1")),
    ]
    chance.shuffle(deaths)
    for die in deaths:
        time.sleep(chance.uniform(0.1, 1.0))
        die()


def _is_paid(owner: str) -> str:
    order = _is_bought(owner)
    _until_answered(
        lambda: receive_payment(
            order, IncomingMoney(Decimal("3990.00"), Reference(f"pay-{order}"), "webhook", BY_PAYMENT_SYSTEM)
        )
    )
    return order


def _is_shipped(owner: str) -> None:
    order = _is_paid(owner)
    for status in (OrderStatus.PROCESSING, OrderStatus.SHIPPED):
        # Repeated after a lost answer it is refused: the order has been moved.
        with suppress(DomainError):
            _until_answered(partial(move_order, order, status, who=Who.STAFF, actor=ANNA))


def _is_cancelled(owner: str) -> None:
    order = _is_bought(owner)
    with suppress(DomainError):
        _until_answered(lambda: cancel_order(order, who=Who.BUYER, actor=BY_BUYER, reason="передумал"))


def _is_bought(owner: str) -> str:
    order_id: str = _until_answered(lambda: buy(owner).order["_id"])
    return order_id


LIVES: tuple[Callable[[str], object], ...] = (_is_bought, _is_paid, _is_shipped, _is_cancelled)


def _until_answered(act: Callable[[], T]) -> T:
    """As a client does: an answer that was lost is asked for again."""
    # So that the sale lasts as long as the troubles do.
    time.sleep(random.uniform(0, 1))  # noqa: S311 - a pause
    for _ in range(60):
        try:
            return act()
        except PyMongoError:
            time.sleep(0.2)
    pytest.fail("no answer")


def _nobody(_: int) -> None:
    """Progress has no audience here."""
