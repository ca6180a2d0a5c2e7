"""The orders in the admin: staff find and see them, and change nothing."""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from ordering.documents import OrderDocument
from ordering.ledger.references import Reference
from ordering.models import Order
from ordering.payments.payments import receive_payment
from ordering.tests.bulk import copies, one_bought
from ordering.tests.payments_api import PAYMENT

LIST = "/admin/ordering/order/"


@pytest.fixture
def order(orders: Database[Document]) -> OrderDocument:
    make_demo_accounts()
    return one_bought(CUSTOMER)


@pytest.fixture
def support(order: OrderDocument) -> Client:
    return signed_in("support")


def listed(client: Client, **parameters: str) -> list[str]:
    """Ids in the order of the page."""
    page = client.get(LIST, parameters)
    assert page.status_code == 200
    return [each.id for each in page.context["cl"].result_list]


def test_list_is_newest_first_with_and_without_a_filter(
    support: Client, order: OrderDocument, orders: Database[Document]
) -> None:
    older = copies(orders, order, 5)

    assert listed(support) == [order["_id"], *older]
    assert listed(support, status="new", geozone="msk") == [order["_id"], *older]
    page = support.get(LIST).content.decode()
    assert order["number"] in page
    assert "Иван Покупатель, +7 (999) 123-45-67, ivan@example.com" in page


def test_filters_keep_a_status_a_geozone_and_money_to_return(
    support: Client, order: OrderDocument, orders: Database[Document]
) -> None:
    paid = copies(orders, order, 2, status="paid")
    there = copies(orders, order, 2, geozone="spb")
    owed = copies(orders, order, 1, status="cancelled", to_refund=True)

    assert listed(support, status="paid") == paid
    assert listed(support, geozone="spb") == there
    assert listed(support, to_refund="yes") == owed


def test_search_finds_what_support_is_told(support: Client, order: OrderDocument, orders: Database[Document]) -> None:
    copies(orders, order, 1, name="Анна Иная")

    assert listed(support, q=order["number"]) == [order["_id"]]
    assert listed(support, q="покупатель") == [order["_id"]]
    assert len(listed(support, q="8 999 123 45 67")) == 2
    assert listed(support, q="никто") == []
    assert listed(support, q="я" * 300) == []


def test_page_of_an_order_shows_all_of_it(support: Client, order: OrderDocument) -> None:
    receive_payment(order["_id"], PAYMENT._replace(reference=Reference("pay-<1>")))

    page = support.get(f"{LIST}{order['_id']}/change/").content.decode()

    for text in (
        "Наушники Тишина",
        "101000, Москва, Тверская, 1",
        "pay-&lt;1&gt;",
        "«оплачен»",
        "moved",
        "оплачено 3990.00, возвращено 0.00, вернуть 3990.00",
        "лишнее 3990.00, вернуть",
    ):
        assert text in page


@pytest.mark.parametrize("login", ["support", "merchandiser", "staff"])
def test_nobody_changes_an_order_here(order: OrderDocument, orders: Database[Document], login: str) -> None:
    before = list(orders["orders"].find())
    client = signed_in(login)

    assert client.get(f"{LIST}{order['_id']}/change/").status_code == 200
    assert client.post(f"{LIST}{order['_id']}/change/", {"status": "paid"}).status_code == 403
    assert client.post(f"{LIST}add/", {"status": "paid"}).status_code == 403
    assert client.post(f"{LIST}{order['_id']}/delete/", {"post": "yes"}).status_code == 403
    assert list(orders["orders"].find()) == before


@pytest.mark.parametrize("parameters", [{}, {"status": "new"}, {"geozone": "msk"}, {"to_refund": "yes"}], ids=str)
def test_list_is_walked_on_an_index(support: Client, order: OrderDocument, parameters: dict[str, str]) -> None:
    request: Any = RequestFactory().get(LIST, parameters)
    request.user = support.get(LIST).wsgi_request.user

    plan = admin.site.get_model_admin(Order).get_changelist_instance(request).get_queryset(request)[:50].explain()

    assert "IXSCAN" in plan
    assert "COLLSCAN" not in plan
    assert '"stage": "SORT"' not in plan
