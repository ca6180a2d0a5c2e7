"""The search box: finds what a person may see, names nothing that they may not, reads no more than it shows."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from pymongo.database import Database
from pymongo.monitoring import CommandStartedEvent
from pytest_django import Settings

from admin_ext.palette import SHOWN
from cart.tests.shop import CUSTOMER
from gateway.accounts.models import User
from gateway.accounts.roles import ANALYSTS, OPERATORS
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.staff.tests.browser import signed_in
from ordering.documents import OrderDocument
from ordering.reading.queues import COUNTED
from ordering.tests.bulk import copies, one_bought

SEARCH = "/admin/search/"
SEARCHED = {"orders", "products", "accounts_user"}
HIT = re.compile(r'<a role="option"[^>]*href="([^"]+)"([^>]*)>.*?palette-title">([^<]*)<.*?</a>', re.DOTALL)


@pytest.fixture
def order(stocked: Database[Document]) -> OrderDocument:
    make_demo_accounts()
    return one_bought(CUSTOMER)


@pytest.fixture
def support(order: OrderDocument) -> Client:
    return signed_in("support")


def member_of(group: str) -> Client:
    person = User.objects.create_user("member@example.com", "x", is_staff=True)
    person.groups.add(Group.objects.get(name=group))
    browser = Client()
    browser.force_login(person)
    return browser


def answer(client: Client, text: str) -> str:
    response = client.get(SEARCH, {"s": text})
    assert response.status_code == 200
    return unescape(response.content.decode())


def found(client: Client, text: str) -> list[str]:
    """The links, in the order shown; those that open at once with «!»."""
    return [f"{'!' * ('data-exact' in marks)}{link}" for link, marks, _ in HIT.findall(answer(client, text))]


def page_of(order: OrderDocument) -> str:
    return f"/admin/ordering/order/{order['_id']}/change/"


def test_order_is_found_by_what_a_caller_says(support: Client, order: OrderDocument) -> None:
    number, page = order["number"], page_of(order)

    assert found(support, number) == found(support, number.replace("-", " ")) == [f"!{page}"]
    for text in ("ivan@example.com", "8 999 123 45 67", "покупатель иван"):
        assert page in found(support, text)
    assert f"!{page}" not in found(support, "покупатель")


def test_product_is_found_by_its_id_and_by_words(support: Client) -> None:
    page = "/admin/catalog/product/PROD-1/change/"

    assert f"!{page}" in found(support, "prod-1")
    assert found(support, "наушник тишина")[0] == page


def test_customer_is_found_and_masked_for_those_without_the_right(support: Client) -> None:
    customer = User.objects.get(email="customer@mobile-world.example")
    page = f"/admin/accounts/customer/{customer.pk}/change/"

    assert found(support, "customer@mobile-world.example") == [f"!{page}"]
    assert "customer@mobile-world.example" in answer(support, "Иван Покупатель")
    operator = member_of(OPERATORS)
    assert page in found(operator, "Иван Покупатель")
    assert "customer@mobile-world.example" not in answer(operator, "Иван Покупатель")


def test_pages_of_the_sidebar_are_found_by_their_titles(support: Client) -> None:
    assert found(support, "заказы")[0] == "!/admin/ordering/order/"
    assert "/admin/audit/auditentry/" in found(support, "журн")
    assert "/admin/accounts/user/" not in found(support, "сотрудники")
    assert found(signed_in("staff"), "сотрудники")[0] == "!/admin/accounts/user/"


def test_contacts_of_an_order_are_masked_for_those_without_the_right(support: Client, order: OrderDocument) -> None:
    assert "+7 (999) 123-45-67" in answer(support, order["number"])
    analyst = answer(member_of(ANALYSTS), order["number"])
    assert order["number"] in analyst
    assert "123-45-67" not in analyst


def test_nobody_finds_what_they_may_not_open(order: OrderDocument) -> None:
    nobody = Client()
    nobody.force_login(User.objects.create_user("new@example.com", "x", is_staff=True))

    for text in (order["number"], "PROD-1", "Иван Покупатель", "Заказы"):
        assert found(nobody, text) == []
    assert signed_in("customer").get(SEARCH, {"s": order["number"]}).status_code == 302


def test_answer_is_of_this_moment_and_kept_by_nobody(support: Client, order: OrderDocument) -> None:
    assert found(support, order["number"]) == [f"!{page_of(order)}"]
    User.objects.get(email="support@mobile-world.example").groups.clear()

    assert found(support, order["number"]) == []
    assert "no-store" in support.get(SEARCH, {"s": "x"})["cache-control"]


def test_no_more_than_a_few_of_each_kind(support: Client, order: OrderDocument, stocked: Database[Document]) -> None:
    copies(stocked, order, 30)

    assert len([link for link in found(support, "ivan@example.com") if "/ordering/order/" in link]) == SHOWN


@pytest.mark.parametrize("text", ["", " ", "x" * 255])
def test_nothing_is_found_by_nothing_or_by_a_novel(support: Client, text: str) -> None:
    assert found(support, text) == []


def test_empty_answer_says_what_may_be_searched_for(support: Client) -> None:
    assert "Ничего не нашлось" in answer(support, "самовар тульский")
    assert "артикулу" in answer(support, "самовар тульский")


def test_what_is_found_is_text_and_no_markup(
    support: Client, stocked: Database[Document], order: OrderDocument
) -> None:
    stocked["products"].update_one({"_id": "PROD-1"}, {"$set": {"name": "<script>alert(1)</script>"}})

    assert b"<script>" not in support.get(SEARCH, {"s": "PROD-1"}).content


def test_every_read_has_an_index_and_a_limit(
    support: Client,
    order: OrderDocument,
    stocked: Database[Document],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.MONGODB_FAST_READS = False  # the monitor below is PyMongo's
    copies(stocked, order, 30)
    sent: list[CommandStartedEvent] = []
    counting = COMMANDS.started

    def started(event: CommandStartedEvent) -> None:
        sent.append(event)
        counting(event)

    monkeypatch.setattr(COMMANDS, "started", started)
    answer(support, "иван покупатель")

    finds = [dict(event.command) for event in sent if event.command_name == "find"]
    searches = [
        find
        for find in finds
        if find["find"] in SEARCHED
        and "_id" not in find["filter"]
        and find["limit"] != COUNTED  # the sidebar's counters
    ]
    assert {find["find"] for find in searches} == SEARCHED
    for find in searches:
        assert 0 < find["limit"] <= SHOWN + 1
        assert examined(stocked, find) <= 2 * (SHOWN + 1 + 2)


def examined(shop: Database[Document], command: dict[str, Any]) -> int:
    """How many keys the servers look at for it."""
    asked = {name: command[name] for name in ("find", "filter", "sort", "limit", "hint") if command.get(name)}
    explained = shop.command({"explain": asked, "verbosity": "executionStats"})
    return int(explained["executionStats"]["totalKeysExamined"])
