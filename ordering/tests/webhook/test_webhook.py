"""The payment system's calls over HTTP: what is believed, what is refused, and each event once."""

import json
from decimal import Decimal
from functools import partial
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.test import override_settings
from pymongo.database import Database

from gateway.mongo.client import Document
from gateway.tests.races import at_once
from ordering.events import BY_BUYER
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.tests.payments_api import (
    all_orders,
    assert_orders_and_stock_agree,
    call,
    done,
    event_body,
    expired,
    ordered,
    posted,
    received,
    signature,
    stock,
    stored,
)
from ordering.tests.shop import reserved
from ordering.webhook.endpoint import MAX_BODY_BYTES
from ordering.webhook.signature import HEADER, sign

OTHER_SECRET = "another-secret-of-the-payment-system"


def test_signed_payment_makes_the_order_paid_and_writes_its_stock_off(
    orders: Database[Document], web: httpx.Client
) -> None:
    order = ordered()

    assert posted(web, event_body(order)) == done(order, "paid")

    after = stored(orders, order)
    assert received(after) == [("evt-1", "7980.00", "0.00")]
    assert [(event["type"], event["actor"], event["note"]) for event in after["events"]] == [
        ("created", "buyer", ""),
        ("moved", "payments", "evt-1"),
    ]
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


def test_repeated_event_is_answered_alike_and_changes_nothing(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()
    posted(web, event_body(order))
    before = (all_orders(orders), stock(orders))

    # The same bytes under the same signature, and signed anew.
    body = event_body(order)
    header = {HEADER: signature(body)}
    answers = [web.post("/payments/webhook", content=body, headers=header).json() for _ in range(2)]
    assert [*answers, posted(web, body)[1]] == [done(order, "paid")[1]] * 3
    assert [order["money"] for order in all_orders(orders)] == [order["money"] for order in before[0]]
    assert [order["version"] for order in all_orders(orders)] == [2]
    assert stock(orders) == before[1]


def test_many_deliveries_of_one_event_at_once_are_one_payment(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()

    answers = at_once(*[partial(posted, web, event_body(order)) for _ in range(10)])

    assert answers == [done(order, "paid")] * 10
    assert received(stored(orders, order)) == [("evt-1", "7980.00", "0.00")]
    assert reserved(orders, "PROD-1") == (8, 0)


def test_two_events_at_once_are_both_recorded_and_one_is_to_refund(
    orders: Database[Document], web: httpx.Client
) -> None:
    order = ordered()

    answers = at_once(*[partial(posted, web, event_body(order, id=f"evt-{each}")) for each in range(2)])

    assert answers == [done(order, "paid")] * 2
    after = stored(orders, order)
    assert sorted(reference for reference, _, _ in received(after)) == ["evt-0", "evt-1"]
    assert [surplus for _, _, surplus in received(after)] == ["0.00", "7980.00"]
    assert after["to_refund"] is True
    assert reserved(orders, "PROD-1") == (8, 0)


@pytest.mark.parametrize("sequence", [("a", "b", "c"), ("c", "b", "a"), ("b", "a", "b", "c", "a")], ids="-".join)
def test_parts_pay_the_order_in_whatever_order_they_arrive(
    orders: Database[Document], sequence: tuple[str, ...]
) -> None:
    order = ordered()
    amounts = {"a": "1000.00", "b": "2980.00", "c": "4000.00"}

    for each in sequence:
        call(event_body(order, id=each, amount=amounts[each]))

    after = stored(orders, order)
    assert after["status"] == "paid"
    assert sorted(received(after)) == [(name, amount, "0.00") for name, amount in sorted(amounts.items())]
    assert reserved(orders, "PROD-1") == (8, 0)


def test_payment_of_a_cancelled_order_is_taken_and_marked_to_be_refunded(orders: Database[Document]) -> None:
    order = ordered()
    move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)

    assert call(event_body(order)) == done(order, "cancelled")

    after = stored(orders, order)
    assert received(after) == [("evt-1", "7980.00", "7980.00")]
    assert after["to_refund"] is True
    assert reserved(orders, "PROD-1") == (10, 0)


def test_payment_of_an_expired_order_takes_the_stock_again(orders: Database[Document]) -> None:
    order = expired(ordered())

    assert call(event_body(order)) == done(order, "paid")
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


def test_order_may_be_named_by_its_number_in_any_grouping_and_by_its_id(orders: Database[Document]) -> None:
    order = ordered()

    answers = [
        call(event_body(order, id=str(index), order=name, amount="1.00"))
        for index, name in enumerate([order["number"], order["number"].replace("-", " "), order["_id"]])
    ]

    assert answers == [done(order, "new")] * 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": None}, "id: a text of 1 to 100 characters"),
        ({"id": ""}, "id: a text of 1 to 100 characters"),
        ({"id": " "}, "id: a text of 1 to 100 characters"),
        ({"id": "e" * 101}, "id: a text of 1 to 100 characters"),
        ({"id": 7}, "id: a text of 1 to 100 characters"),
        ({"id": "evt\ud800"}, "id: a text of 1 to 100 characters"),
        ({"id": "evt\n1"}, "id: a text of 1 to 100 characters"),
        ({"type": None}, "type: a text of 1 to 100 characters"),
        ({"order": None}, "order: a text of 1 to 100 characters"),
        ({"order": {"number": "1"}}, "order: a text of 1 to 100 characters"),
        ({"amount": None}, "amount: a text of 1 to 20 characters"),
        ({"amount": 7980.0}, "amount: a text of 1 to 20 characters"),
        ({"amount": "7980.001"}, 'amount: a string such as "123.45"'),
        ({"amount": "-7980.00"}, 'amount: a string such as "123.45"'),
        ({"amount": "7980,00"}, 'amount: a string such as "123.45"'),
        ({"amount": "1e3"}, 'amount: a string such as "123.45"'),
        ({"amount": "NaN"}, 'amount: a string such as "123.45"'),
        ({"amount": "٧٩"}, 'amount: a string such as "123.45"'),
        ({"amount": "0.00"}, "amount: An amount is not below zero and has at most two decimals."),
        ({"currency": None}, "currency: a text of 1 to 3 characters"),
        ({"currency": "USD"}, "currency: the order is in RUB"),
    ],
    ids=str,
)
def test_bad_field_is_refused_and_nothing_changes(
    orders: Database[Document], changes: dict[str, Any], message: str
) -> None:
    order = ordered()
    before = (all_orders(orders), stock(orders))

    assert call(event_body(order, **changes)) == (400, {"error": {"code": "INVALID", "message": message}})
    assert (all_orders(orders), stock(orders)) == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not JSON"),
        (b"id=evt-1", "the body is not JSON"),
        (b"\xff\xfe", "the body is not JSON"),
        (b"[" * 15_000, "the body is not JSON"),
        (b"[]", "the body is not an object"),
    ],
    ids=["empty", "form", "bytes", "deep", "list"],
)
def test_body_that_is_no_event_is_refused(orders: Database[Document], body: bytes, message: str) -> None:
    assert call(body) == (400, {"error": {"code": "INVALID", "message": message}})


NO_TIME = "the signature has no time"
NOT_FITTING = "the signature does not fit the body"
OTHER_TIME = "the signature is of another time"


def forged(body: bytes, kind: str) -> str:
    good = signature(body)
    time_part, _, digest = good.partition(",v1=")
    return {
        "none": "",
        "garbage": "garbage",
        "no time": f"v1={digest}",
        "two times": f"{time_part},{good}",
        "time that is no number": f"t=soon,v1={digest}",
        "time in other digits": f"t=١٢,v1={digest}",
        "no digest": time_part,
        "empty digest": f"{time_part},v1=",
        "digest that is not ASCII": f"{time_part},v1=é",
        "half a digest": good[:-32],
        "upper case": f"{time_part},v1={digest.upper()}",
        "another version": f"{time_part},v0={digest}",
        "another secret": signature(body, secret=OTHER_SECRET),
        "empty secret": signature(body, secret=""),
        "another time in the header": f"t={int(time_part[2:]) + 1},v1={digest}",
        "another body": signature(body.replace(b"7980.00", b"0001.00")),
        "too old": signature(body, late=settings.PAYMENT_WEBHOOK_SECONDS + 60),
        "from the future": signature(body, late=-settings.PAYMENT_WEBHOOK_SECONDS - 60),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("none", NO_TIME),
        ("garbage", NO_TIME),
        ("no time", NO_TIME),
        ("two times", NO_TIME),
        ("time that is no number", NO_TIME),
        ("time in other digits", NO_TIME),
        ("no digest", NOT_FITTING),
        ("empty digest", NOT_FITTING),
        ("digest that is not ASCII", NOT_FITTING),
        ("half a digest", NOT_FITTING),
        ("upper case", NOT_FITTING),
        ("another version", NOT_FITTING),
        ("another secret", NOT_FITTING),
        ("empty secret", NOT_FITTING),
        ("another time in the header", NOT_FITTING),
        ("another body", NOT_FITTING),
        ("too old", OTHER_TIME),
        ("from the future", OTHER_TIME),
    ],
)
def test_bad_signature_is_refused_and_nothing_changes(orders: Database[Document], kind: str, message: str) -> None:
    order = ordered()
    body = event_body(order)
    before = (all_orders(orders), stock(orders))

    refused = call(body, forged(body, kind))

    assert refused == (401, {"error": {"code": "BAD_SIGNATURE", "message": message}})
    assert (all_orders(orders), stock(orders)) == before


def test_real_server_refuses_a_call_without_signature(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()
    before = all_orders(orders)

    assert web.post("/payments/webhook", content=event_body(order)).status_code == 401
    assert all_orders(orders) == before


def test_while_a_secret_is_replaced_both_are_accepted(orders: Database[Document]) -> None:
    order = ordered()
    body = event_body(order, amount="1.00")

    with override_settings(PAYMENT_WEBHOOK_SECRETS=[OTHER_SECRET, settings.DEVELOPMENT_PAYMENT_SECRET]):
        assert call(body, signature(body)) == done(order, "new")
        assert call(body, signature(body, secret=OTHER_SECRET)) == done(order, "new")
    # The sender may also sign with both.
    at = int(signature(body).partition(",")[0][2:])
    both = f"{sign(body, 'nobody knows this', at)},{sign(body, OTHER_SECRET, at).partition(',')[2]}"
    with override_settings(PAYMENT_WEBHOOK_SECRETS=[OTHER_SECRET]):
        assert call(body, both) == done(order, "new")
        assert call(body, signature(body))[0] == 401


def test_without_secrets_nobody_is_believed(orders: Database[Document]) -> None:
    order = ordered()
    body = event_body(order)

    with override_settings(PAYMENT_WEBHOOK_SECRETS=[]):
        assert call(body, signature(body, secret=""))[0] == 401
    assert stored(orders, order)["money"] == []


@pytest.mark.parametrize("order_name", ["4829-130-752", "4829-130-751", "nothing", "0" * 10, "018f" * 8])
def test_money_for_an_unknown_order_is_kept_for_staff_and_no_order_changes(
    orders: Database[Document], order_name: str
) -> None:
    order = ordered()
    before = all_orders(orders)

    assert call(event_body(order, order=order_name)) == (200, {"result": "unmatched", "order": order_name})
    assert all_orders(orders) == before
    assert [stray["amount"].to_decimal() for stray in orders["stray_money"].find()] == [Decimal("7980.00")]


def test_other_types_of_events_are_ignored(orders: Database[Document]) -> None:
    order = ordered()
    before = all_orders(orders)

    assert call(event_body(order, type="payment.refunded")) == (200, {"result": "ignored"})
    assert call(json.dumps({"type": "ping"}).encode()) == (200, {"result": "ignored"})
    assert all_orders(orders) == before


def test_same_event_with_another_amount_is_a_conflict_and_nothing_changes(orders: Database[Document]) -> None:
    order = ordered()
    call(event_body(order))
    before = (all_orders(orders), stock(orders))

    refused = call(event_body(order, amount="7981.00"))

    message = 'reference: Something else is recorded under "evt-1" already: 7,980.00 RUB.'
    assert refused == (409, {"error": {"code": "CONFLICT", "message": message}})
    assert (all_orders(orders), stock(orders)) == before


def test_body_above_the_limit_is_refused_and_one_at_the_limit_is_not(
    orders: Database[Document], web: httpx.Client
) -> None:
    order = ordered()
    body = event_body(order, padding="")
    largest = event_body(order, padding="x" * (MAX_BODY_BYTES - len(body)))

    status, answer = posted(web, largest + b" ")

    assert (status, answer["error"]["code"]) == (413, "TOO_LARGE")
    assert stored(orders, order)["money"] == []
    assert posted(web, largest) == done(order, "paid")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_only_post_is_answered(web: httpx.Client, method: str) -> None:
    answer = web.request(method, "/payments/webhook")

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
