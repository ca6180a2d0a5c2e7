"""The staff mutations as a real client of a real server sees them."""

from typing import Any

import httpx
import pytest
from django.conf import settings
from django.test import Client
from pymongo.database import Database

from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, assert_whole, draft, everything
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in

UPSERT = """
mutation ($input: ProductInput!) {
  productUpsert(input: $input) {
    product {
      id productId name description category { slug } price { amount currency } basePrice { amount } discountPercent
      attributes { name value } stock { geozone available }
    }
    userErrors { code field message }
  }
}
"""
ADJUST = """
mutation ($product: ID!, $geozone: String!, $delta: Int, $quantity: Int, $reason: String!) {
  stockAdjust(product: $product, geozone: $geozone, delta: $delta, quantity: $quantity, reason: $reason) {
    product { productId stock { geozone available } }
    userErrors { code field message }
  }
}
"""
INPUT = {
    "productId": "PROD-1",
    "name": "Наушники Тишина",
    "category": "audio",
    "basePrice": "4990.00",
    "salePrice": "3990.00",
    "attributes": [{"name": "Цвет", "value": "чёрный"}],
    "stock": [{"geozone": "msk", "quantity": 10}],
}
PRODUCT = global_id("Product", "audio", "PROD-1")
DELIVERY: dict[str, Any] = {"product": PRODUCT, "geozone": "msk", "delta": 5, "reason": "поставка"}


class Staff:
    """Sends mutations with the session of the admin's login."""

    def __init__(self, web: httpx.Client, browser: Client | None) -> None:
        self._web = web
        self._cookies = {}
        if browser and settings.SESSION_COOKIE_NAME in browser.cookies:
            self._cookies = {"cookie": f"sessionid={browser.cookies[settings.SESSION_COOKIE_NAME].value}"}

    def send(self, query: str, language: str = "ru", **variables: Any) -> dict[str, Any]:
        body = {"query": query, "variables": variables}
        response = self._web.post("/graphql", json=body, headers={"accept-language": language, **self._cookies})
        answer = response.json()
        assert "errors" not in answer, answer
        (payload,) = answer["data"].values()
        found: dict[str, Any] = payload
        return found


@pytest.fixture
def merchandiser(web: httpx.Client, shop: Database[Document]) -> Staff:
    make_demo_accounts()
    return Staff(web, signed_in("merchandiser"))


def test_upsert_makes_and_then_changes_the_product(merchandiser: Staff, shop: Database[Document]) -> None:
    made = merchandiser.send(UPSERT, input=INPUT)

    assert made == {
        "product": {
            "id": PRODUCT,
            "productId": "PROD-1",
            "name": "Наушники Тишина",
            "description": "",
            "category": {"slug": "audio"},
            "price": {"amount": "3990.00", "currency": "RUB"},
            "basePrice": {"amount": "4990.00"},
            "discountPercent": 20,
            "attributes": [{"name": "Цвет", "value": "чёрный"}],
            "stock": [{"geozone": "msk", "available": 10}],
        },
        "userErrors": [],
    }
    without_stock = {name: value for name, value in INPUT.items() if name not in {"stock", "salePrice"}}
    changed = merchandiser.send(UPSERT, input={**without_stock, "name": "Наушники Шум"})
    assert changed["product"]["name"] == "Наушники Шум"
    assert changed["product"]["price"] == {"amount": "4990.00", "currency": "RUB"}
    assert changed["product"]["stock"] == [{"geozone": "msk", "available": 10}]
    assert_whole(shop)
    assert [entry["actor"] for entry in shop["audit"].find()] == ["merchandiser@mobile-world.example"] * 2


def test_faults_of_the_input_are_named_by_their_path(merchandiser: Staff, shop: Database[Document]) -> None:
    before = everything(shop)

    refused = merchandiser.send(
        UPSERT,
        input={
            **INPUT,
            "name": "",
            "basePrice": "0",
            "attributes": [{"name": "$x", "value": "1"}],
            "stock": [{"geozone": "msk", "quantity": 1}, {"geozone": "spb", "quantity": -1}],
        },
    )

    assert refused["product"] is None
    assert [(error["code"], error["field"]) for error in refused["userErrors"]] == [
        ("REQUIRED", ["input", "name"]),
        ("INVALID", ["input", "basePrice"]),
        ("INVALID", ["input", "attributes", "0", "name"]),
        ("INVALID", ["input", "stock", "1", "quantity"]),
    ]
    assert everything(shop) == before


def test_unknown_category_and_geozone_are_not_found(merchandiser: Staff, shop: Database[Document]) -> None:
    before = everything(shop)

    refused = merchandiser.send(
        UPSERT, input={**INPUT, "category": "nowhere", "stock": [{"geozone": "mars", "quantity": 1}]}
    )

    assert [(error["code"], error["field"]) for error in refused["userErrors"]] == [
        ("NOT_FOUND", ["input", "category"]),
        ("NOT_FOUND", ["input", "stock", "0", "geozone"]),
    ]
    assert everything(shop) == before


def test_stock_is_adjusted_by_delta_and_to_a_quantity(merchandiser: Staff, shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)

    added = merchandiser.send(ADJUST, **DELIVERY)
    counted = merchandiser.send(ADJUST, product=PRODUCT, geozone="spb", quantity=2, reason="пересчёт")

    assert added == {
        "product": {"productId": "PROD-1", "stock": [{"geozone": "msk", "available": 15}]},
        "userErrors": [],
    }
    assert counted["product"]["stock"] == [{"geozone": "msk", "available": 15}, {"geozone": "spb", "available": 2}]
    entries = list(shop["audit"].find({"action": "stock.adjusted"}).sort("at"))
    assert [(entry["reason"], entry["changes"]) for entry in entries] == [
        ("поставка", {"stock.msk": [10, 15]}),
        ("пересчёт", {"stock.spb": [0, 2]}),
    ]


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"delta": -11}, "CONFLICT", ["delta"]),
        ({"delta": None}, "INVALID", ["delta"]),
        ({"quantity": 1}, "INVALID", ["delta"]),
        ({"reason": " "}, "REQUIRED", ["reason"]),
        ({"geozone": "mars"}, "NOT_FOUND", ["geozone"]),
        ({"product": global_id("Product", "audio", "PROD-404")}, "NOT_FOUND", ["product"]),
        ({"product": global_id("Category", "audio")}, "NOT_FOUND", ["product"]),
        ({"product": "nonsense"}, "NOT_FOUND", ["product"]),
    ],
)
def test_refused_adjustment_says_why_and_nothing_changes(
    merchandiser: Staff, shop: Database[Document], changes: dict[str, Any], code: str, field: list[str]
) -> None:
    upsert_product(draft(), actor=MARINA)
    before = everything(shop)

    refused = merchandiser.send(ADJUST, **{**DELIVERY, **changes})

    assert refused["product"] is None
    assert [(error["code"], error["field"]) for error in refused["userErrors"]] == [(code, field)]
    assert everything(shop) == before


def test_id_from_before_a_move_still_finds_the_product(merchandiser: Staff, shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)
    upsert_product(draft(category="video"), actor=MARINA)

    assert merchandiser.send(ADJUST, **DELIVERY)["userErrors"] == []


@pytest.mark.parametrize(
    ("login", "code"), [(None, "UNAUTHENTICATED"), ("customer", "UNAUTHENTICATED"), ("support", "FORBIDDEN")]
)
def test_only_those_who_may_change_the_catalog_do(
    web: httpx.Client, shop: Database[Document], login: str | None, code: str
) -> None:
    make_demo_accounts()
    upsert_product(draft(), actor=MARINA)
    someone = Staff(web, signed_in(login) if login else None)
    before = everything(shop)

    refusals = [
        someone.send(UPSERT, input={**INPUT, "name": "Взлом"}),
        someone.send(ADJUST, **DELIVERY),
    ]

    assert [payload["product"] for payload in refusals] == [None, None]
    assert [[(e["code"], e["field"]) for e in payload["userErrors"]] for payload in refusals] == [[(code, None)]] * 2
    assert everything(shop) == before


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("ru", "Нельзя меньше, чем в резерве: зарезервировано 0, получилось бы -1."),
        ("en", "Not below what is reserved: 0 are reserved, -1 would be left."),
    ],
)
def test_messages_follow_the_language_of_the_caller(
    merchandiser: Staff, shop: Database[Document], language: str, message: str
) -> None:
    upsert_product(draft(), actor=MARINA)

    refused = merchandiser.send(ADJUST, language=language, **{**DELIVERY, "delta": -11})

    assert [error["message"] for error in refused["userErrors"]] == [message]


KEYED_UPSERT = """
mutation ($input: ProductInput!, $version: String, $key: String) {
  productUpsert(input: $input, expectedVersion: $version, idempotencyKey: $key) {
    product { version stock { available } } userErrors { code field } warnings { code }
  }
}
"""
KEYED_ADJUST = """
mutation ($product: ID!, $geozone: String!, $delta: Int, $reason: String!, $expected: Int, $key: String) {
  stockAdjust(
    product: $product, geozone: $geozone, delta: $delta, reason: $reason, expectedQuantity: $expected,
    idempotencyKey: $key
  ) {
    product { version stock { available } } userErrors { code field } warnings { code }
  }
}
"""


def test_client_that_lost_the_answer_asks_again_and_is_told_so(merchandiser: Staff, shop: Database[Document]) -> None:
    made = merchandiser.send(KEYED_UPSERT, input=INPUT, key="k-1")
    delivered = merchandiser.send(KEYED_ADJUST, **DELIVERY, key="k-2")

    again = (
        merchandiser.send(KEYED_UPSERT, input=INPUT, key=" k-1"),
        merchandiser.send(KEYED_ADJUST, **DELIVERY, key="k-2\u00a0"),
    )

    assert (made["warnings"], delivered["warnings"]) == ([], [])
    for payload in again:
        assert payload["warnings"] == [{"code": "REPLAYED"}]
        assert payload["product"] == delivered["product"]
    other = merchandiser.send(KEYED_ADJUST, **{**DELIVERY, "delta": 6}, key="k-2")
    assert other["userErrors"] == [{"code": "CONFLICT", "field": ["idempotencyKey"]}]
    upsert = merchandiser.send(KEYED_UPSERT, input={**INPUT, "name": "x"}, key="k-1")
    assert upsert["userErrors"] == [{"code": "CONFLICT", "field": ["idempotencyKey"]}]


def test_stale_expectation_is_a_conflict_and_nothing_changes(merchandiser: Staff, shop: Database[Document]) -> None:
    version = merchandiser.send(KEYED_UPSERT, input=INPUT)["product"]["version"]
    merchandiser.send(ADJUST, **{**DELIVERY, "delta": -3})
    before = everything(shop)

    by_version = merchandiser.send(KEYED_UPSERT, input=INPUT, version=version)
    stock = [{"geozone": "msk", "quantity": 10, "expectedQuantity": 10}]
    by_quantity = merchandiser.send(KEYED_UPSERT, input={**INPUT, "stock": stock})
    adjusted = merchandiser.send(KEYED_ADJUST, **DELIVERY, expected=10)

    assert by_version["userErrors"] == [{"code": "CONFLICT", "field": ["expectedVersion"]}]
    assert by_quantity["userErrors"] == [{"code": "CONFLICT", "field": ["input", "stock", "0", "expectedQuantity"]}]
    assert adjusted["userErrors"] == [{"code": "CONFLICT", "field": ["expectedQuantity"]}]
    assert everything(shop) == before
