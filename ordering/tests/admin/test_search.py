"""The search box: by everything that a buyer says, inside of the filter; what is meant exactly opens at once."""

import pytest
from django.test import Client
from pymongo.database import Database

from gateway.mongo.client import Document
from ordering.documents import OrderDocument
from ordering.tests.admin.desk import LIST, page_of, shown
from ordering.tests.admin.test_list import listed
from ordering.tests.bulk import copies
from ordering.tests.copies import archive, days_ago, placed, some_customer
from ordering.tests.payments_api import pay


def opened(client: Client, text: str, **parameters: str) -> str | None:
    """The address that a search leads to; None: it shows a list."""
    answer = client.get(LIST, {"q": text, **parameters})
    return answer["Location"] if answer.status_code == 302 else None


@pytest.mark.parametrize("spelling", ["{number}", "{number} ", "8 999 123 45 67", "+7(999)1234567", "IVAN@example.com"])
def test_one_exact_hit_opens_at_once(agent: Client, unpaid: OrderDocument, spelling: str) -> None:
    assert opened(agent, spelling.format(number=unpaid["number"])) == page_of(unpaid["_id"])


def test_payment_customer_and_product_lead_to_the_order(agent: Client, unpaid: OrderDocument) -> None:
    pay(unpaid, reference="PAY 77/a")

    for text in ("pay 77/A", unpaid["user_id"] or "", "prod-1"):
        assert opened(agent, text) == page_of(unpaid["_id"])


def test_name_shows_a_list_even_of_one(agent: Client, unpaid: OrderDocument, orders: Database[Document]) -> None:
    assert listed(agent, q="иван ПОКУПАТЕЛЬ") == [unpaid["_id"]]
    assert listed(agent, q="Покупатель 4567") == [unpaid["_id"]]
    assert listed(agent, q="4568 Покупатель") == []


def test_several_hits_are_listed_newest_first(agent: Client, unpaid: OrderDocument, orders: Database[Document]) -> None:
    older = copies(orders, unpaid, 2)

    assert listed(agent, q="8 999 123 45 67") == [unpaid["_id"], *older]


def test_search_is_inside_of_the_filter(agent: Client, unpaid: OrderDocument, orders: Database[Document]) -> None:
    paid = copies(orders, unpaid, 60, status="paid")
    there = copies(orders, unpaid, 2, geozone="spb")

    assert listed(agent, q="Покупатель", geozone="spb") == there
    assert listed(agent, q="Покупатель", status="paid", geozone="msk") == paid[:50]
    assert listed(agent, q="Покупатель", queue="to_pack", since="2026-01-01") == paid[:50]


@pytest.mark.parametrize("text", ["никто", "я" * 300, "0000-000-001"])
def test_nothing_found_says_what_can_be_searched_for(agent: Client, unpaid: OrderDocument, text: str) -> None:
    page = shown(agent, LIST, q=text)

    assert "последним четырём цифрам телефона с именем" in page


def test_archived_orders_are_found_and_marked(
    patient: None, agent: Client, orders: Database[Document], ivan: OrderDocument
) -> None:
    owner = some_customer()
    new, old = placed(orders, ivan, *days_ago(1, 500), owner=owner)
    archive(orders, [old])

    assert listed(agent, q=ivan["contact"]["email"]) == [new, old]
    assert "архив" in shown(agent, LIST, q=ivan["contact"]["email"])
    assert listed(agent, q=ivan["contact"]["email"], status="new") == []


def test_without_cassandra_the_list_says_that_the_archive_is_missing(
    agent: Client, unpaid: OrderDocument, cassandra_away: object
) -> None:
    assert callable(cassandra_away)
    cassandra_away()

    assert "Архив сейчас недоступен" in agent.get(LIST, {"q": "Покупатель"}).content.decode()
