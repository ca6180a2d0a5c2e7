"""Support finds an order by whatever the customer says, on one index."""

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, GUEST, fill
from gateway.accounts.owners import customer_owner, user_id_of
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run
from gateway.paging import Slice
from ordering.archive.keys import complete_keys
from ordering.documents import OrderDocument
from ordering.lifecycle.contacts import ContactDetails
from ordering.reading.history import position_of
from ordering.reading.lookup import lookup
from ordering.reading.lookup_keys import keys_of
from ordering.tests.bulk import copies, explained, one_bought
from ordering.tests.payments_api import ordered, pay
from ordering.tests.shop import buy

OTHER = customer_owner("665f1c2ab0a1c2d3e4f50618")


@pytest.fixture
def order(orders: Database[Document]) -> OrderDocument:
    """An order of Ёлкина-Петрова, beside one of somebody else."""
    fill(OTHER, ("PROD-1", 1))
    buy(OTHER, contact=ContactDetails("Пётр Иной", "peter@example.com", "+44 20 7946 0018"))
    fill(CUSTOMER, ("PROD-1", 1))
    return buy(contact=ContactDetails("Анна Ёлкина-Петрова", "Anna@Example.com", "8 (999) 123-45-67")).order


def found(text: str, part: Slice | None = None) -> list[str]:
    return [document["_id"] for document in run(lookup(text, part or Slice(24))).documents]


@pytest.mark.parametrize("separator", ["-", "", " ", "–"])
def test_order_is_found_by_its_number_in_any_grouping(order: OrderDocument, separator: str) -> None:
    assert found(order["number"].replace("-", separator)) == [order["_id"]]
    assert found(f" заказ № {order['number']} ") == [order["_id"]]


@pytest.mark.parametrize("text", ["Anna@Example.com", "anna@example.com", "  ANNA@EXAMPLE.COM "])
def test_order_is_found_by_its_email_in_any_case(order: OrderDocument, text: str) -> None:
    assert found(text) == [order["_id"]]


@pytest.mark.parametrize(
    "text",
    [
        "+7 999 123-45-67",
        "8(999)1234567",
        "9991234567",
        "79991234567",
        "+7.999.123.45.67",
        "8 999 123 45 67",
        "999-1234567",
    ],
)
def test_order_is_found_by_its_phone_in_any_format(order: OrderDocument, text: str) -> None:
    assert found(text) == [order["_id"]]


def test_order_is_found_by_a_foreign_phone(order: OrderDocument) -> None:
    assert order["_id"] not in found("+44 (20) 7946-0018")
    assert len(found("+44 (20) 7946-0018")) == 1


@pytest.mark.parametrize("text", ["Анна", "ёлкина", "Елкина", "петрова АННА", "Анна Ёлкина-Петрова"])
def test_order_is_found_by_any_words_of_the_name(order: OrderDocument, text: str) -> None:
    assert found(text) == [order["_id"]]


def test_order_is_found_by_the_customers_id(order: OrderDocument) -> None:
    assert found(str(user_id_of(CUSTOMER))) == [order["_id"]]


@pytest.mark.parametrize(
    "text",
    [
        "Анна Иной",
        "Анн",
        "! !",
        "67 45",
        "anna@example",
        "9991234568",
        "0000-000-000",
        "!!!",
        "",
        "$ne",
        "u:665f1c2ab0a1c2d3e4f50617",
    ],
)
def test_what_fits_no_order_finds_none(order: OrderDocument, text: str) -> None:
    assert found(text) == []


def test_order_found_by_two_of_its_keys_is_shown_once(orders: Database[Document], order: OrderDocument) -> None:
    twice = str(user_id_of(CUSTOMER))
    orders["orders"].update_one({"_id": order["_id"]}, {"$push": {"keys": f"name:{twice}"}})

    assert found(twice) == [order["_id"]]


def test_orders_of_one_name_come_newest_first_in_pages(orders: Database[Document]) -> None:
    order = one_bought(CUSTOMER)
    older = copies(orders, order, 7)
    expected = [order["_id"], *copies(orders, order, 7, owner=GUEST), *older]

    first = run(lookup("покупатель", Slice(10)))
    second = run(lookup("покупатель", Slice(10, beyond=position_of(first.documents[-1]))))

    assert [each["_id"] for each in (*first.documents, *second.documents)] == expected
    assert (first.has_next, second.has_next) == (True, False)


@pytest.mark.parametrize(
    "text", ["+7 999 123-45-67", "+79991234567", "ivan@example.com", "Покупатель", "Иван Покупатель"]
)
def test_page_examines_one_page_of_keys_on_every_shard(orders: Database[Document], text: str) -> None:
    order = one_bought(CUSTOMER)
    copies(orders, order, 40)
    copies(orders, order, 40, owner=GUEST)
    middle = run(lookup(text, Slice(30))).documents[-1]

    for beyond in (None, position_of(middle)):
        statistics, stages = explained(lookup(text, Slice(10, beyond=beyond)))

        # Each meaning of the text, before and beyond the moment of the position, holds one key in hand.
        assert statistics["totalKeysExamined"] <= 2 * (11 + 2 * 3)
        assert "SORT" not in stages
        assert "COLLSCAN" not in stages


@pytest.mark.parametrize("text", ["анна кузнецова", "кузнецова петровна анна"])
def test_full_name_walks_neither_of_its_common_words(orders: Database[Document], text: str) -> None:
    order = one_bought(CUSTOMER)
    copies(orders, order, 60, name="Мария Петровна Кузнецова")
    copies(orders, order, 60, name="Анна Борисова")
    copies(orders, order, 2, name="Анна Петровна Кузнецова")

    statistics, stages = explained(lookup(text, Slice(10)))

    assert statistics["nReturned"] == 2
    # Those of the other shard that are only passing through are examined too.
    assert statistics["totalKeysExamined"] <= 8
    assert "SORT" not in stages


def test_lookup_is_one_command(order: OrderDocument) -> None:
    with COMMANDS.counted() as sent:
        found(order["number"])

    assert sent == {Sent("find", "orders", "orders.status", 2): 1}


@pytest.mark.parametrize("text", ["4567 ёлкина", "Анна 4567", " 4567 Петрова Анна", "петрова 4567"])
def test_order_is_found_by_the_last_digits_of_the_phone_and_a_name(order: OrderDocument, text: str) -> None:
    assert found(text) == [order["_id"]]
    assert found("4567 Иной") == found("4568 Анна") == []


def test_last_digits_with_a_name_walk_none_of_the_namesakes(orders: Database[Document]) -> None:
    copies(orders, one_bought(CUSTOMER), 60)

    statistics, stages = explained(lookup("9999 Покупатель", Slice(10)))

    assert (statistics["nReturned"], statistics["totalDocsExamined"]) == (0, 0)
    assert "SORT" not in stages


def test_order_is_found_by_its_products_and_by_the_references_of_its_money(orders: Database[Document]) -> None:
    other, order = ordered(("PROD-1", 1), owner=OTHER), ordered(("PROD-1", 1), ("PROD-2", 1))
    assert found("prod-2") == [order["_id"]]
    assert found("PROD-1") == [order["_id"], other["_id"]]

    pay(order, "100.00", "Evt-77 A")

    assert found(" evt-77  a ") == [order["_id"]]
    assert found("evt-7") == []


def test_keys_of_an_order_are_bounded(order: OrderDocument) -> None:
    keys = keys_of(
        number=order["number"],
        contact={**order["contact"], "name": "а б в г д е ж"},
        user_id=None,
        references=[f"pay-{each}" for each in range(200)],
    )

    assert sum(key.startswith("tail:") for key in keys) == 5
    assert sum(key.startswith("names:") for key in keys) == 20
    assert [key for key in keys if key.startswith("reference:")] == [
        f"reference:pay-{each}" for each in range(150, 200)
    ]


def test_order_of_an_earlier_release_is_found_once_its_keys_are_complete(
    orders: Database[Document], order: OrderDocument
) -> None:
    few = [key for key in order["keys"] if not key.startswith(("tail:", "product:"))]
    orders["orders"].update_one({"_id": order["_id"]}, {"$set": {"keys": few}})
    assert found("4567 Анна") == []

    assert (complete_keys(), complete_keys()) == (1, 0)

    assert found("4567 Анна") == [order["_id"]]
    (after,) = orders["orders"].find({"_id": order["_id"]})
    assert (after["keys"], after["version"]) == (order["keys"], order["version"] + 1)
