"""Reading orders: one's own, and any for staff."""

import asyncio
from decimal import Decimal
from typing import Any

import httpx
import pytest
from django.conf import settings
from pymongo.database import Database

from cart.tests.buyer import ADD, Buyer, lines
from cart.tests.shop import GUEST, sell
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.ids import global_id
from gateway.graphql.schema import schema
from gateway.mongo.client import Document, close_async_client
from gateway.mongo.commands import COMMANDS, Sent
from ordering.graphql.queries import viewer_orders
from ordering.graphql.types import OrderConnection, cursor_of
from ordering.lifecycle.claim import claim_orders
from ordering.models import OrderStatus
from ordering.reading.lookup import MAX_SOUGHT
from ordering.tests.api import CANCEL, CHECKOUT, INPUT
from ordering.tests.bulk import copies
from ordering.tests.people import errors_of, filled, person

READ = "query ($id: ID!) { a: order(id: $id) { id number status canCancel timeline { type } } }"
NODE = "query ($id: ID!) { a: node(id: $id) { id ... on Order { number } } }"
NODES = "query ($ids: [ID!]!) { a: nodes(ids: $ids) { id } }"
PRODUCTS = "query ($id: ID!) { a: order(id: $id) { lines { productId product { id name } } } }"
LOOKUP = """
query ($text: String!, $first: Int, $after: String) {
  a: orderLookup(query: $text, first: $first, after: $after) {
    nodes { id number } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}
"""
SLICE = """
query ($status: OrderStatus, $geozone: String, $first: Int) {
  a: orders(status: $status, geozone: $geozone, first: $first) { nodes { id status } }
}
"""


@pytest.fixture
def order(guest: Buyer) -> dict[str, Any]:
    """The guest's order, as the checkout answered."""
    found: dict[str, Any] = guest.send(CHECKOUT, input=INPUT)["order"]
    return found


def context_of(buyer: Buyer) -> RequestContext:
    cookie = f"{settings.SESSION_COOKIE_NAME}={buyer.token}" if buyer.token else ""
    return RequestContext(
        {"headers": [(b"cookie", cookie.encode())]}, request_id="r", language="ru", client="192.0.2.1"
    )


def history(buyer: Buyer, **arguments: Any) -> OrderConnection:
    async def ask() -> OrderConnection:
        try:
            return await viewer_orders(context_of(buyer), **arguments)
        finally:
            await close_async_client()

    return asyncio.run(ask())


def ids(connection: OrderConnection) -> list[str]:
    return [order["_id"] for order in connection.page.documents]


def test_owner_reads_the_order_right_after_buying(guest: Buyer, order: dict[str, Any]) -> None:
    assert guest.send(READ, id=order["id"]) == {
        "id": order["id"],
        "number": order["number"],
        "status": "NEW",
        "canCancel": True,
        "timeline": [{"type": "CREATED"}],
    }
    assert guest.send(NODE, id=order["id"]) == {"id": order["id"], "number": order["number"]}


def test_order_of_somebody_else_is_not_there(web: httpx.Client, order: dict[str, Any]) -> None:
    make_demo_accounts()

    for other in (Buyer(web), filled(Buyer(web), ("PROD-1", 1)), person(web, "customer"), Buyer(web, "no-such")):
        assert other.send(READ, id=order["id"]) is None
        assert other.send(NODE, id=order["id"]) is None


@pytest.mark.parametrize(("login", "can_cancel"), [("support", True), ("merchandiser", False), ("staff", True)])
def test_staff_reads_any_order_and_may_cancel_by_their_rights(
    web: httpx.Client, order: dict[str, Any], login: str, can_cancel: bool
) -> None:
    make_demo_accounts()
    staff = person(web, login)

    shown = staff.send(READ, id=order["id"])

    assert (shown["number"], shown["canCancel"]) == (order["number"], can_cancel)
    assert staff.send(NODE, id=order["id"])["number"] == order["number"]


@pytest.mark.parametrize("id_", ["nonsense", global_id("Cart", GUEST, "1"), global_id("Order", GUEST, "1")])
def test_unknown_ids_find_nothing(web: httpx.Client, guest: Buyer, order: dict[str, Any], id_: str) -> None:
    make_demo_accounts()

    assert guest.send(READ, id=id_) is None
    assert person(web, "support").send(READ, id=id_) is None


def test_several_nodes_come_in_the_order_asked(web: httpx.Client, guest: Buyer, order: dict[str, Any]) -> None:
    make_demo_accounts()
    unknown = global_id("Order", GUEST, "0")

    for viewer in (guest, person(web, "support")):
        answer = viewer.send(NODES, ids=[unknown, order["id"], order["id"]])
        assert answer == [None, {"id": order["id"]}, {"id": order["id"]}]


def test_guest_who_became_a_customer_finds_the_order_by_its_old_id(
    web: httpx.Client, guest: Buyer, order: dict[str, Any], orders: Database[Document]
) -> None:
    make_demo_accounts()
    customer = filled(person(web, "customer"), ("PROD-1", 1))
    (owner,) = orders["carts"].distinct("owner", {"user_id": {"$ne": None}})
    (guest_owner,) = orders["orders"].distinct("owner")

    claim_orders(guest_owner, owner)

    found = customer.send(READ, id=order["id"])
    assert (found["number"], found["timeline"]) == (order["number"], [{"type": "CREATED"}, {"type": "CLAIMED"}])
    assert found["id"] != order["id"]
    assert guest.send(READ, id=order["id"]) is None
    assert ids(history(customer)) == orders["orders"].distinct("_id")
    assert ids(history(guest)) == []


def test_history_is_complete_right_after_buying_newest_first(
    web: httpx.Client, guest: Buyer, orders: Database[Document]
) -> None:
    numbers: list[str] = []
    for each in range(3):
        guest.send(ADD, lines=lines(("PROD-1", 1)))
        bought = guest.send(CHECKOUT, input={**INPUT, "clientKey": f"k-{each}", "expectedTotal": "99999"})
        numbers.insert(0, bought["order"]["number"])
        assert [order["number"] for order in history(guest).page.documents] == numbers
    guest.send(CANCEL, order=bought["order"]["id"])

    assert [order["number"] for order in history(guest, status=[OrderStatus.CANCELLED]).page.documents] == numbers[:1]
    assert [order["number"] for order in history(guest, status=[OrderStatus.NEW]).page.documents] == numbers[1:]
    assert ids(history(guest, status=[])) == []
    assert ids(history(Buyer(web))) == []


def test_history_goes_on_from_a_cursor_both_ways(
    guest: Buyer, order: dict[str, Any], orders: Database[Document]
) -> None:
    (stored,) = orders["orders"].find()
    expected = [stored["_id"], *copies(orders, stored, 5)]

    first = history(guest, first=2)
    after = cursor_of(first.page.placed[-1].position)
    second = history(guest, first=10, after=after)
    back = history(guest, last=10, before=cursor_of(second.page.placed[0].position))

    assert [*ids(first), *ids(second)] == expected
    assert ids(back) == expected[:2]
    assert (first.page.has_next, second.page.has_next, back.page.has_previous) == (True, False, False)


@pytest.mark.parametrize(
    "arguments", [{"first": 101}, {"first": 1, "last": 1}, {"after": "nonsense"}, {"first": -1}], ids=str
)
def test_bad_page_is_refused(guest: Buyer, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        history(guest, **arguments)


def test_history_reaches_one_shard(guest: Buyer, order: dict[str, Any]) -> None:
    with COMMANDS.counted() as sent:
        history(guest)

    assert {each: count for each, count in sent.items() if each.collection == "orders"} == {
        Sent("find", "orders", "orders.history_fresh", 1): 1
    }


def test_own_order_with_its_products_is_one_command_each_to_one_shard(guest: Buyer, order: dict[str, Any]) -> None:
    async def ask() -> Any:
        try:
            return await schema.execute(PRODUCTS, {"id": order["id"]}, context_of(guest))
        finally:
            await close_async_client()

    with COMMANDS.counted() as sent:
        answer = asyncio.run(ask())

    assert answer.errors is None
    assert {each: count for each, count in sent.items() if each.collection in ("orders", "products")} == {
        Sent("find", "orders", "orders.status", 1): 1,
        Sent("find", "products", "catalog.card", 1): 1,
    }


def test_products_of_all_lines_are_loaded_by_one_command(guest: Buyer, orders: Database[Document]) -> None:
    guest.send(ADD, lines=lines(("PROD-2", 1)))
    first = guest.send(CHECKOUT, input={**INPUT, "expectedTotal": "99999", "clientKey": "k-1"})["order"]["id"]
    guest.send(ADD, lines=lines(("PROD-1", 1), ("PROD-2", 1)))
    second = guest.send(CHECKOUT, input={**INPUT, "expectedTotal": "99999", "clientKey": "k-2"})["order"]["id"]
    query = "query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Order { lines { product { name } } } } }"

    async def ask() -> Any:
        try:
            return await schema.execute(query, {"ids": [first, second]}, context_of(guest))
        finally:
            await close_async_client()

    with COMMANDS.counted() as sent:
        answer = asyncio.run(ask())

    names = [{"product": {"name": "Наушники Тишина"}}, {"product": {"name": "Телевизор Окно"}}]
    assert answer.data == {"nodes": [{"lines": names}, {"lines": names}]}
    assert {each: count for each, count in sent.items() if each.collection.startswith("product")} == {
        Sent("find", "products", "catalog.card", 2): 1
    }


def test_line_of_a_withdrawn_product_keeps_its_facts_and_shows_no_product(guest: Buyer, order: dict[str, Any]) -> None:
    sell("PROD-1", Decimal("3990.00"), withdrawn=True)

    shown = guest.send(PRODUCTS, id=order["id"])

    assert shown == {"lines": [{"productId": "PROD-1", "product": None}]}


def test_line_of_a_product_that_moved_shows_it(guest: Buyer, order: dict[str, Any]) -> None:
    upsert_product(draft(product_id="PROD-1", category="video"), actor=MARINA)

    shown = guest.send(PRODUCTS, id=order["id"])

    moved = {"id": global_id("Product", "video", "PROD-1"), "name": "Наушники Тишина"}
    assert shown == {"lines": [{"productId": "PROD-1", "product": moved}]}


def test_support_looks_an_order_up(web: httpx.Client, order: dict[str, Any]) -> None:
    make_demo_accounts()
    support = person(web, "support")

    for text in (order["number"], "ivan@example.com", "8 999 1234567", "покупатель"):
        found = support.send(LOOKUP, text=text)
        assert found["nodes"] == [{"id": order["id"], "number": order["number"]}]
        assert found["edges"] == [{"cursor": found["pageInfo"]["endCursor"], "node": {"id": order["id"]}}]
        assert (found["pageInfo"]["hasNextPage"], found["pageInfo"]["hasPreviousPage"]) == (False, False)
    assert support.send(LOOKUP, text="никто")["nodes"] == []


def test_lookup_takes_the_customers_public_id_and_pages(web: httpx.Client, orders: Database[Document]) -> None:
    make_demo_accounts()
    customer = filled(person(web, "customer"), ("PROD-1", 2))
    customer.send(CHECKOUT, input=INPUT)
    (stored,) = orders["orders"].find()
    copies(orders, stored, 3)
    support = person(web, "support")
    public = global_id("User", stored["user_id"])

    first = support.send(LOOKUP, text=public, first=3)
    second = support.send(LOOKUP, text=public, first=3, after=first["pageInfo"]["endCursor"])

    assert [len(page["nodes"]) for page in (first, second)] == [3, 1]
    assert [page["pageInfo"]["hasNextPage"] for page in (first, second)] == [True, False]


def test_slices_show_one_status_or_geozone(
    web: httpx.Client, order: dict[str, Any], orders: Database[Document]
) -> None:
    make_demo_accounts()
    support = person(web, "support")

    assert support.send(SLICE, status="NEW")["nodes"] == [{"id": order["id"], "status": "NEW"}]
    assert support.send(SLICE, status="NEW", geozone="spb")["nodes"] == []
    assert support.send(SLICE, status="PAID")["nodes"] == []
    assert support.send(SLICE, geozone="spb")["nodes"] == []
    assert errors_of(web, support, SLICE) == [("BAD_USER_INPUT", "Укажите status или geozone.")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Введите номер заказа, e-mail, телефон, имя или id покупателя."),
        ("   ", "Введите номер заказа, e-mail, телефон, имя или id покупателя."),
        ("я" * (MAX_SOUGHT + 1), f"Запрос не длиннее {MAX_SOUGHT} знаков."),
    ],
    ids=["empty", "blank", "long"],
)
def test_bad_lookup_is_explained(web: httpx.Client, orders: Database[Document], text: str, message: str) -> None:
    make_demo_accounts()

    assert errors_of(web, person(web, "support"), LOOKUP, text=text) == [("BAD_USER_INPUT", message)]


@pytest.mark.parametrize(("login", "code"), [(None, "UNAUTHENTICATED"), ("customer", "FORBIDDEN")])
def test_lookup_and_slices_are_for_staff(
    web: httpx.Client, orders: Database[Document], login: str | None, code: str
) -> None:
    make_demo_accounts()
    someone = person(web, login) if login else Buyer(web)

    assert [found for found, _ in errors_of(web, someone, LOOKUP, text="ivan@example.com")] == [code]
    assert [found for found, _ in errors_of(web, someone, SLICE, status="NEW")] == [code]
