"""The audit's page: filters on indexes, pages by key, steps together, for those who may read it."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from pymongo.database import Database
from pytest_django import Settings

from catalog.models import Geozone, Product
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.audit.links import audit_url
from gateway.audit.reading import Sought, count_of, entries
from gateway.audit.tests.entries import NOON, earlier, entry, write
from gateway.audit.trail import Action
from gateway.mongo.client import Document
from gateway.mongo.reads import run
from gateway.paging import Slice
from gateway.staff.tests.browser import signed_in
from ordering.tests.bulk import explained

LIST = "/admin/audit/auditentry/"


@pytest.fixture
def staff(database: Database[Document]) -> Client:
    make_demo_accounts()
    return signed_in("staff")


def account(login: str) -> User:
    return User.objects.get(email=f"{login}@mobile-world.example")


def by(login: str) -> dict[str, str]:
    return {"actor_id": str(account(login).pk), "actor": account(login).email, "source": "admin"}


def text(page: Any) -> str:
    assert page.status_code == 200
    return unescape(str(page.content, "utf-8"))


def reasons(page: Any) -> list[str]:
    """What tells the entries of these tests apart, in the order shown."""
    return re.findall(r"Причина: ([\w ]+)</div>", text(page))


def link(page: Any, words: str) -> str:
    (found,) = re.findall(rf'href="([^"]+)">[^<]*{words}', text(page))
    return found if found.startswith("/") else f"{LIST}{found}"


def test_filters_show_what_each_says(staff: Client) -> None:
    write(
        entry(1, **by("merchandiser"), reason="цена"),
        entry(2, **by("support"), action="order.noted", target="order:O-1", reason="звонок"),
        entry(3, **by("merchandiser"), action="category.added", target="category:phones", reason="новая"),
        entry(4, action="stock.reservation_corrected", reason="сверка"),
        entry(60 * 24, **by("support"), target="product:PROD-2", reason="завтра"),
    )

    def shown(query: str) -> list[str]:
        return reasons(staff.get(f"{LIST}?{query}"))

    assert shown("") == ["завтра", "сверка", "новая", "звонок", "цена"]
    assert shown("who=merchandiser@mobile-world.example") == ["новая", "цена"]
    assert shown(f"person={account('support').pk}") == ["завтра", "звонок"]
    assert shown("who=система") == shown("person=system") == ["сверка"]
    assert shown("kind=product&object=prod-1") == ["сверка", "цена"]
    assert shown("kind=product") == ["завтра", "сверка", "цена"]
    assert shown("kind=order&who=support@mobile-world.example") == ["звонок"]
    assert shown("action=category.added") == ["новая"]
    assert shown("since=2026-11-18") == ["завтра"]
    assert shown("until=2026-11-17&kind=category") == ["новая"]
    assert shown("since=2026-11-17&until=2026-11-18&who=support@mobile-world.example") == ["завтра", "звонок"]


def test_days_begin_and_end_in_the_zone_of_the_shop(staff: Client, settings: Settings) -> None:
    settings.TIME_ZONE = "Europe/Moscow"
    midnight = 12 * 60
    write(entry(midnight - 1, reason="вечер"), entry(midnight, reason="ночь"))

    assert reasons(staff.get(f"{LIST}?until=2026-11-17")) == ["вечер"]
    assert reasons(staff.get(f"{LIST}?since=2026-11-18")) == ["ночь"]
    assert "Europe/Moscow" in text(staff.get(LIST))


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("who=nobody@example.com", "Такого сотрудника нет"),
        ("object=PROD-1", "Выберите, над чем"),
        ("since=2026-11-18&until=2026-11-17", "Конец раньше начала"),
        ("since=yesterday", "правильную дату"),
        ("kind=spoon", "spoon"),
    ],
)
def test_senseless_filter_is_explained_and_shows_nothing(staff: Client, query: str, told: str) -> None:
    write(entry(reason="цена"))

    page = staff.get(f"{LIST}?{query}")

    assert told in text(page)
    assert reasons(page) == []


def test_pages_go_on_by_key_in_both_directions(staff: Client) -> None:
    write(*(entry(0, step=f"s{number}", reason=f"н{number}") for number in range(60)))
    write(*(entry(1, step=f"t{number}", reason=f"п{number}") for number in range(60)))

    first = staff.get(LIST)
    write(entry(2, reason="вклинилась"))
    second = staff.get(link(first, "Старше"))
    third = staff.get(link(second, "Старше"))
    back = staff.get(link(second, "Новее"))

    assert [len(reasons(page)) for page in (first, second, third)] == [50, 50, 20]
    assert len({*reasons(first), *reasons(second), *reasons(third)}) == 120
    assert reasons(back) == reasons(first)
    assert "Старше" not in text(third)
    assert "Новее" not in text(first)
    assert "вклинилась" in text(staff.get(link(second, "К последним")))


@pytest.mark.parametrize("position", ["after=x", "after=1.2", "before=99999999999999999.65f000000000000000000000"])
def test_broken_position_shows_the_newest(staff: Client, position: str) -> None:
    write(entry(reason="цена"))

    assert reasons(staff.get(f"{LIST}?{position}")) == ["цена"]


def test_one_step_stands_together_and_can_be_shown_alone(staff: Client) -> None:
    write(
        entry(1, step="batch", target="order:O-1", action="order.advanced", reason="первый"),
        entry(2, step="other", reason="чужое"),
        entry(3, step="batch", target="order:O-2", action="order.advanced", reason="второй"),
        earlier(entry(0, reason="давно")),
        earlier(entry(0, reason="очень давно")),
    )

    page = staff.get(LIST)

    assert reasons(page)[:3] == ["второй", "первый", "чужое"]
    assert text(page).count("всё в этом шаге") == 1
    assert reasons(staff.get(link(page, "всё в этом шаге"))) == ["второй", "первый"]
    assert "источник не записан" in text(page)


def test_count_is_capped(staff: Client) -> None:
    write(*(entry(number) for number in range(3)))
    assert "Найдено: 3" in text(staff.get(LIST))

    write(*(entry(number) for number in range(1_000)))
    assert "Найдено больше 1 000" in text(staff.get(LIST))


@pytest.mark.parametrize(
    "sought",
    [
        Sought(),
        Sought(target="product:PROD-1"),
        Sought(actor_id="a-1"),
        Sought(
            actor_id="a-1", actions=frozenset({Action.PRODUCT_CHANGED, Action.STOCK_ADJUSTED, Action.PRODUCT_ADDED})
        ),
        Sought(actions=frozenset({Action.PRODUCT_CHANGED, Action.STOCK_ADJUSTED})),
        Sought(step="one"),
        Sought(actor_id="a-1", since=NOON),
    ],
    ids=["all", "object", "person", "person and kind", "kind", "step", "person and period"],
)
def test_page_examines_what_it_shows(database: Database[Document], sought: Sought) -> None:
    meant = {"actor_id": "a-1", "step": "one"}
    write(*(entry(number, **meant) for number in range(100)))
    write(*(entry(number, actor_id="a-2", target="product:P-2", action="geozone.added") for number in range(400)))
    page = run(entries(sought, Slice(10)))
    further = Slice(10, beyond=page.placed[-1].position)

    for part in (Slice(10), further):
        statistics, stages = explained(entries(sought, part))
        assert statistics["totalKeysExamined"] <= 2 * (11 + 6)
        assert statistics["totalDocsExamined"] <= 2 * 11
        assert "SORT" not in stages
        assert "COLLSCAN" not in stages
    assert run(count_of(sought)) == (500 if sought == Sought() else 100)


def test_staff_are_offered_by_the_beginning_of_address_or_name(staff: Client) -> None:
    def offered(beginning: str) -> list[str]:
        return [person["email"] for person in staff.get(f"{LIST}people/", {"q": beginning}).json()["people"]]

    assert offered("merch") == ["merchandiser@mobile-world.example"]
    assert offered("това") == offered("Марина") == ["merchandiser@mobile-world.example"]
    assert offered("custom") == offered("Покуп") == []
    assert offered("") == []


def test_others_do_not_read_it(staff: Client) -> None:
    write(entry(reason="цена"))
    analyst = Client()
    analyst.force_login(User.objects.create_user("analyst@example.com", "x", is_staff=True))

    assert [analyst.get(path).status_code for path in (LIST, f"{LIST}people/?q=s")] == [403, 403]
    assert signed_in("customer").get(LIST).status_code == 302


def test_history_of_every_page_is_the_audit(staff: Client) -> None:
    # A product has a page of its own, which shows the audit with ways back.
    for model in admin.site._registry.keys() - {Product}:
        history = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_history", args=["X-1"])
        response = staff.get(history)
        assert (model, response.status_code, response["location"].partition("?")[0]) == (model, 302, LIST)

    category = staff.get("/admin/catalog/category/x-1/history/")
    assert category["location"] == audit_url("category:x-1") == f"{LIST}?kind=category&object=x-1"


def test_django_keeps_no_second_trail(staff: Client, database: Database[Document]) -> None:
    Geozone.objects.create(code="msk", name="Москва", position=1)

    staff.post(
        "/admin/catalog/geozone/msk/change/",
        {"name": "Столица", "position": "1", "seen": '{"name": "Москва", "position": 1}'},
    )
    staff.post("/admin/catalog/geozone/add/", {"code": "spb", "name": "Петербург", "position": "2"})
    staff.post("/admin/catalog/geozone/spb/delete/", {"post": "yes"})

    assert database["audit"].distinct("action") == ["geozone.added", "geozone.changed", "geozone.deleted"]
    assert LogEntry.objects.count() == 0
