"""Queues of staff: what waits, longest first, and nothing more is read than is shown."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.mongo.reads import run
from gateway.paging import Slice
from ordering.reading import queues
from ordering.reading.queues import QUEUES, Queue, count_of, queues_for, waiting_count, waiting_in
from ordering.tests.bulk import copies, explained, one_bought
from ordering.tests.people import EMAIL

SETTLED: dict[str, Any] = {"unsynced": None, "reserved_until": None, "status": "delivered"}


def waiting(queue: Queue, number: int, shop: Database[Document]) -> list[str]:
    """Makes so many that wait, and as many that are long past it; returns the first, longest waiting first."""
    now = datetime.now(UTC)
    if queue is queues.STRAY:
        money = {"type": "payment", "amount": 1, "currency": "RUB", "order": "?", "reason": "unknown"}
        made = [
            {**money, "_id": f"p:{each}", "at": now - timedelta(hours=each), "reference": str(each), "settled_at": None}
            for each in range(number)
        ]
        settled = [{**each, "_id": f"{each['_id']}-s", "settled_at": now} for each in made]
        shop["stray_money"].insert_many([*made, *settled])
        return [str(each["_id"]) for each in reversed(made)]
    order = one_bought(CUSTOMER)
    shop["orders"].delete_many({})
    template = {key: value for key, value in order.items() if key not in SETTLED}
    fields: dict[str, dict[str, Any]] = {
        "to_pack": {"status": "paid"},
        "to_ship": {"status": "processing"},
        "to_refund": {"status": "cancelled", "to_refund": True},
        "expiring": {"status": "new", "reserved_until": now + timedelta(minutes=5)},
        "letters_given_up": {"status": "paid", "mail_given_up": True},
        "behind": {"status": "paid", "unsynced": {"since": now - timedelta(hours=1), "due": now + timedelta(hours=1)}},
    }
    others: dict[str, dict[str, Any]] = {
        "expiring": {"status": "new", "reserved_until": now + timedelta(hours=1)},
        "behind": {"status": "paid", "unsynced": {"since": now, "due": now}},
    }
    found = copies(shop, template, number, **fields[queue.code])
    copies(shop, template, number, **others.get(queue.code, {"status": "delivered"}))
    return found[::-1]


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: queue.code)
def test_queue_counts_and_shows_what_waits_and_reads_no_more(queue: Queue, orders: Database[Document]) -> None:
    expected = waiting(queue, 12, orders)

    assert count_of(queue) == 12
    statistics, stages = explained(waiting_count(queue))
    assert statistics["totalKeysExamined"] <= 12 + 1  # the key at which the walk stops
    assert statistics["totalDocsExamined"] <= 12
    assert "COLLSCAN" not in stages
    first = run(waiting_in(queue, Slice(5)))
    assert [each["_id"] for each in first.documents] == expected[:5]
    assert first.has_next
    rest = run(waiting_in(queue, Slice(20, beyond=first.placed[-1].position)))
    assert [each["_id"] for each in rest.documents] == expected[5:]
    statistics, stages = explained(waiting_in(queue, Slice(50)))
    assert statistics["totalKeysExamined"] <= 12 + 1
    assert "SORT" not in stages


def test_count_stops_at_a_thousand(orders: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "COUNTED", 7)
    waiting(queues.TO_PACK, 12, orders)

    assert count_of(queues.TO_PACK) == 7


@pytest.mark.parametrize(
    ("login", "codes"),
    [
        ("support", [queue.code for queue in QUEUES]),
        ("merchandiser", ["behind"]),
        ("customer", []),
    ],
)
def test_queue_is_seen_by_whoever_does_its_work(orders: Database[Document], login: str, codes: list[str]) -> None:
    make_demo_accounts()

    assert [queue.code for queue in queues_for(User.objects.get(email=EMAIL.format(login)))] == codes


def test_queue_names_its_list() -> None:
    assert queues.TO_PACK.url == "/admin/ordering/order/?queue=to_pack"
    assert queues.STRAY.url == "/admin/ordering/straymoney/?settled=no"
