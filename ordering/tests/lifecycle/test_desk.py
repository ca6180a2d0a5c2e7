"""What staff correct and add: contact and address, geozone, notes, tracking, and many orders at once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

import pytest
from pymongo.database import Database

from cart.tests.shop import sell
from catalog.tests.shop import raised
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.mongo.reads import run
from gateway.paging import Slice
from gateway.tests.races import at_once, just_before, paused_process
from ordering.checkout.holds import resolve_old_holds
from ordering.documents import OrderDocument
from ordering.lifecycle import geozone
from ordering.lifecycle.batch import advance_orders
from ordering.lifecycle.contacts import AddressDetails, ContactDetails
from ordering.lifecycle.details import Details, update_details
from ordering.lifecycle.geozone import move_to_geozone
from ordering.lifecycle.moves import advance_order
from ordering.lifecycle.notes import add_note
from ordering.lifecycle.tracking import set_tracking, shown_tracking
from ordering.models import OrderStatus
from ordering.reading.lookup import lookup
from ordering.stock.check import find_differences
from ordering.stock.debts import pay_overdue
from ordering.tests.payments_api import all_orders, assert_orders_and_stock_agree, ordered, pay, stock, stored
from ordering.tests.people import EMAIL
from ordering.tests.shop import reserved
from ordering.tests.staff import ANNA, BORIS, told, trail

PETR = ContactDetails("Пётр Иванов", " petr@example.com ", "8 912 000-45-67")
HOME = AddressDetails("Казань", "Баумана, 2")

MOVE = """
from ordering.lifecycle.geozone import move_to_geozone
from ordering.tests.staff import ANNA
move_to_geozone({order_id!r}, "spb", reason="ближе", actor=ANNA)
"""
ADVANCE = """
from ordering.lifecycle.moves import advance_order
from ordering.models import OrderStatus
from ordering.tests.staff import ANNA
advance_order({order_id!r}, OrderStatus.PROCESSING, actor=ANNA)
"""


@pytest.fixture
def two_places(orders: Database[Document]) -> Database[Document]:
    """PROD-1 is sold in St Petersburg too."""
    sell("PROD-1", Decimal("3990.00"), msk=10, spb=5)
    return orders


def sweep(database: Database[Document]) -> None:
    """What is left by whoever died, two minutes later."""
    for order in database["orders"].find({"stock_due.0": {"$exists": True}}):
        owed = [{**each, "at": each["at"] - timedelta(minutes=2)} for each in order["stock_due"]]
        database["orders"].update_one({"_id": order["_id"]}, {"$set": {"stock_due": owed}})
    resolve_old_holds(limit=100, now=datetime.now(UTC) + timedelta(minutes=3))
    pay_overdue(limit=100)


def move(order: OrderDocument, to: str = "spb") -> OrderDocument:
    return move_to_geozone(order["_id"], to, reason="ближе", actor=ANNA)


def found(text: str) -> list[str]:
    return [order["_id"] for order in run(lookup(text, Slice(10))).documents]


def test_what_staff_do_and_its_entry_in_the_audit_are_one_write(orders: Database[Document]) -> None:
    order = pay(ordered())
    before = all_orders(orders)

    with paused_process(orders, ADVANCE.format(order_id=order["_id"]), command="insert", collection="audit") as process:
        process.kill()
        process.wait()
    assert (all_orders(orders), trail(orders)) == (before, [])

    advance_order(order["_id"], OrderStatus.PROCESSING, actor=ANNA, note="на сборку")
    assert told(orders) == [("order.advanced", "anna", {"status": ["paid", "processing"]}, "на сборку")]
    (entry,) = trail(orders)
    assert (entry["target"], entry["actor_id"], entry["source"]) == (f"order:{order['_id']}", "a", "admin")


def test_of_two_who_advance_at_once_one_is_told_and_one_stands_in_the_audit(orders: Database[Document]) -> None:
    order = pay(ordered())

    results = at_once(
        *[partial(advance_order, order["_id"], OrderStatus.PROCESSING, actor=each) for each in (ANNA, BORIS)]
    )

    assert sum(isinstance(result, DomainError) for result in results) == 1
    assert len(trail(orders)) == 1
    assert stored(orders, order)["events"][-1]["actor"] == trail(orders)[0]["actor"]


def test_batch_moves_those_it_can_and_says_why_not_the_others(orders: Database[Document]) -> None:
    paid, unpaid = pay(ordered()), ordered()

    outcomes = advance_orders(
        [paid["_id"], unpaid["_id"], "nonsense", paid["_id"]], OrderStatus.PROCESSING, actor=ANNA._replace(step="s-1")
    )

    assert [(each.order_id, each.order and each.order["status"]) for each in outcomes] == [
        (paid["_id"], "processing"),
        (unpaid["_id"], None),
        ("nonsense", None),
    ]
    assert [each.refusal and each.refusal.code.value for each in outcomes] == [None, "ILLEGAL_TRANSITION", "NOT_FOUND"]
    assert [entry["step"] for entry in trail(orders)] == ["s-1"]


def test_corrected_contact_is_found_and_written_to(orders: Database[Document]) -> None:
    order = ordered()

    update_details(order["_id"], Details(PETR, HOME), reason="ошибка в адресе", actor=ANNA)
    after = update_details(order["_id"], Details(PETR, HOME), reason="ещё раз", actor=BORIS)

    assert after["contact"] == {"name": "Пётр Иванов", "email": "petr@example.com", "phone": "8 912 000-45-67"}
    assert after["shipping_address"]["city"] == "Казань"
    assert after["events"][-1]["type"] == "details_changed"
    assert (found("petr@example.com"), found("4567 иванов"), found("ivan@example.com")) == ([order["_id"]],) * 2 + ([],)
    ((action, actor, changes, reason),) = told(orders)
    assert (action, actor, reason) == ("order.details_changed", "anna", "ошибка в адресе")
    assert changes["contact_email"] == ["i•••@example.com", "p•••@example.com"]
    assert changes["contact_name"] == ["Иван Покупатель", "Пётр Иванов"]
    assert changes["address_city"] == ["Москва", "Казань"]


def test_two_who_correct_different_parts_at_once_both_do(orders: Database[Document]) -> None:
    order = ordered()

    at_once(
        partial(update_details, order["_id"], Details(PETR, None), reason="звонок", actor=ANNA),
        partial(update_details, order["_id"], Details(None, HOME), reason="письмо", actor=BORIS),
    )

    after = stored(orders, order)
    assert (after["contact"]["name"], after["shipping_address"]["city"]) == ("Пётр Иванов", "Казань")
    assert sorted(entry["actor"] for entry in trail(orders)) == ["anna", "boris"]


def test_details_that_cannot_be_or_come_too_late_change_nothing(orders: Database[Document]) -> None:
    order = pay(ordered())
    for status in (OrderStatus.PROCESSING, OrderStatus.SHIPPED):
        advance_order(order["_id"], status, actor=ANNA)
    before = all_orders(orders)
    nobody = ContactDetails("", "not an address", "1")

    assert raised(lambda: update_details(order["_id"], Details(PETR, None), reason="поздно", actor=ANNA)) == [
        ("ILLEGAL_TRANSITION", ("order",))
    ]
    assert raised(lambda: update_details(order["_id"], Details(nobody, None), reason=" ", actor=ANNA)) == [
        ("REQUIRED", ("reason",)),
        ("REQUIRED", ("contact", "name")),
        ("INVALID", ("contact", "email")),
        ("INVALID", ("contact", "phone")),
    ]
    assert all_orders(orders) == before


def test_unpaid_order_moves_with_its_reservation_and_its_prices(two_places: Database[Document]) -> None:
    order = stored(two_places, ordered())

    moved = move(order)
    again = move(order)

    assert (moved["geozone"], moved["total"], moved["reserved_until"]) == (
        "spb",
        order["total"],
        order["reserved_until"],
    )
    assert again["version"] == moved["version"]
    assert (reserved(two_places, "PROD-1"), reserved(two_places, "PROD-1", "spb")) == ((10, 0), (5, 2))
    assert told(two_places) == [("order.geozone_changed", "anna", {"geozone": ["msk", "spb"]}, "ближе")]
    assert_orders_and_stock_agree(two_places)
    pay(order)
    assert reserved(two_places, "PROD-1", "spb") == (3, 0)


def test_order_that_moves_there_and_back_keeps_one_reservation(two_places: Database[Document]) -> None:
    order = ordered()

    for to in ("spb", "msk", "spb"):
        move(order, to)
    sweep(two_places)

    assert (reserved(two_places, "PROD-1"), reserved(two_places, "PROD-1", "spb")) == ((10, 0), (5, 2))
    assert_orders_and_stock_agree(two_places)


@pytest.mark.parametrize(
    ("command", "collection", "number", "geozone"),
    [
        ("findAndModify", "orders", 1, "msk"),
        ("insert", "audit", 1, "msk"),
        ("update", "products", 2, "spb"),
        ("update", "orders", 1, "spb"),
        ("update", "products", 3, "spb"),
    ],
)
def test_killed_while_it_moves_the_order_has_its_reservation_where_it_is(
    two_places: Database[Document], command: str, collection: str, number: int, geozone: str
) -> None:
    order = ordered()
    code = MOVE.format(order_id=order["_id"])

    with paused_process(two_places, code, command=command, collection=collection, number=number) as process:
        process.kill()
        process.wait()
    assert list(find_differences()) == []
    sweep(two_places)

    assert stored(two_places, order)["geozone"] == geozone
    assert {place: reserved(two_places, "PROD-1", place)[1] for place in ("msk", "spb")} == {
        "msk": 2 if geozone == "msk" else 0,
        "spb": 2 if geozone == "spb" else 0,
    }
    assert_orders_and_stock_agree(two_places)
    assert move(order)["geozone"] == "spb"
    assert_orders_and_stock_agree(two_places)


def test_order_that_is_paid_while_it_moves_stays_where_it_is(
    two_places: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ordered()
    just_before(monkeypatch, geozone, "change_order", lambda: pay(order))

    assert raised(lambda: move(order)) == [("ILLEGAL_TRANSITION", ("order",))]

    assert (reserved(two_places, "PROD-1"), reserved(two_places, "PROD-1", "spb")) == ((8, 0), (5, 0))
    assert trail(two_places) == []


def test_two_who_move_it_at_once_move_it_once(two_places: Database[Document]) -> None:
    order = ordered()

    at_once(*[partial(move, order)] * 3)

    assert (reserved(two_places, "PROD-1"), reserved(two_places, "PROD-1", "spb")) == ((10, 0), (5, 2))
    assert len(trail(two_places)) == 1
    assert_orders_and_stock_agree(two_places)


def test_geozone_that_is_short_or_unknown_or_too_late_changes_nothing(two_places: Database[Document]) -> None:
    many, paid = ordered(("PROD-1", 6)), pay(ordered(), reference="evt-2")
    before = (all_orders(two_places), stock(two_places))

    assert raised(lambda: move(many)) == [("OUT_OF_STOCK", ("geozone",))]
    assert raised(lambda: move(many, "nowhere")) == [("NOT_FOUND", ("geozone",))]
    assert raised(lambda: move(paid)) == [("ILLEGAL_TRANSITION", ("order",))]

    assert all_orders(two_places) == before[0]
    assert [each["stock"] for each in stock(two_places)] == [each["stock"] for each in before[1]]


def test_note_mentions_colleagues_and_is_added_once_under_its_key(orders: Database[Document]) -> None:
    make_demo_accounts()
    order = stored(orders, ordered())
    text = f"@support и @{EMAIL.format('merchandiser')}, позвоните; @customer не из наших, a@support тоже."

    add_note(order["_id"], text, actor=ANNA, key="k-1")
    after = add_note(order["_id"], text, actor=ANNA, key=" k-1 ")

    (note,) = after["notes"] or []
    assert (note["text"], note["actor"]) == (text, "anna")
    assert note["mentions"] == [EMAIL.format("support"), EMAIL.format("merchandiser")]
    assert (after["updated_at"], after["events"]) == (order["updated_at"], order["events"])
    assert told(orders) == [("order.noted", "anna", {"note": [None, text]}, "")]


def test_notes_written_at_once_are_all_kept(orders: Database[Document]) -> None:
    order = ordered()

    at_once(*[partial(add_note, order["_id"], f"заметка {each}", actor=ANNA) for each in range(4)])

    notes = stored(orders, order)["notes"] or []
    assert sorted(note["text"] for note in notes) == [f"заметка {each}" for each in range(4)]
    assert len(trail(orders)) == 4
    assert raised(lambda: add_note(order["_id"], " \u200b ", actor=ANNA)) == [("REQUIRED", ("text",))]


def test_tracking_is_shown_once_the_order_is_sent(orders: Database[Document]) -> None:
    order = pay(ordered())

    early = set_tracking(order["_id"], "cdek", " 10 2030 ", actor=ANNA)
    again = set_tracking(order["_id"], "СДЭК", "10 2030", actor=BORIS)

    assert early["tracking"] == {
        "carrier": "СДЭК",
        "number": "10 2030",
        "url": "https://www.cdek.ru/ru/tracking/?order_id=10%202030",
    }
    assert (again["version"], shown_tracking(early)) == (early["version"], None)
    assert told(orders) == [("order.tracked", "anna", {"tracking": [None, "СДЭК 10 2030"]}, "")]
    for status in (OrderStatus.PROCESSING, OrderStatus.SHIPPED):
        sent = advance_order(order["_id"], status, actor=ANNA)
    assert shown_tracking(sent) == early["tracking"]


def test_tracking_of_an_unpaid_order_or_with_a_link_is_refused(orders: Database[Document]) -> None:
    order = ordered()
    before = all_orders(orders)

    assert raised(lambda: set_tracking(order["_id"], "СДЭК", "1", actor=ANNA)) == [("ILLEGAL_TRANSITION", ("order",))]
    assert raised(lambda: set_tracking(order["_id"], "", "http://example.com", actor=ANNA)) == [
        ("REQUIRED", ("carrier",)),
        ("INVALID", ("number",)),
    ]
    assert all_orders(orders) == before
