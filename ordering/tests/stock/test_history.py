"""The history of a product's stock tells each change once, as it was, whoever made it and whatever dies."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

import pytest
from pymongo.database import Database

from catalog.products.cards import ProductKey
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.stock.book import enter_receipts, oldest_line
from catalog.stock.history import HistoryEntry, HistoryPart, stock_history
from catalog.stock.reservations import Purpose, marked_before
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run
from gateway.paging import Position
from gateway.tests.races import at_once
from ordering.checkout.holds import forget_receipts
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.refunds import Refunding, refund_order
from ordering.stock.debts import RECEIPTS_KEPT
from ordering.tests.payments_api import expired, ordered, pay
from ordering.tests.shop import buyer

HEADPHONES = ProductKey("audio", "PROD-1")
LATER = datetime.now(UTC) + timedelta(hours=1)


class Told(NamedTuple):
    geozone: str
    counted: int
    reserved: int
    left: int | None


def history(size: int = 50, beyond: Position | None = None) -> HistoryPart:
    return stock_history(HEADPHONES, size, beyond)


def whole_history(size: int) -> list[HistoryEntry]:
    """All pages, the oldest first."""
    found: list[HistoryEntry] = []
    part = history(size)
    while part.beyond:
        assert len(part.entries) <= size
        found += part.entries
        part = history(size, part.beyond)
    return [*found, *part.entries][::-1]


def told(entries: list[HistoryEntry]) -> list[Told]:
    return [Told(*level) for entry in entries for level in entry.levels]


def levels(database: Database[Document]) -> dict[str, tuple[int, int]]:
    product = database["products"].find_one({"_id": HEADPHONES.id})
    assert product is not None
    return {level["geozone"]: (level["quantity"], level["reserved"]) for level in product["stock"]}


def sweep() -> int:
    return forget_receipts(limit=100, now=datetime.now(UTC) + 2 * RECEIPTS_KEPT)


def cancel(order: OrderDocument) -> None:
    move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)


def give_back(order: OrderDocument, lines: int, put_back: int, reference: str) -> None:
    refunding = Refunding(
        (RefundLine("PROD-1", lines),), "не подошли", Reference(reference), {"PROD-1": put_back}, MARINA
    )
    refund_order(order["_id"], refunding)


class Story:
    """A shop at random: each step is noted as what it was seen to do to the shelf."""

    def __init__(self, database: Database[Document], seed: int) -> None:
        self.database = database
        self.chance = random.Random(seed)  # noqa: S311 - a story, no secret
        self.unpaid: list[OrderDocument] = []
        self.paid: list[OrderDocument] = []
        self.noted: list[Told] = []
        self.number = 0

    def step(self) -> None:
        steps: list[Callable[[], None]] = [self.buy, self.adjust]
        steps += [self.pay, self.cancel] if self.unpaid else []
        steps += [self.refund] if self.paid else []
        before = levels(self.database)
        self.number += 1
        self.chance.choice(steps)()
        for geozone, (quantity, reserved) in levels(self.database).items():
            was, was_reserved = before.get(geozone, (0, 0))
            # What buyers reserve is no line: it is let go, or sold.
            if quantity != was or reserved < was_reserved:
                self.noted.append(Told(geozone, quantity - was, reserved - was_reserved, quantity))

    def buy(self) -> None:
        self.unpaid.append(ordered(("PROD-1", self.chance.randint(1, 3)), owner=buyer(self.number)))

    def adjust(self) -> None:
        if self.chance.random() < 0.5:
            adjust_stock("PROD-1", "msk", delta=self.chance.randint(1, 5), actor=MARINA, reason="поставка")
        else:
            upsert_product(draft(stock=(StockDraft("spb", self.number),)), actor=MARINA)

    def pay(self) -> None:
        order = self.unpaid.pop(self.chance.randrange(len(self.unpaid)))
        self.paid.append(pay(order, str(order["total"]), f"pay-{self.number}"))

    def cancel(self) -> None:
        cancel(self.unpaid.pop(self.chance.randrange(len(self.unpaid))))

    def refund(self) -> None:
        order = self.paid.pop(self.chance.randrange(len(self.paid)))
        give_back(order, order["items"][0]["quantity"], self.chance.randint(0, 1), f"re-{self.number}")


@pytest.mark.parametrize("seed", [1, 2])
def test_history_of_a_random_story_is_what_was_seen_on_the_shelf(orders: Database[Document], seed: int) -> None:
    adjust_stock("PROD-1", "msk", quantity=60, actor=MARINA, reason="поставка")
    known = len(told(whole_history(50)))
    story = Story(orders, seed)

    for _ in range(16):
        story.step()
        if story.chance.random() < 0.3:
            sweep()

    assert told(whole_history(50))[known:] == story.noted
    assert whole_history(3) == whole_history(50)


def test_each_way_back_is_told_with_its_order_and_what_was_left(orders: Database[Document]) -> None:
    known = len(whole_history(50))
    sold = pay(ordered(("PROD-1", 3)), "11970.00")
    give_back(sold, 2, 1, "re-1")
    late = expired(ordered(("PROD-1", 2), owner=buyer(1)))

    found = whole_history(50)[known:]

    assert told(found) == [Told("msk", -3, -3, 7), Told("msk", 1, 0, 8), Told("msk", 0, -2, 8)]
    assert [entry.order_id for entry in found] == [sold["_id"], sold["_id"], late["_id"]]


def test_history_is_the_same_before_and_after_the_receipts_went(orders: Database[Document]) -> None:
    pay(ordered())
    cancel(ordered(owner=buyer(1)))
    before = whole_history(50)

    assert sweep() == 2

    assert orders["stock_movements"].count_documents({}) == 2
    assert whole_history(50) == before


def test_line_entered_by_a_sweep_that_died_is_told_once(orders: Database[Document]) -> None:
    pay(ordered())
    before = whole_history(50)
    # All that it did before it died: the receipts still stand.
    enter_receipts([(each.key, each.holds) for each in marked_before(LATER, (Purpose.RECEIPT,), limit=10)])

    assert whole_history(50) == before
    assert sweep() == 1
    assert whole_history(50) == before


def test_sweeps_at_once_enter_each_line_once(orders: Database[Document]) -> None:
    for number in range(3):
        cancel(ordered(("PROD-1", 1), owner=buyer(number)))
    before = whole_history(50)

    at_once(*[sweep] * 6)

    assert orders["stock_movements"].count_documents({}) == 3
    assert whole_history(50) == before


def test_receipt_of_an_earlier_release_is_taken_away_and_is_no_line(orders: Database[Document]) -> None:
    pay(ordered())
    untold = {f"holds.0.{name}": "" for name in ("geozone", "counted", "reserved", "left")}
    orders["products"].update_one({"_id": "PROD-1"}, {"$unset": untold})

    assert sweep() == 1

    assert orders["stock_movements"].count_documents({}) == 0
    assert run(oldest_line()) is None


def test_page_of_prices_alone_is_bounded_and_leads_on(orders: Database[Document]) -> None:
    first = orders["audit"].find_one({"target": "product:PROD-1"})
    assert first is not None
    entry = {**first, "action": "product.changed", "changes": {"base_price": ["1.00", "2.00"]}}
    del entry["_id"]
    later = datetime.now(UTC)
    orders["audit"].insert_many([{**entry, "at": later + timedelta(milliseconds=each)} for each in range(520)])

    part = history(10)

    assert part.entries == []
    assert part.beyond is not None
    assert told(history(10, part.beyond).entries) == [Told("msk", 10, 0, 10)]


def test_page_of_the_history_is_three_reads_of_one_shard_each(orders: Database[Document]) -> None:
    pay(ordered())
    sweep()
    beyond = history(1).beyond

    with COMMANDS.counted() as sent:
        history(10, beyond)

    assert dict(sent) == {
        Sent("find", "products", "staff.list", 1): 1,
        Sent("find", "stock_movements", "staff.list", 1): 1,
        Sent("find", "audit", "audit", 1): 1,
    }


def test_buyers_at_once_leave_a_history_without_a_gap(orders: Database[Document]) -> None:
    bought = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(4)]
    known = len(whole_history(50))

    at_once(
        *[partial(pay, order, "3990.00", f"pay-{number}") for number, order in enumerate(bought)],
        partial(adjust_stock, "PROD-1", "msk", delta=5, actor=MARINA, reason="поставка"),
    )

    found = told(whole_history(50)[known:])
    assert sorted(each.counted for each in found) == [-1, -1, -1, -1, 5]
    # However they met: each found what another had left, and none the same.
    assert {(each.left or 0) - each.counted for each in found} == {10, *(each.left for each in found)} - {11}
    assert levels(orders)["msk"] == (11, 0)
