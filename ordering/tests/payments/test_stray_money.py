"""Money that the payment system tells of and that fits no order: kept once, shown to staff, settled by one of them."""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.test import Client
from pymongo.database import Database

from catalog.tests.shop import raised
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once
from ordering.ledger.references import Reference
from ordering.payments.stray_money import settle_stray
from ordering.tests.payments_api import call, event_body, ordered
from ordering.tests.staff import ANNA, BORIS, MARINA

LIST = "/admin/ordering/straymoney/"
NOBODYS = "4829-130-752"
ID = "payment.succeeded:evt-1"
PAGE = f"{LIST}{quote(ID)}/change/"


def told(**changes: Any) -> tuple[int, Any]:
    return call(event_body({"number": NOBODYS}, **changes))


def strays(database: Database[Document]) -> list[Document]:
    return list(database["stray_money"].find())


@pytest.fixture
def stray(orders: Database[Document]) -> Document:
    make_demo_accounts()
    told()
    (kept,) = strays(orders)
    return kept


def test_repeated_event_is_kept_once_and_answered_alike(orders: Database[Document]) -> None:
    answers = at_once(*[partial(told) for _ in range(6)])

    assert answers == [(200, {"result": "unmatched", "order": NOBODYS})] * 6
    (kept,) = strays(orders)
    assert (kept["type"], kept["reference"], kept["amount"].to_decimal(), kept["order"], kept["reason"]) == (
        "payment.succeeded",
        "evt-1",
        Decimal("7980.00"),
        NOBODYS,
        "unknown",
    )
    assert kept["settled_at"] is None


@pytest.mark.parametrize("changes", [{"amount": "1.00"}, {"order": "4829-130-753"}, {"currency": "USD"}], ids=str)
def test_same_event_with_other_contents_is_a_conflict(
    orders: Database[Document], stray: Document, changes: dict[str, str]
) -> None:
    status, answer = told(**changes)

    assert (status, answer["error"]["code"]) == (409, "CONFLICT")
    assert strays(orders) == [stray]


def test_refund_and_chargeback_of_an_unknown_order_are_kept_too(orders: Database[Document]) -> None:
    told(type="refund.succeeded", reference="re-1")
    told(type="chargeback.created", reference="cb-1")

    assert sorted(stray["_id"] for stray in strays(orders)) == ["chargeback.created:cb-1", "refund.succeeded:re-1"]


def test_event_without_signature_is_not_kept(orders: Database[Document]) -> None:
    assert call(event_body({"number": NOBODYS}), "t=1,v1=00")[0] == 401
    assert strays(orders) == []


def test_two_who_settle_it_at_once_settle_it_once(orders: Database[Document], stray: Document) -> None:
    settled = at_once(*[partial(settle_stray, ID, Reference(each.name), actor=each) for each in (ANNA, BORIS)])

    refused = [result for result in settled if isinstance(result, DomainError)]
    assert len(refused) == 1
    (after,) = strays(orders)
    assert after["settled_by"] == after["settled_reference"]
    winner = next(each for each in (ANNA, BORIS) if each.name == after["settled_by"])
    settle_stray(ID, Reference(after["settled_by"]), actor=winner)
    assert raised(lambda: settle_stray(ID, Reference("other"), actor=MARINA)) == [("CONFLICT", ("settled_reference",))]
    assert strays(orders) == [after]


def test_support_sees_and_settles_it(orders: Database[Document], stray: Document) -> None:
    client = signed_in("support")

    listed = client.get(LIST, {"settled": "no"}).content.decode()
    refused = client.post(PAGE, {"settled_reference": " \u200b "})
    assert (NOBODYS in listed, refused.status_code, strays(orders)) == (True, 200, [stray])

    assert client.post(PAGE, {"settled_reference": " ref\u00a07 "}).status_code == 302

    (after,) = strays(orders)
    assert (after["settled_by"], after["settled_reference"]) == ("support@mobile-world.example", "ref 7")
    assert NOBODYS not in client.get(LIST, {"settled": "no"}).content.decode()
    assert client.post(PAGE, {"settled_reference": "again"}).status_code == 403
    assert strays(orders) == [after]


def test_merchandiser_sees_it_and_settles_nothing(orders: Database[Document], stray: Document) -> None:
    client = signed_in("merchandiser")

    assert client.get(LIST).status_code == 200
    assert client.post(PAGE, {"settled_reference": "r"}).status_code == 403
    assert Client().get(LIST).status_code == 302
    assert strays(orders) == [stray]


def test_money_of_an_order_that_is_known_is_no_stray(orders: Database[Document]) -> None:
    call(event_body(ordered()))

    assert strays(orders) == []
