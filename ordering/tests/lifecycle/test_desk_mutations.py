"""The support desk's mutations, as real clients of a real server see them: who may, what is answered, what is shown."""

from decimal import Decimal
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from pymongo.database import Database

from cart.tests.buyer import Buyer
from cart.tests.shop import sell
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from ordering.tests.api import ADVANCE, CHECKOUT, ERRORS, INPUT, PAY, REFUND, everything, refusals
from ordering.tests.people import EMAIL, filled, person
from ordering.tests.shop import reserved
from ordering.tests.staff import trail

SHOWN = """
fragment D on Order {
  id status geozone contact { name email phone } shippingAddress { city }
  tracking { carrier number url } notes { text actor mentions } timeline { id type }
  money { refunded { amount } }
}
"""
ORDER = f"query ($id: ID!) {{ a: order(id: $id) {{ ...D }} }} {SHOWN}"


def mutation(name: str, **arguments: str) -> str:
    declared = "".join(f", ${argument}: {kind}" for argument, kind in arguments.items())
    passed = "".join(f", {argument}: ${argument}" for argument in arguments)
    called = f"a: {name}(order: $order{passed}) {{ order {{ ...D }} {ERRORS} }}"
    return f"mutation ($order: ID!{declared}) {{ {called} }} {SHOWN}"


DETAILS = mutation("orderUpdateDetails", details="OrderDetailsInput!", reason="String!")
MOVE = mutation("orderMoveGeozone", geozone="String!", reason="String!")
NOTE = mutation("orderNoteAdd", text="String!", idempotencyKey="String")
RESEND = mutation("orderResend", event="ID!", email="String")
TRACK = mutation("orderSetTracking", carrier="String!", number="String!")
REFUND_AMOUNT = mutation("orderRefundAmount", amount="Decimal!", reason="String!", reference="String!")
CANCEL_PAID = mutation("orderCancelPaid", reason="String!", reference="String!", putBack="[RefundLineInput!]")
SETTLE = mutation("orderSettleRefund", entry="ID!", reference="String!")

PETR = {"name": "Пётр Иванов", "email": "petr@example.com", "phone": "+7 912 000-45-67"}
CHANGES: list[tuple[str, dict[str, Any]]] = [
    (ADVANCE, {"to": "PROCESSING"}),
    (DETAILS, {"details": {"contact": PETR}, "reason": "звонок"}),
    (MOVE, {"geozone": "spb", "reason": "ближе"}),
    (NOTE, {"text": "позвонить"}),
    (RESEND, {"event": "nonsense"}),
    (TRACK, {"carrier": "СДЭК", "number": "1"}),
]
REFUNDS: list[tuple[str, dict[str, Any]]] = [
    (PAY, {"amount": "7980.00", "reference": "cash-1"}),
    (REFUND, {"lines": [{"productId": "PROD-1", "quantity": 1}], "reason": "сломан", "reference": "r-1"}),
    (REFUND_AMOUNT, {"amount": "1.00", "reason": "извинения", "reference": "g-1"}),
    (CANCEL_PAID, {"reason": "не дождался", "reference": "c-1"}),
    (SETTLE, {"entry": "nonsense", "reference": "s-1"}),
]


def give_right(login: str, *names: str) -> None:
    User.objects.get(email=EMAIL.format(login)).user_permissions.set(Permission.objects.filter(codename__in=names))


@pytest.mark.parametrize(("query", "variables"), [*CHANGES, *REFUNDS])
def test_who_may_not_changes_nothing(
    web: httpx.Client, guest: Buyer, order: str, orders: Database[Document], query: str, variables: dict[str, Any]
) -> None:
    make_demo_accounts()
    before = everything(orders)

    codes = {
        login: refusals((person(web, login) if login else guest).send(query, order=order, **variables))
        for login in ("merchandiser", "customer", "")
    }

    assert codes == {
        "merchandiser": [("FORBIDDEN", None)],
        "customer": [("FORBIDDEN", None)],
        "": [("UNAUTHENTICATED", None)],
    }
    assert (everything(orders), trail(orders)) == (before, [])


@pytest.mark.parametrize(("query", "variables"), REFUNDS)
def test_who_may_only_change_orders_moves_no_money(
    web: httpx.Client, order: str, orders: Database[Document], query: str, variables: dict[str, Any]
) -> None:
    make_demo_accounts()
    give_right("merchandiser", "change_order")
    before = everything(orders)

    assert refusals(person(web, "merchandiser").send(query, order=order, **variables)) == [("FORBIDDEN", None)]
    assert everything(orders) == before


def test_support_corrects_notes_moves_and_the_audit_has_it(
    support: Buyer, guest: Buyer, order: str, orders: Database[Document]
) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=10, spb=5)

    corrected = support.send(DETAILS, order=order, details={"contact": PETR}, reason="звонок")
    moved = support.send(MOVE, order=order, geozone="spb", reason="ближе")
    for _ in range(2):
        noted = support.send(NOTE, order=order, text="@merchandiser есть ещё?", idempotencyKey="k-1")

    assert [answer["userErrors"] for answer in (corrected, moved, noted)] == [[], [], []]
    assert (corrected["order"]["contact"], corrected["order"]["shippingAddress"]["city"]) == (PETR, "Москва")
    assert (moved["order"]["geozone"], reserved(orders, "PROD-1", "spb")) == ("spb", (5, 2))
    agent, colleague = EMAIL.format("support"), EMAIL.format("merchandiser")
    assert noted["order"]["notes"] == [{"text": "@merchandiser есть ещё?", "actor": agent, "mentions": [colleague]}]
    assert guest.send(ORDER, id=order)["notes"] == []
    assert [(entry["action"], entry["actor"], entry["source"]) for entry in trail(orders)] == [
        ("order.details_changed", agent, "api"),
        ("order.geozone_changed", agent, "api"),
        ("order.noted", agent, "api"),
    ]


def test_refusals_name_the_field(support: Buyer, order: str, orders: Database[Document]) -> None:
    before = everything(orders)
    wrong = {"contact": {**PETR, "email": "nobody"}, "shippingAddress": {"city": "", "street": "Баумана, 2"}}

    assert refusals(support.send(DETAILS, order=order, details=wrong, reason="")) == [
        ("REQUIRED", ["reason"]),
        ("INVALID", ["details", "contact", "email"]),
        ("REQUIRED", ["details", "shippingAddress", "city"]),
    ]
    assert refusals(support.send(RESEND, order=order, event="nonsense")) == [("NOT_FOUND", ["event"])]
    assert refusals(support.send(NOTE, order=order, text="")) == [("REQUIRED", ["text"])]
    assert refusals(support.send(CANCEL_PAID, order=order, reason="x", reference="c-1")) == [
        ("ILLEGAL_TRANSITION", ["order"])
    ]
    assert everything(orders) == before


def test_buyer_sees_the_parcel_once_it_is_sent(support: Buyer, guest: Buyer, order: str) -> None:
    support.send(PAY, order=order, amount="7980.00", reference="cash-1")
    support.send(TRACK, order=order, carrier="почта россии", number="80084")
    assert guest.send(ORDER, id=order)["tracking"] is None

    for to in ("PROCESSING", "SHIPPED"):
        support.send(ADVANCE, order=order, to=to)

    assert guest.send(ORDER, id=order)["tracking"] == {
        "carrier": "Почта России",
        "number": "80084",
        "url": "https://www.pochta.ru/tracking?barcode=80084",
    }


def test_support_refunds_up_to_the_limit_and_seniors_beyond(
    web: httpx.Client, support: Buyer, order: str, orders: Database[Document]
) -> None:
    sell("PROD-2", Decimal("49990.00"), msk=2)
    dear = filled(Buyer(web), ("PROD-2", 1)).send(CHECKOUT, input={**INPUT, "expectedTotal": "49990.00"})["order"]["id"]
    support.send(PAY, order=dear, amount="49990.00", reference="cash-1")
    whole = {"order": dear, "reason": "не дождался", "reference": "c-1"}

    assert settings.REFUND_LIMIT == 30_000
    assert refusals(support.send(CANCEL_PAID, **whole)) == [("FORBIDDEN", ["amount"])]
    given = support.send(REFUND_AMOUNT, order=dear, amount="990.00", reason="извинения", reference="g-1")
    assert given["order"]["money"]["refunded"]["amount"] == "990.00"
    give_right("merchandiser", "refund_order", "refund_above_limit")
    cancelled = person(web, "merchandiser").send(CANCEL_PAID, **whole, putBack=[])

    assert (cancelled["userErrors"], cancelled["order"]["status"]) == ([], "REFUNDED")
    assert cancelled["order"]["money"]["refunded"]["amount"] == "49990.00"
    assert reserved(orders, "PROD-2")[0] == 1


def test_staff_without_the_right_see_masked_contacts_and_the_buyer_their_own(
    web: httpx.Client, support: Buyer, guest: Buyer, order: str
) -> None:
    clear = {"name": "Иван Покупатель", "email": "ivan@example.com", "phone": "+7 (999) 123-45-67"}

    shown = [who.send(ORDER, id=order)["contact"] for who in (guest, support, person(web, "merchandiser"))]

    assert shown == [clear, clear, {**clear, "email": "i•••@example.com", "phone": "•••67"}]
