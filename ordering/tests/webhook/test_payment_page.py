"""Where a frontend sends the buyer to pay; and the page that pays in development, with both of its outcomes."""

import os
import re
import subprocess
import sys
from typing import Any

import httpx
from django.conf import settings
from django.test import Client, override_settings
from pymongo.database import Database

from cart.tests.buyer import Buyer
from gateway.mongo.client import Document
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.ledger.amounts import payable
from ordering.lifecycle.moves import cancel_order
from ordering.lifecycle.transitions import Who
from ordering.tests.api import CHECKOUT, INPUT
from ordering.tests.payments_api import all_orders, expired, ordered, pay, stored
from ordering.webhook.payment_page import PageReference, is_signed, payment_page

ORIGIN = "http://shop.example"
PAYMENT = "query ($id: ID!) { a: order(id: $id) { payment { due { amount currency } url } } }"


def page_of(order: OrderDocument) -> str:
    """The address of the page without the host, where the buyer pays what is due."""
    address = payment_page(order, payable(order), origin=ORIGIN)
    assert address
    assert address.startswith(f"{ORIGIN}/payments/page?")
    return address.removeprefix(ORIGIN)


def posted(page: str, outcome: str, language: str = "ru") -> tuple[int, str]:
    """As a browser does that has seen the page: with the form's token."""
    browser = Client(enforce_csrf_checks=True, headers={"accept-language": language})
    form = browser.get(page).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
    answer = browser.post(page, {"outcome": outcome, "csrfmiddlewaretoken": token[1] if token else ""})
    return answer.status_code, told(answer.content.decode())


def told(page: str) -> str:
    found = re.search(r'role="status">(.*?)</p>', page)
    return found[1] if found else ""


def test_buyer_is_sent_to_the_page_until_nothing_is_due(guest: Buyer, orders: Database[Document]) -> None:
    bought = guest.send(CHECKOUT, input=INPUT)["order"]
    order = stored(orders, orders["orders"].find_one() or {})

    part = pay(order, "980.00", "evt-1")
    due = guest.send(PAYMENT, id=bought["id"])["payment"]
    pay(order, "7000.00", "evt-2")
    settled = guest.send(PAYMENT, id=bought["id"])["payment"]

    assert due["due"] == {"amount": "7000.00", "currency": "RUB"}
    url = httpx.URL(due["url"])
    assert dict(url.params) == {
        "order": part["number"],
        "amount": "7000.00",
        "currency": "RUB",
        "signature": url.params["signature"],
    }
    assert settled == {"due": {"amount": "0.00", "currency": "RUB"}, "url": None}


def test_nothing_is_due_of_a_closed_order(orders: Database[Document]) -> None:
    late = expired(ordered())
    cancelled = cancel_order(ordered()["_id"], who=Who.BUYER, actor=BY_BUYER, reason="")

    assert [payable(order) for order in (stored(orders, late), cancelled)] == [0, 0]


def test_without_a_page_buyers_are_sent_nowhere(orders: Database[Document]) -> None:
    order = ordered()

    with override_settings(PAYMENT_PAGE_URL=""):
        assert payment_page(order, payable(order), origin=ORIGIN) is None


def test_reference_is_signed_under_any_secret_of_the_payment_system(orders: Database[Document]) -> None:
    order = ordered()
    with override_settings(PAYMENT_PAGE_URL="https://pay.example/start", PAYMENT_WEBHOOK_SECRETS=["new", "old"]):
        address = httpx.URL(payment_page(order, payable(order), origin=ORIGIN) or "")

    *named, signature = (address.params[name] for name in (*PageReference._fields, "signature"))
    reference = PageReference(*named)

    assert str(address).startswith("https://pay.example/start?")
    with override_settings(PAYMENT_WEBHOOK_SECRETS=["newer", "new"]):
        assert is_signed(reference, signature)
        assert not is_signed(reference._replace(amount="1.00"), signature)
        assert not is_signed(reference._replace(order="4829-130-752"), signature)
        assert not is_signed(reference, "é")
    with override_settings(PAYMENT_WEBHOOK_SECRETS=["other"]):
        assert not is_signed(reference, signature)


def test_page_pays_what_is_due_once(orders: Database[Document]) -> None:
    order = ordered()
    page = page_of(order)
    both = [Client(enforce_csrf_checks=True) for _ in range(2)]

    assert posted(page, "pay") == (200, "Оплата прошла.")

    paid = stored(orders, order)
    assert (paid["status"], len(paid["money"])) == ("paid", 1)
    assert [told(browser.get(page).content.decode()) for browser in both] == ["Этот заказ оплаты не ждёт."] * 2
    assert posted(page, "pay") == (403, "")  # without a form there is no token
    assert stored(orders, order) == paid


def test_declined_payment_changes_nothing_and_can_be_tried_again(orders: Database[Document]) -> None:
    order = ordered()
    before = all_orders(orders)

    answer = posted(page_of(order), "decline", "en")

    assert answer == (200, "The payment was declined; the order waits for another try.")
    assert all_orders(orders) == before
    assert posted(page_of(order), "pay") == (200, "Оплата прошла.")


def test_page_refuses_other_sites_forged_links_and_stale_amounts(orders: Database[Document]) -> None:
    order = ordered()
    page = page_of(order)
    other_site = Client(enforce_csrf_checks=True).post(page, {"outcome": "pay"})
    forged = Client().get(page.replace("7980.00", "1.00"))
    bare = Client().get("/payments/page")
    pay(order, "980.00")

    assert [other_site.status_code, forged.status_code, bare.status_code] == [403, 404, 404]
    assert told(forged.content.decode()) == "Ссылка испорчена: вернитесь в магазин и начните оплату заново."
    stale = Client().get(page)
    assert (stale.status_code, told(stale.content.decode())) == (
        409,
        "Сумма заказа изменилась: вернитесь в магазин и начните оплату заново.",
    )
    assert stored(orders, order)["status"] == "new"


def test_production_has_no_such_page() -> None:
    route = f"from django.urls import resolve; resolve({settings.DEVELOPMENT_PAYMENT_PAGE!r})"
    code = f"import django; django.setup(); {route}"

    def resolved(**environment: str) -> Any:
        variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "gateway.settings", **environment}
        done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
        return done.returncode, "Resolver404" in done.stderr

    assert resolved(GATEWAY_ENV="production") == (1, True)
    assert resolved() == (0, False)
