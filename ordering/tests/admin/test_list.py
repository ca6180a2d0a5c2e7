"""The list of orders: newest first, narrowed, a page at a time, contacts as the person may see them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from pymongo.database import Database

from gateway.accounts.roles import ANALYSTS, OPERATORS, SUPPORT
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from ordering.admin import OrderAdmin
from ordering.documents import OrderDocument
from ordering.tests.admin.desk import LIST, NOBODY, shown, staff_of
from ordering.tests.bulk import FIRST, copies


def listed(client: Client, **parameters: str) -> list[str]:
    """Ids in the order of the page."""
    page = client.get(LIST, parameters)
    assert page.status_code == 200
    return [row.id for row in page.context["cl"].result_list]


def ways(page: Any) -> dict[str, str]:
    """The pages around this one: address by title."""
    found: dict[str, str] = dict(page.context["cl"].paginator.ways())
    return found


def test_list_is_newest_first_with_and_without_a_filter(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    older = copies(orders, unpaid, 5)

    assert listed(agent) == [unpaid["_id"], *older]
    assert listed(agent, status="new", geozone="msk") == [unpaid["_id"], *older]
    page = shown(agent, LIST)
    assert unpaid["number"] in page
    assert "Иван Покупатель +7 (999) 123-45-67, ivan@example.com 7 980,00 ₽" in page
    assert "Москва" in page
    assert "новый" in page


def test_filters_keep_a_status_a_geozone_a_period_and_a_queue(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    paid = copies(orders, unpaid, 2, status="paid")
    there = copies(orders, unpaid, 2, geozone="spb")
    owed = copies(orders, unpaid, 1, status="cancelled", to_refund=True)

    assert listed(agent, status="paid") == paid
    assert listed(agent, geozone="spb") == there
    assert listed(agent, queue="to_refund") == owed
    assert listed(agent, queue="to_pack") == paid[::-1]
    today = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
    assert listed(agent, since=today) == [unpaid["_id"]]
    assert listed(agent, since=f"{FIRST:%Y-%m-%d}", until=f"{FIRST:%Y-%m-%d}") == [*owed, *there, *paid]


@pytest.mark.parametrize(
    "parameters",
    [{"status": "?"}, {"geozone": "atlantis"}, {"queue": "stray_money"}, {"since": "вчера"}, {"until": "10000-01-01"}],
    ids=str,
)
def test_what_makes_no_sense_in_the_address_is_refused(
    agent: Client, unpaid: OrderDocument, parameters: dict[str, str]
) -> None:
    answer = agent.get(LIST, parameters)

    assert (answer.status_code, answer["Location"]) == (302, f"{LIST}?e=1")


@pytest.mark.parametrize("narrowed", [{}, {"status": "new"}, {"queue": "expiring"}, {"q": "Покупатель"}], ids=str)
def test_pages_lead_to_each_other_and_show_every_order_once(
    agent: Client,
    unpaid: OrderDocument,
    orders: Database[Document],
    monkeypatch: pytest.MonkeyPatch,
    narrowed: dict[str, str],
) -> None:
    monkeypatch.setattr(OrderAdmin, "list_per_page", 4)
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=5)
    orders["orders"].update_one({"_id": unpaid["_id"]}, {"$set": {"reserved_until": soon}})
    older = copies(orders, unpaid, 8, reserved_until=soon)
    expected = [unpaid["_id"], *older]
    if "queue" in narrowed:
        expected = sorted(expected)

    first = agent.get(LIST, narrowed)
    second = agent.get(f"{LIST}{ways(first)['Вперёд']}")
    third = agent.get(f"{LIST}{ways(second)['Вперёд']}")

    pages = [[row.id for row in page.context["cl"].result_list] for page in (first, second, third)]
    assert [each for page in pages for each in page] == expected
    assert not ways(third)["Вперёд"]
    if "q" not in narrowed:
        back = agent.get(f"{LIST}{ways(third)['Назад']}")
        assert [row.id for row in back.context["cl"].result_list] == pages[1]
    start = agent.get(f"{LIST}{ways(third)['В начало']}")
    assert [row.id for row in start.context["cl"].result_list] == pages[0]


def test_contacts_are_masked_for_whoever_may_not_see_them(agent: Client, unpaid: OrderDocument) -> None:
    for role in (ANALYSTS, OPERATORS):
        page = shown(staff_of(role), LIST)
        assert "i•••@example.com" in page
        assert "•••67" in page
        assert "ivan@example.com" not in page
        assert "123-45-67" not in page
    assert "ivan@example.com" in shown(staff_of(SUPPORT), LIST)


def test_list_is_for_staff_who_may_see_orders(agent: Client, unpaid: OrderDocument) -> None:
    assert staff_of(NOBODY).get(LIST).status_code == 403
    assert Client().get(LIST).status_code == 302


def test_queue_says_how_many_wait(
    agent: Client, unpaid: OrderDocument, orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OrderAdmin, "list_per_page", 2)
    copies(orders, unpaid, 3, status="paid")

    assert agent.get(LIST, {"queue": "to_pack"}).context["cl"].paginator.told == "Показано: 2 из 3"


def test_list_costs_the_same_however_long_it_is(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    listed(agent)
    before = COMMANDS.totals()
    listed(agent)
    few = COMMANDS.totals() - before
    copies(orders, unpaid, 40)
    before = COMMANDS.totals()
    assert len(listed(agent)) == 41

    assert (COMMANDS.totals() - before).total() == few.total()
    assert [sent.command for sent in few if sent.collection == "orders"] == ["find"]
