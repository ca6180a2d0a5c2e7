"""The cart as a real client of a real server sees it."""

from decimal import Decimal
from typing import Any

import httpx
import pytest
from django.conf import settings
from pymongo.database import Database

from cart.line_checks import MAX_LINES
from cart.tests.buyer import ADD, CART, PAYLOAD, Buyer, contents, lines, product_id
from cart.tests.shop import carts, quantities, sell, sell_many
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner, guest_owner, session_hash
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in

SET = ADD.replace("cartLinesAdd", "cartLinesSet")
REMOVE = f"mutation ($products: [ID!]!) {{ a: cartLinesRemove(products: $products) {{ {PAYLOAD} }} }} {CART}"
CLEAR = f"mutation {{ a: cartClear {{ {PAYLOAD} }} }} {CART}"
READ = f"{{ a: cart {{ ...C }} }} {CART}"


def test_guest_without_a_session_gets_one_with_the_first_line(guest: Buyer, stocked: Database[Document]) -> None:
    made = guest.send(ADD, lines=lines(("PROD-1", 2)), zone="msk")

    (cart,) = carts(stocked)
    assert made["token"]
    assert cart["owner"] == guest_owner(session_hash(made["token"]))
    assert {**made, "token": 0} == {"cart": made["cart"], "token": 0, "userErrors": [], "warnings": []}
    shown = dict(made["cart"])
    assert shown.pop("createdAt") == shown.pop("updatedAt")
    assert shown.pop("expiresAt").endswith("Z")
    assert shown == {
        "id": global_id("Cart", cart["owner"], str(cart["_id"])),
        "status": "ACTIVE",
        "geozone": "msk",
        "totalQuantity": 2,
        "subtotal": {"amount": "7980.00", "currency": "RUB"},
        "lines": [
            {
                "id": global_id("CartLine", str(cart["_id"]), "PROD-1"),
                "productId": "PROD-1",
                "name": "Наушники Тишина",
                "quantity": 2,
                "unitPrice": {"amount": "3990.00"},
                "priceSeen": {"amount": "3990.00"},
                "lineTotal": {"amount": "7980.00"},
                "product": {"id": product_id("PROD-1"), "productId": "PROD-1"},
            }
        ],
        "warnings": [],
    }
    assert guest.send(READ) == made["cart"]


def test_session_is_told_once_and_serves_the_following_calls(guest: Buyer, stocked: Database[Document]) -> None:
    guest.send(ADD, lines=lines(("PROD-1", 2)))

    added = guest.send(ADD, lines=lines(("PROD-2", 1)))
    changed = guest.send(SET, lines=lines(("PROD-1", 5), ("PROD-2", 0), ("PROD-3", 1)))
    removed = guest.send(REMOVE, products=[product_id("PROD-3"), product_id("PROD-2")])
    cleared = guest.send(CLEAR)

    assert [payload["token"] for payload in (added, changed, removed, cleared)] == [None] * 4
    assert [contents(payload) for payload in (added, changed, removed, cleared)] == [
        [("PROD-1", 2), ("PROD-2", 1)],
        [("PROD-1", 5), ("PROD-3", 1)],
        [("PROD-1", 5)],
        [],
    ]
    assert cleared["cart"]["subtotal"] == {"amount": "0.00", "currency": "RUB"}
    assert len(carts(stocked)) == 1


def test_product_that_moved_is_added_set_and_removed_by_its_old_id(guest: Buyer, stocked: Database[Document]) -> None:
    upsert_product(draft(product_id="PROD-1", category="video", stock=None), actor=MARINA)
    old, now = product_id("PROD-1"), global_id("Product", "video", "PROD-1")

    added = guest.send(ADD, lines=lines(("PROD-1", 1)))
    changed = guest.send(SET, lines=lines(("PROD-1", 3)))
    removed = guest.send(REMOVE, products=[old])

    assert [contents(payload) for payload in (added, changed, removed)] == [[("PROD-1", 1)], [("PROD-1", 3)], []]
    assert added["cart"]["lines"][0]["product"] == {"id": now, "productId": "PROD-1"}


def test_customer_has_a_cart_of_the_account(web: httpx.Client, stocked: Database[Document]) -> None:
    make_demo_accounts()
    staff = signed_in("staff").cookies[settings.SESSION_COOKIE_NAME].value
    buyer = Buyer(web, staff)

    made = buyer.send(ADD, lines=lines(("PROD-1", 1)))

    assert made["token"] is None
    (cart,) = carts(stocked)
    assert cart["owner"] == customer_owner(User.objects.get(email="staff@mobile-world.example").pk)


def test_reading_removing_and_clearing_make_no_session(guest: Buyer, stocked: Database[Document]) -> None:
    nothing: dict[str, Any] = {"cart": None, "token": None, "userErrors": [], "warnings": []}

    assert guest.send(READ) is None
    assert guest.send(REMOVE, products=[product_id("PROD-1")]) == nothing
    assert guest.send(CLEAR) == nothing
    assert guest.send(SET, lines=lines(("PROD-1", 0))) == nothing
    assert carts(stocked) == []


def test_refused_first_line_makes_neither_session_nor_cart(guest: Buyer, stocked: Database[Document]) -> None:
    refused = guest.send(ADD, lines=[*lines(("PROD-1", 1), ("PROD-404", 1)), {"product": "nonsense", "quantity": 0}])

    assert (refused["cart"], refused["token"], refused["warnings"]) == (None, None, [])
    assert refused["userErrors"] == [
        {"code": "NOT_FOUND", "field": ["lines", "1", "product"], "message": "Товара PROD-404 нет."},
        {"code": "NOT_FOUND", "field": ["lines", "2", "product"], "message": "Такого товара нет."},
    ]
    assert carts(stocked) == []


@pytest.mark.parametrize(
    ("query", "variables", "code", "field"),
    [
        (ADD, {"lines": []}, "REQUIRED", ["lines"]),
        (ADD, {"lines": lines(("PROD-1", 998))}, "QUANTITY_LIMIT", ["lines", "0", "quantity"]),
        (SET, {"lines": lines(("PROD-2", 1000))}, "QUANTITY_LIMIT", ["lines", "0", "quantity"]),
        (SET, {"lines": lines(("PROD-2", 1), ("PROD-2", 2))}, "INVALID", ["lines", "1", "product"]),
        (ADD, {"lines": lines(("PROD-3", 1))}, "PRODUCT_WITHDRAWN", ["lines", "0", "product"]),
        (ADD, {"lines": lines(("PROD-2", 1)), "zone": "mars"}, "NOT_FOUND", ["geozone"]),
        (ADD, {"lines": lines(("PROD-2", 1)), "zone": ""}, "NOT_FOUND", ["geozone"]),
        (
            ADD,
            {"lines": [{"product": global_id("Category", "audio"), "quantity": 1}]},
            "NOT_FOUND",
            ["lines", "0", "product"],
        ),
        (REMOVE, {"products": []}, "REQUIRED", ["products"]),
        (REMOVE, {"products": [product_id("PROD-1"), "nonsense"]}, "NOT_FOUND", ["products", "1"]),
    ],
)
def test_refusal_names_code_and_field_and_nothing_changes(
    guest: Buyer, stocked: Database[Document], query: str, variables: dict[str, Any], code: str, field: list[str]
) -> None:
    guest.send(ADD, lines=lines(("PROD-1", 2)))
    sell("PROD-3", Decimal("1990.00"), withdrawn=True)
    before = carts(stocked)

    refused = guest.send(query, **variables)

    assert refused["cart"] is None
    assert [(error["code"], error["field"]) for error in refused["userErrors"]] == [(code, field)]
    assert carts(stocked) == before


def test_line_beyond_the_limit_is_refused(guest: Buyer, stocked: Database[Document]) -> None:
    ids = sell_many(stocked, MAX_LINES)
    guest.send(ADD, lines=lines(*((each, 1) for each in ids)))
    before = carts(stocked)

    refused = guest.send(ADD, language="en", lines=lines(("PROD-1", 1)))

    assert refused["userErrors"] == [
        {
            "code": "CART_LIMIT",
            "field": ["lines", "0"],
            "message": 'A cart holds at most 100 different products: there is no room for "Наушники Тишина".',
        }
    ]
    assert carts(stocked) == before


@pytest.mark.parametrize(
    ("language", "messages"),
    [
        (
            "ru",
            [
                "Цена «Наушники Тишина» изменилась: была 3 990,00 ₽, стала 2 990,00 ₽.",
                "«Телевизор Окно»: в корзине 5, а в наличии 2.",
                "«Колонка Эхо» больше не продаётся.",
            ],
        ),
        (
            "en",
            [
                'The price of "Наушники Тишина" changed from 3,990.00 RUB to 2,990.00 RUB.',
                '"Телевизор Окно": 5 in the cart, but only 2 available.',
                '"Колонка Эхо" is no longer sold.',
            ],
        ),
    ],
)
def test_warnings_come_with_the_cart_in_the_callers_language(guest: Buyer, language: str, messages: list[str]) -> None:
    guest.send(ADD, lines=lines(("PROD-1", 2), ("PROD-2", 1), ("PROD-3", 1)))
    sell("PROD-1", Decimal("2990.00"))
    sell("PROD-3", Decimal("1990.00"), withdrawn=True)

    changed = guest.send(SET, language=language, lines=lines(("PROD-2", 5)), zone="msk")

    ids = {each["productId"]: each["id"] for each in changed["cart"]["lines"]}
    assert changed["userErrors"] == []
    assert changed["warnings"] == changed["cart"]["warnings"]
    assert changed["warnings"] == [
        {"code": "PRICE_CHANGED", "target": ids["PROD-1"], "message": messages[0]},
        {"code": "LOW_STOCK", "target": ids["PROD-2"], "message": messages[1]},
        {"code": "PRODUCT_WITHDRAWN", "target": ids["PROD-3"], "message": messages[2]},
    ]
    assert [each["product"] is None for each in changed["cart"]["lines"]] == [False, False, True]


def test_full_cart_is_added_and_shown_within_the_cost_of_one_request(guest: Buyer, stocked: Database[Document]) -> None:
    ids = sell_many(stocked, MAX_LINES)

    made = guest.send(ADD, lines=lines(*((each, 1) for each in ids)))
    shown = guest.send(
        "{ a: cart { lines { product { name price { amount } images { url } category { ancestors { name } } } } } }"
    )

    assert [each["productId"] for each in made["cart"]["lines"]] == ids
    assert len(shown["lines"]) == MAX_LINES


def test_lines_of_two_mutations_in_one_document_land_in_one_cart(guest: Buyer, stocked: Database[Document]) -> None:
    answer = guest.send(
        """
        mutation ($lines: [CartLineInput!]!) {
          first: cartLinesAdd(lines: $lines) { token }
          a: cartLinesAdd(lines: $lines) { token cart { totalQuantity } }
        }
        """,
        lines=lines(("PROD-1", 1)),
    )

    assert answer["cart"] == {"totalQuantity": 2}
    assert answer["token"]
    (cart,) = carts(stocked)
    assert quantities(cart) == [("PROD-1", 2)]
