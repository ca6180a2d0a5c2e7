"""What staff do through the admin and through the API is in the audit: by whom, from where, in which step, exactly."""

import re
from typing import Any

import httpx
import pytest
from django.test import Client
from pymongo.database import Database

from cart.tests.buyer import product_id
from cart.tests.shop import CUSTOMER
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from ordering.documents import OrderDocument
from ordering.tests.bulk import one_bought
from ordering.tests.people import person

STEP = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
ADJUST = """mutation ($product: ID!) {
  a: stockAdjust(product: $product, geozone: "msk", delta: 5, reason: "поставка") { userErrors { code } }
}"""
NOTE = 'mutation ($order: ID!) { a: orderNoteAdd(order: $order, text: "перезвонить") { userErrors { code } } }'
PAY = """mutation ($order: ID!) {
  a: orderRecordPayment(order: $order, amount: "3990.00", reference: "BANK-1") { userErrors { code } }
}"""
ADVANCE = "mutation ($order: ID!) { a: orderAdvance(order: $order, to: PROCESSING) { userErrors { code } } }"


@pytest.fixture
def order(stocked: Database[Document]) -> OrderDocument:
    make_demo_accounts()
    bought = one_bought(CUSTOMER)
    stocked["audit"].delete_many({})
    return bought


def told(shop: Database[Document]) -> list[tuple[Any, ...]]:
    """The entries, oldest first, without what is different every time; each has a step of its own."""
    entries = list(shop["audit"].find().sort("_id"))
    assert all(STEP.fullmatch(entry["step"]) for entry in entries)
    assert len({entry["step"] for entry in entries}) == len(entries)
    for entry in entries:
        assert User.objects.get(pk=entry["actor_id"]).email == entry["actor"]
    return [
        (
            entry["actor"].partition("@")[0],
            entry["source"],
            entry["action"],
            entry["target"],
            entry["changes"],
            entry["reason"],
        )
        for entry in entries
    ]


def id_of(order: OrderDocument) -> str:
    return global_id("Order", order["owner"], order["_id"])


def send(web: httpx.Client, login: str, mutation: str, **variables: str) -> None:
    answer = person(web, login).send(mutation, **variables)
    assert answer["userErrors"] == []


def test_catalog_through_the_admin(order: OrderDocument, stocked: Database[Document]) -> None:
    merchandiser = signed_in("merchandiser")

    for page, name in (("geozone/msk", "Столица"), ("category/audio", "Звук")):
        address = f"/admin/catalog/{page}/change/"
        form = merchandiser.get(address).context["adminform"].form
        merchandiser.post(address, {**form.initial, "name": name})

    zone, category = told(stocked)
    assert zone[:4] == ("merchandiser", "admin", "geozone.changed", "geozone:msk")
    assert zone[4]["name"] == ["Москва", "Столица"]
    assert category[:4] == ("merchandiser", "admin", "category.changed", "category:audio")
    assert category[4]["name"][1] == "Звук"


def test_catalog_through_the_api(web: httpx.Client, order: OrderDocument, stocked: Database[Document]) -> None:
    send(web, "merchandiser", ADJUST, product=product_id("PROD-1"))

    assert told(stocked) == [
        ("merchandiser", "api", "stock.adjusted", "product:PROD-1", {"stock.msk": [10, 15]}, "поставка")
    ]


def test_orders_and_money_through_the_api(web: httpx.Client, order: OrderDocument, stocked: Database[Document]) -> None:
    for mutation in (NOTE, PAY, ADVANCE):
        send(web, "support", mutation, order=id_of(order))

    target = f"order:{order['_id']}"
    paid = {"status": ["new", "paid"], "paid": ["0", "3990.00"], "reference": [None, "BANK-1"]}
    assert told(stocked) == [
        ("support", "api", "order.noted", target, {"note": [None, "перезвонить"]}, ""),
        ("support", "api", "order.payment_recorded", target, paid, "BANK-1"),
        ("support", "api", "order.advanced", target, {"status": ["paid", "processing"]}, ""),
    ]


def test_nobody_reads_a_code_where_there_is_a_name(
    web: httpx.Client, order: OrderDocument, stocked: Database[Document]
) -> None:
    send(web, "merchandiser", ADJUST, product=product_id("PROD-1"))
    for mutation in (NOTE, PAY, ADVANCE):
        send(web, "support", mutation, order=id_of(order))

    page = shown(signed_in("staff"))

    assert f"Сергей Поддержкин API продвинут заказ № {order['number']} статус оплачен → собирается" in page
    assert "записан платёж по заказу" in page
    assert "оплачено 0,00 ₽ → 3 990,00 ₽" in page
    assert "Марина Товарова API изменён остаток товара PROD-1 остаток (Москва) 10 → 15 Причина: поставка" in page
    for code in ("processing", "stock.msk", "order.advanced", "payment_recorded", "reference"):
        assert code not in page.lower()


def shown(client: Client) -> str:
    """The text of the audit's list, without its markup and filter."""
    page = client.get("/admin/audit/auditentry/").content.decode()
    listed = page[page.index('class="audit-found"') : page.index('class="audit-pages"')]
    return " ".join(re.sub(r"<[^>]+>", " ", listed).split())
