"""The page of an order offers what its state and the person's rights allow; whoever lacks the right is refused."""

import pytest
from django.test import Client
from pymongo.database import Database

from gateway.accounts.roles import ANALYSTS, MERCHANDISERS, OPERATORS, SENIOR_SUPPORT, SUPPORT
from gateway.mongo.client import Document
from ordering.admin.dialogs import DIALOGS
from ordering.documents import OrderDocument
from ordering.tests.admin.desk import buttons, dialog_of, page_of, staff_of

ALWAYS = {"record-payment", "note", "resend"}
MONEY_BACK = {"refund", "refund-amount"}
BY_STATUS = {
    "new": ALWAYS | {"details", "geozone", "cancel"},
    "paid": ALWAYS | MONEY_BACK | {"pack", "tracking", "details", "cancel-paid"},
    "processing": ALWAYS | MONEY_BACK | {"ship", "tracking", "details", "cancel-paid"},
    "shipped": ALWAYS | MONEY_BACK | {"deliver", "tracking"},
    "delivered": ALWAYS | MONEY_BACK,
    "cancelled": ALWAYS,
    "expired": ALWAYS,
    "refunded": ALWAYS,
}
NEEDS_REFUNDING = {"refund", "refund-amount", "cancel-paid", "settle", "record-payment"}


@pytest.mark.parametrize(("status", "expected"), BY_STATUS.items(), ids=list(BY_STATUS))
def test_buttons_follow_the_status(
    agent: Client,
    bought: OrderDocument,
    unpaid: OrderDocument,
    orders: Database[Document],
    status: str,
    expected: set[str],
) -> None:
    order = unpaid if status in ("new", "cancelled", "expired") else bought
    orders["orders"].update_one({"_id": order["_id"]}, {"$set": {"status": status}})

    assert set(buttons(agent, order["_id"])) == expected


def test_the_next_step_is_the_first_button(agent: Client, bought: OrderDocument) -> None:
    assert buttons(agent, bought["_id"])[0] == "pack"
    page = agent.get(page_of(bought["_id"])).content.decode()
    assert '<a class="desk-button is-next" href="' in page
    assert page.count("is-next") == 1


@pytest.mark.parametrize(
    ("role", "may_change", "may_refund"),
    [
        (SUPPORT, True, True),
        (SENIOR_SUPPORT, True, True),
        (MERCHANDISERS, False, False),
        (ANALYSTS, False, False),
        (OPERATORS, False, False),
    ],
)
def test_dialogs_are_for_those_who_have_the_right(
    agent: Client, bought: OrderDocument, orders: Database[Document], role: str, may_change: bool, may_refund: bool
) -> None:
    client = staff_of(role)
    before = orders["orders"].find_one({"_id": bought["_id"]})

    for dialog in (each for each in DIALOGS if each.name != "contacts"):
        allowed = may_refund if dialog.name in NEEDS_REFUNDING else may_change
        expected = 200 if allowed else 403
        address = dialog_of(bought["_id"], dialog.name)
        assert (dialog.name, client.get(address).status_code) == (dialog.name, expected)
        # Empty: a form is refused, and nothing is done.
        assert (dialog.name, client.post(address, {"reason": ""}).status_code) in (
            (dialog.name, expected),
            (dialog.name, 302),
        )
        if not allowed:
            assert dialog.name not in buttons(client, bought["_id"])
    if not may_change:
        assert orders["orders"].find_one({"_id": bought["_id"]}) == before


def test_no_form_of_django_changes_an_order(agent: Client, bought: OrderDocument, orders: Database[Document]) -> None:
    before = list(orders["orders"].find())

    assert agent.post(page_of(bought["_id"]), {"status": "shipped"}).status_code == 403
    assert agent.get("/admin/ordering/order/add/").status_code == 403
    assert agent.post("/admin/ordering/order/add/", {"status": "paid"}).status_code == 403
    assert agent.post(f"/admin/ordering/order/{bought['_id']}/delete/", {"post": "yes"}).status_code == 403
    assert list(orders["orders"].find()) == before


def test_order_that_is_not_there_has_no_page_and_no_dialogs(agent: Client, orders: Database[Document]) -> None:
    assert agent.get(page_of("nothing")).status_code == 404
    assert agent.get(dialog_of("nothing", "pack")).status_code == 404
