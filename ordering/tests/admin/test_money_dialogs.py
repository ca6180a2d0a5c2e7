"""Dialogs about money: what they change in order, stock and audit, what they refuse beside its field, and limits."""

from decimal import Decimal
from functools import partial

import pytest
from django.test import Client, override_settings
from pymongo.database import Database

from gateway.accounts.roles import SENIOR_SUPPORT
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from ordering.documents import OrderDocument
from ordering.ledger.amounts import due_back, paid, refunded
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import State
from ordering.tests.admin.desk import audited, dialog_of, sent, staff_of
from ordering.tests.payments_api import all_orders, expired, ordered, pay, stock, stored
from ordering.tests.shop import reserved

SMALL = override_settings(REFUND_LIMIT=4000)


def last_action(orders: Database[Document], order: OrderDocument) -> tuple[str, str, str]:
    return audited(orders, order["_id"])[-1]


def test_paid_order_is_cancelled_and_part_of_it_put_back(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    assert reserved(orders, "PROD-1") == (8, 0)

    fields = {"put_back_0": "1", "reason": "брак у одного", "reference": "ret-1"}
    assert sent(agent, bought["_id"], "cancel-paid", **fields) == {}

    order = stored(orders, bought)
    assert (order["status"], refunded(order)) == ("refunded", Decimal("7980.00"))
    assert reserved(orders, "PROD-1") == (9, 0)
    assert last_action(orders, bought) == ("order.cancelled", "admin", "брак у одного")


def test_cancelling_offers_to_put_everything_back(agent: Client, bought: OrderDocument) -> None:
    form = agent.get(dialog_of(bought["_id"], "cancel-paid")).context["form"]

    assert [(row.title, row.put_back.value()) for row in form.rows] == [("Наушники Тишина: 2 шт. по 3 990,00 ₽", 2)]


def test_sent_order_is_not_cancelled(agent: Client, bought: OrderDocument, orders: Database[Document]) -> None:
    orders["orders"].update_one({"_id": bought["_id"]}, {"$set": {"status": "shipped"}})

    fields = {"put_back_0": "2", "reason": "поздно", "reference": "ret-1"}
    (told,) = sent(agent, bought["_id"], "cancel-paid", **fields)["__all__"]
    assert told.startswith("Заказ уже отправлен")


def test_refund_by_line_gives_money_and_pieces_back(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    fields = {"quantity_0": "1", "put_back_0": "1", "reason": "не подошли", "reference": " ret  1 "}
    assert sent(agent, bought["_id"], "refund", **fields) == {}

    order = stored(orders, bought)
    assert (order["status"], refunded(order), order["items"][0]["refunded"]) == ("paid", Decimal("3990.00"), 1)
    assert reserved(orders, "PROD-1") == (9, 0)
    assert ledger_of(order)[-1].reference == "ret 1"
    assert last_action(orders, bought)[:2] == ("order.refunded", "admin")


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"quantity_0": "0"}, ["__all__"]),
        ({"quantity_0": "3"}, ["quantity_0"]),
        ({"quantity_0": "один"}, ["quantity_0"]),
        ({"quantity_0": "1", "put_back_0": "2"}, ["put_back_0"]),
        ({"quantity_0": "1", "reason": " "}, ["reason"]),
        ({"quantity_0": "1", "reference": "\u200b"}, ["reference"]),
        ({"quantity_0": "5", "reason": "", "reference": ""}, ["quantity_0", "reason", "reference"]),
    ],
    ids=str,
)
def test_refused_refund_says_why_beside_the_field_and_keeps_what_was_typed(
    agent: Client, bought: OrderDocument, orders: Database[Document], fields: dict[str, str], refused: list[str]
) -> None:
    typed = {"quantity_0": "1", "put_back_0": "0", "reason": "не подошли", "reference": "ret-1", **fields}
    before = all_orders(orders), stock(orders)

    answer = agent.post(dialog_of(bought["_id"], "refund"), typed)

    assert answer.status_code == 200
    form = answer.context["form"]
    assert sorted(form.errors) == sorted(refused)
    assert {name: form[name].value() for name in typed} == typed
    assert (all_orders(orders), stock(orders)) == before


def test_two_agents_refund_the_same_line_and_one_is_told(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    other = staff_of(SENIOR_SUPPORT)
    fields = {"quantity_0": "2", "put_back_0": "2", "reason": "вернули"}

    at_once(
        *[
            partial(client.post, dialog_of(bought["_id"], "refund"), {**fields, "reference": f"ret-{number}"})
            for number, client in enumerate((agent, other))
        ]
    )

    order = stored(orders, bought)
    assert (order["status"], refunded(order), order["items"][0]["refunded"]) == ("refunded", Decimal("7980.00"), 2)
    assert reserved(orders, "PROD-1") == (10, 0)


def test_line_that_a_colleague_has_refunded_is_refused_with_what_was_typed(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    typed = {"quantity_0": "2", "put_back_0": "1", "reason": "не подошли", "reference": "ret-1"}
    assert sent(staff_of(SENIOR_SUPPORT), bought["_id"], "refund", **{**typed, "reference": "ret-0"}) == {}
    before = all_orders(orders), stock(orders)

    answer = agent.post(dialog_of(bought["_id"], "refund"), typed)

    form = answer.context["form"]
    assert form.errors == {"__all__": ["Заказ «возвращён»: он не может стать «возвращён»."]}
    assert {name: form[name].value() for name in typed} == typed
    assert (all_orders(orders), stock(orders)) == before


def test_amount_goes_back_without_goods(agent: Client, bought: OrderDocument, orders: Database[Document]) -> None:
    fields = {"amount": "1 500,50 ₽", "reason": "долго везли", "reference": "ret-1"}
    assert sent(agent, bought["_id"], "refund-amount", **fields) == {}

    order = stored(orders, bought)
    assert (order["status"], refunded(order), order["items"][0]["refunded"]) == ("paid", Decimal("1500.50"), 0)
    assert last_action(orders, bought)[:2] == ("order.refunded", "admin")


@pytest.mark.parametrize(("amount", "told"), [("8 000", "больше оплаченного"), ("-1", "цифрами"), ("0", "Сумма")])
def test_amount_is_limited_by_what_was_paid(
    agent: Client, bought: OrderDocument, orders: Database[Document], amount: str, told: str
) -> None:
    before = all_orders(orders)

    fields = {"amount": amount, "reason": "долго везли", "reference": "ret-1"}
    errors = sent(agent, bought["_id"], "refund-amount", **fields)

    assert told in errors["amount"][0]
    assert all_orders(orders) == before


@SMALL
def test_support_refunds_up_to_the_limit_and_a_senior_above_it(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    fields = {"amount": "4 000,01", "reason": "долго везли", "reference": "ret-1"}
    page = agent.get(dialog_of(bought["_id"], "refund-amount")).content.decode()

    assert "до 4 000,00 ₽" in page.replace("\u00a0", " ").replace("\u202f", " ")
    assert "без старшего можно до" in sent(agent, bought["_id"], "refund-amount", **fields)["amount"][0]
    whole = {"put_back_0": "2", "reason": "отказ", "reference": "ret-2"}
    assert "без старшего можно до" in sent(agent, bought["_id"], "cancel-paid", **whole)["__all__"][0]
    assert refunded(stored(orders, bought)) == 0
    assert sent(staff_of(SENIOR_SUPPORT), bought["_id"], "cancel-paid", **whole) == {}
    assert stored(orders, bought)["status"] == "refunded"


def test_what_is_owed_is_settled_under_a_reference_once(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    pay(unpaid, "8000.00")
    (excess,) = [entry for entry in ledger_of(stored(orders, unpaid)) if entry.state is State.DUE]
    form = agent.get(dialog_of(unpaid["_id"], "settle"), {"entry": excess.id}).context["form"]
    assert form["entry"].value() == excess.id

    assert sent(agent, unpaid["_id"], "settle", entry=excess.id, reference="bank 5") == {}

    order = stored(orders, unpaid)
    assert (due_back(order), order["to_refund"]) == (Decimal(0), False)
    assert last_action(orders, unpaid)[:2] == ("order.repaid", "admin")
    assert set(sent(agent, unpaid["_id"], "settle", entry=excess.id, reference="bank 6")) == {"entry"}


def test_payment_is_recorded_by_hand_once_and_pays_the_order(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    page = agent.get(dialog_of(unpaid["_id"], "record-payment"))
    assert page.context["form"]["amount"].value().replace("\u00a0", " ").replace("\u202f", " ") == "7 980,00"

    for _ in range(2):
        assert sent(agent, unpaid["_id"], "record-payment", amount="7980", reference="касса 7") == {}

    order = stored(orders, unpaid)
    assert (order["status"], paid(order), len(ledger_of(order))) == ("paid", Decimal("7980.00"), 1)
    assert last_action(orders, unpaid)[:2] == ("order.payment_recorded", "admin")
    errors = sent(agent, unpaid["_id"], "record-payment", amount="10", reference="касса 7")
    assert list(errors) == ["reference"]


def test_late_payment_takes_the_stock_again(agent: Client, orders: Database[Document]) -> None:
    order = expired(ordered())

    assert sent(agent, order["_id"], "record-payment", amount="7 980,00", reference="касса 7") == {}

    assert stored(orders, order)["status"] == "paid"


def test_payment_for_an_order_that_waits_for_none_is_pointed_out(agent: Client, bought: OrderDocument) -> None:
    assert "денег не ждёт" in agent.get(dialog_of(bought["_id"], "record-payment")).content.decode()
