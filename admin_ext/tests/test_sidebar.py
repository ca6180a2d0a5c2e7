"""The sidebar: each role sees what it may open, and how much waits there."""

from typing import Any

import pytest
from django.test import Client
from pymongo.database import Database

from admin_ext.counters import forget_counts
from admin_ext.tests.people import in_english, member
from gateway.accounts.roles import ADMINISTRATORS, ANALYSTS, MERCHANDISERS, OPERATORS, SENIOR_SUPPORT, SUPPORT
from gateway.mongo import topology
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from ordering.reading.queues import STRAY, TO_PACK
from ordering.tests.bulk import copies

STOCK = ["Мало на складе", "Лист остатков"]
SEARCH = ["Синонимы поиска", "Искали и не нашли"]
CATALOG = ("Каталог", ["Товары", *STOCK, "Импорт и экспорт", "Задания", "Категории", "Геозоны", *SEARCH])
SALES_BOARDS, OTHER_BOARDS = ["Сегодня", "Продажи"], ["Брошенные корзины", "Цены за неделю"]
REPORTS = ("Отчёты", [*OTHER_BOARDS, "Корзины по дням", "Журнал"])
WITH_SALES = ("Отчёты", [*SALES_BOARDS, *REPORTS[1]])
QUEUES = ["Собрать", "Отправить", "Вернуть деньги", "Деньги без заказа", "Скоро истечёт резерв", "Письма не ушли"]
WORK = ("Работа", ["Заказы", *QUEUES, "Покупатели"])
MACHINERY = ("Машинерия", ["Cassandra отстаёт", "Расхождения резервов"])
OTHERS_MACHINERY = ("Машинерия", ["Cassandra отстаёт", "Расхождения резервов", "Деньги без заказа"])
TEAM = ("Команда", ["Сотрудники", "Роли"])

SEEN = {
    SUPPORT: [WORK, CATALOG, REPORTS, MACHINERY],
    SENIOR_SUPPORT: [WORK, CATALOG, WITH_SALES, MACHINERY],
    MERCHANDISERS: [("Работа", ["Заказы"]), CATALOG, WITH_SALES, OTHERS_MACHINERY],
    ANALYSTS: [
        ("Работа", ["Заказы"]),
        CATALOG,
        ("Отчёты", [*SALES_BOARDS, "Брошенные корзины", "Корзины по дням"]),
        ("Машинерия", ["Деньги без заказа"]),
    ],
    OPERATORS: [("Работа", ["Заказы", "Покупатели"]), CATALOG, REPORTS, OTHERS_MACHINERY],
    ADMINISTRATORS: [WORK, CATALOG, WITH_SALES, MACHINERY, TEAM],
    # Everybody sees the jobs that they began.
    None: [("Каталог", ["Задания"])],
}


def groups(browser: Client, page: str = "/admin/") -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = browser.get(page).context["sidebar_navigation"]
    return shown


def titles(browser: Client) -> list[tuple[str, list[str]]]:
    """Every group below «Рабочий стол», with what stands in it."""
    home, *others = groups(browser)
    assert [item["link"] for item in home["items"]] == ["/admin/"]
    return [(group["title"], [item["title"] for item in group["items"]]) for group in others]


def badges(browser: Client) -> dict[str, str]:
    items = [item for group in groups(browser) for item in group["items"]]
    return {item["title"]: item["badge"] for item in items if "badge" in item}


@pytest.mark.parametrize("role", SEEN, ids=str)
def test_each_role_sees_what_it_may_open(database: Database[Document], role: str | None) -> None:
    browser = member(role)

    assert titles(browser) == SEEN[role]
    for group in groups(browser):
        for item in group["items"]:
            assert browser.get(item["link"], follow=True).status_code == 200, item


def test_page_draws_the_titles_and_no_others(database: Database[Document]) -> None:
    page = member(ANALYSTS).get("/admin/").content.decode()

    assert "Геозоны" in page
    assert "Команда" not in page


def test_counters_tell_what_waits(waiting_orders: Database[Document]) -> None:
    assert badges(member(SUPPORT)) == {
        "Собрать": "2",
        "Отправить": "3",
        "Вернуть деньги": "1",
        "Деньги без заказа": "1",
        "Письма не ушли": "1",
        "Cassandra отстаёт": "2",
    }
    assert badges(member(OPERATORS)) == {"Cassandra отстаёт": "2"}
    assert badges(member(ANALYSTS)) == {}


def test_counter_stops_at_a_thousand(waiting_orders: Database[Document]) -> None:
    order = waiting_orders["orders"].find_one({"status": "paid"}) or {}
    copies(waiting_orders, order, 998, status="paid")

    assert badges(member(SUPPORT))["Собрать"] == "1000+"


def test_counters_are_read_once_for_many_pages_and_people(waiting_orders: Database[Document]) -> None:
    people = [member(SUPPORT), member(SUPPORT)]
    badges(people[0])

    with COMMANDS.counted() as sent:
        for person in people:
            groups(person, "/admin/catalog/geozone/")

    assert not [each for each in sent if each.collection in {"orders", "stray_money"}]


def test_queue_that_the_store_refuses_has_no_counter_and_the_page_stands(waiting_orders: Database[Document]) -> None:
    waiting_orders["orders"].drop_index(TO_PACK.index)
    try:
        shown = badges(member(SUPPORT))
    finally:
        topology.apply(waiting_orders)
        forget_counts()

    assert "Собрать" not in shown
    assert "Отправить" not in shown  # by the same index
    assert shown["Вернуть деньги"] == "1"


def test_page_that_is_open_is_marked(waiting_orders: Database[Document]) -> None:
    browser = member(SUPPORT)

    def marked(page: str) -> list[str]:
        return [item["title"] for group in groups(browser, page) for item in group["items"] if item["active"]]

    assert marked("/admin/") == ["Рабочий стол"]
    assert marked("/admin/ordering/order/") == ["Заказы"]
    assert marked(STRAY.url) == ["Деньги без заказа"]
    assert marked("/admin/catalog/geozone/") == ["Геозоны"]


def test_titles_are_english_for_those_who_chose_it(database: Database[Document]) -> None:
    assert titles(in_english(member(ANALYSTS))) == [
        ("Work", ["Orders"]),
        (
            "Catalog",
            [
                *("Products", "Low stock", "Stock sheet", "Import and export", "Jobs", "Categories", "Geozones"),
                *("Search synonyms", "Searched, not found"),
            ],
        ),
        ("Reports", ["Today", "Sales", "Abandoned carts", "Carts by day"]),
        ("Machinery", ["Payments without an order"]),
    ]
