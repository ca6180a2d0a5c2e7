"""The list of products: words inside the filters, pages by key, every read on an index, views that people keep."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import chain
from typing import Any

import pytest
from bson import Decimal128
from django.test import Client
from pymongo.database import Database

from catalog.listing import inventory
from catalog.listing.filters import Wanted
from catalog.listing.inventory import Inventory
from catalog.listing.routes import Filter, State
from catalog.products.derived import derived_fields
from catalog.search.query import words_asked
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.mongo.reads import Read
from gateway.paging import Position, Slice, SortKey
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once

LIST = "/admin/catalog/product/"
VIEWS = f"{LIST}views/"
EVERY_CATEGORY = ("sound", "audio", "video")


def product(number: int, category: str, name: str, *, withdrawn: bool = False) -> Document:
    made = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
    price = Decimal128(f"{1000 + number * 7 % 500}.00")
    document: Document = {
        "_id": f"PROD-{number:05}",
        "category": category,
        "name": f"{name} {number}",
        "description": "",
        "prices": {"base": price, "sale": None},
        "attributes": {},
        "images": [],
        "withdrawn": withdrawn,
        "stock": [{"geozone": "msk", "quantity": 1, "reserved": 0}],
        "holds": [],
        "created_at": made,
        "updated_at": made,
        "edited_at": made,
        "edited_by": "",
        "version": 1,
        "synced_version": 1,
    }
    return {**document, **derived_fields(document)}


@pytest.fixture
def products(shop: Database[Document]) -> list[Document]:
    """More POCOs in one category than any cap would let through, fewer in another, and the two mixed by id."""
    found = [
        *(product(number, "video", "POCO кино") for number in range(0, 500, 2)),
        *(product(number, "audio", "POCO наушники") for number in range(1, 121, 2)),
        *(product(number, "audio", "Тишина") for number in range(501, 531)),
        *(product(number, "audio", "POCO старый", withdrawn=True) for number in range(600, 604)),
    ]
    shop["products"].insert_many(found)
    shop["product_directory"].insert_many([{"_id": each["_id"], "category": each["category"]} for each in found])
    return found


@pytest.fixture
def merchandiser(products: list[Document]) -> Client:
    make_demo_accounts()
    return signed_in("merchandiser")


def text(page: Any) -> str:
    return unescape(str(page.content, "utf-8"))


def ids(page: Any) -> list[str]:
    return [row.pk for row in page.context["cl"].result_list]


def way(page: Any, title: str) -> str:
    return str(dict(page.context["cl"].paginator.ways())[title])


def all_pages(client: Client, address: str) -> list[list[str]]:
    """The ids of every page, from the first to the last, as a person turns them."""
    page = client.get(address)
    found = [ids(page)]
    while on := way(page, "Вперёд"):
        page = client.get(LIST + on)
        found.append(ids(page))
    back = []
    while before := way(page, "Назад"):
        page = client.get(LIST + before)
        back.append(ids(page))
    assert back == found[-2::-1]
    return found


def column(page: Any, name: str) -> int:
    return list(page.context["cl"].list_display).index(name)


def test_words_are_sought_inside_the_category(merchandiser: Client, products: list[Document]) -> None:
    page = merchandiser.get(LIST, {"q": "POCO", "category": "audio"})
    found = all_pages(merchandiser, f"{LIST}?q=POCO&category=audio")

    assert "Показано: 50 из 64" in text(page)
    assert [len(part) for part in found] == [50, 14]
    on_sale = [each["_id"] for each in products if each["category"] == "audio" and "наушники" in each["name"]]
    withdrawn = [each["_id"] for each in products if each["withdrawn"]]
    assert list(chain(*found)) == [*on_sale, *withdrawn]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", lambda each: True),
        ("category=audio", lambda each: each["category"] == "audio"),
        ("category=sound", lambda each: each["category"] == "audio"),
        ("state=on_sale", lambda each: not each["withdrawn"]),
        ("state=withdrawn", lambda each: each["withdrawn"]),
        ("state=withdrawn&category=video", lambda each: False),
        ("state=on_sale&category=audio&q=тишина", lambda each: "Тишина" in each["name"]),
        ("state=withdrawn&q=poco", lambda each: each["withdrawn"]),
        ("q=PROD-00004", lambda each: each["_id"] == "PROD-00004"),
        ("q=prod-00004&category=audio", lambda each: False),
        ("q=PROD-00600&state=on_sale", lambda each: False),
        ("q=самовар", lambda each: False),
        ("q=и", lambda each: False),
    ],
)
def test_list_holds_exactly_what_was_asked_in_pages_both_ways(
    merchandiser: Client, products: list[Document], query: str, wanted: Any
) -> None:
    found = all_pages(merchandiser, f"{LIST}?{query}")

    assert list(chain(*found)) == sorted(each["_id"] for each in products if wanted(each))


@pytest.mark.parametrize(
    ("shown", "field", "direction", "query"),
    [
        ("shown_price", "price", 1, "category=video"),
        ("shown_price", "price", -1, "q=POCO"),
        ("shown_name", "sort_name", -1, ""),
        ("shown_edited", "edited_at", -1, "category=audio"),
    ],
)
def test_list_is_sorted_where_an_index_serves(
    merchandiser: Client, products: list[Document], shown: str, field: str, direction: int, query: str
) -> None:
    index = column(merchandiser.get(LIST), shown)
    found = all_pages(merchandiser, f"{LIST}?{query}&o={'-' if direction < 0 else ''}{index}")

    asked = dict(part.split("=") for part in query.split("&") if part)
    among = [each for each in products if asked.get("category") in (None, each["category"])]
    among = [each for each in among if asked.get("q", "") in each["name"]]
    expected = sorted(among, key=lambda each: (_comparable(each[field]), each["_id"]), reverse=direction < 0)
    assert list(chain(*found)) == [each["_id"] for each in expected]


def _comparable(value: Any) -> Any:
    return value.to_decimal() if isinstance(value, Decimal128) else value


def test_order_that_no_index_gives_is_not_offered(merchandiser: Client) -> None:
    page = merchandiser.get(LIST)
    index = column(page, "shown_levels")

    assert ids(merchandiser.get(LIST, {"o": str(index)})) == ids(page)
    assert ids(merchandiser.get(LIST, {"o": "99"})) == ids(merchandiser.get(LIST, {"o": "x.-y"})) == ids(page)


def test_more_than_can_be_counted_is_told(merchandiser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Показано: 50 из 344" in text(merchandiser.get(LIST))

    monkeypatch.setattr(inventory, "COUNT_LIMIT", 100)

    assert "Показано: 50, всего больше 10 000" in text(merchandiser.get(LIST))
    assert "Показано: 30" in text(merchandiser.get(LIST, {"q": "тишина"}))


def test_names_stand_instead_of_codes(merchandiser: Client) -> None:
    page = text(merchandiser.get(LIST, {"q": "PROD-00001"}))

    assert "Аудио" in page
    assert "Москва" in page
    assert "1 007,00 ₽" in page


@pytest.mark.parametrize("position", ["a", "anonsense", "bWyJ4Il0:x:y", "\u0400"])
def test_damaged_place_shows_the_beginning_and_says_so(merchandiser: Client, position: str) -> None:
    page = merchandiser.get(LIST, {"p": position, "category": "audio"})

    assert ids(page) == ids(merchandiser.get(LIST, {"category": "audio"}))
    assert "Место в списке не найдено" in text(page)


@pytest.mark.parametrize("query", [{"version": "1"}, {"name__regex": "a"}])
def test_filter_that_the_list_does_not_know_is_refused(merchandiser: Client, query: dict[str, str]) -> None:
    page = merchandiser.get(LIST, query)

    assert page.status_code in {302, 400}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"category": "nowhere"}, "Фильтр «категория» не понят: «nowhere»."),
        ({"state": "x"}, "Фильтр «продажа» не понят: «x»."),
    ],
)
def test_filter_that_makes_no_sense_finds_nothing_and_is_named(
    merchandiser: Client, query: dict[str, str], told: str
) -> None:
    page = merchandiser.get(LIST, query)

    assert ids(page) == []
    assert told in text(page)


def test_list_asks_once_and_by_the_row_never(merchandiser: Client) -> None:
    # How many products each category has is remembered for minutes.
    merchandiser.get(LIST)

    with COMMANDS.counted() as sent:
        merchandiser.get(LIST, {"q": "POCO", "category": "audio"})

    about = sorted((name.command, count) for name, count in sent.items() if name.collection == "products")
    # Those with the word in the name fill the page; for the total, which of word and category finds fewer is asked of
    # the shards of each, then both parts are counted.
    assert about == [("aggregate", 2), ("aggregate", 2), ("find", 1)]


def asked(wanted: Wanted | None = None, state: State = State.ANY, order: SortKey | None = None) -> Inventory:
    return Inventory(asked=Filter(wanted=wanted or Wanted(), state=state), order=order, every_category=EVERY_CATEGORY)


MIDDLE = {"id": Position(0, "PROD-00250"), "price": Position(Decimal128("1200.00"), "PROD-00250")}
BY_PRICE = SortKey("price", 1)
READS = {
    "all": (asked(Wanted()), "id", 2),
    "a category": (asked(Wanted(categories=("video",))), "id", 1),
    "on sale": (asked(Wanted(categories=("video",)), state=State.ON_SALE), "id", 1),
    "categories": (asked(Wanted(categories=("audio", "video"))), "id", 2),
    "withdrawn": (asked(Wanted(), state=State.WITHDRAWN), "id", 2),
    "by price": (asked(Wanted(categories=("video",)), order=BY_PRICE), "price", 1),
    "words": (asked(Wanted(words=words_asked("кино"))), "id", 2),
    "words in a category": (asked(Wanted(words=words_asked("кино"), categories=("video",))), "id", 1),
    "words by price": (asked(Wanted(words=words_asked("кино")), order=BY_PRICE), "price", 2),
}


@pytest.mark.parametrize("name", READS)
def test_page_walks_an_index_and_examines_what_it_shows(
    products: list[Document], shop: Database[Document], two_shards: None, name: str
) -> None:
    question, order, shards = READS[name]
    for beyond in (None, MIDDLE[order]):
        read = next(inventory.page(question, Slice(10, beyond=beyond)))
        assert isinstance(read, Read)
        command = {
            "find": read.collection,
            "filter": read.where,
            "sort": dict(read.sort),
            "limit": read.limit,
            "hint": read.hint,
        }
        answer = shop.command({"explain": command, "verbosity": "executionStats"})

        plan = str(answer["queryPlanner"])
        assert "IXSCAN" in plan
        assert "COLLSCAN" not in plan
        assert "'stage': 'SORT'" not in plan
        assert answer["executionStats"]["totalKeysExamined"] <= shards * 20
        assert answer["executionStats"]["totalDocsExamined"] <= shards * 12


# ---------------------------------------------------------------- saved views


def save(client: Client, name: str, query: str = "category=audio&q=POCO", **more: str) -> Any:
    return client.post(VIEWS, {"do": "save", "name": name, "query": query, **more}, follow=True)


def views(page: Any) -> list[tuple[str, str]]:
    return [(view.name, view.query) for view in page.context["cl"].shelf.views]


def told(page: Any) -> list[str]:
    return [str(message) for message in page.context["messages"]]


def test_view_is_saved_opened_renamed_and_deleted(merchandiser: Client) -> None:
    saved = save(merchandiser, "  Наши   POCO ", "q=POCO&p=axyz&category=audio&evil=1")
    assert told(saved) == ["Вид сохранён."]
    assert views(saved) == [("Наши POCO", "category=audio&q=POCO")]

    opened = merchandiser.get(f"{LIST}?q=POCO&category=audio")
    own = opened.context["cl"].shelf.own
    assert own.name == "Наши POCO"
    assert 'aria-current="page"' in text(opened)

    change = {"view": own.id, "query": own.query}
    renamed = merchandiser.post(VIEWS, {**change, "do": "rename", "name": "Поко"}, follow=True)
    assert told(renamed) == ["Вид переименован."]
    assert views(renamed) == [("Поко", "category=audio&q=POCO")]

    deleted = merchandiser.post(VIEWS, {**change, "do": "delete"}, follow=True)
    assert told(deleted) == ["Вид удалён."]
    assert views(deleted) == []
    again = merchandiser.post(VIEWS, {**change, "do": "delete"}, follow=True)
    assert told(again) == ["Такого вида нет: возможно, его удалили."]


def test_own_view_is_seen_by_its_maker_and_a_shared_one_by_all(merchandiser: Client) -> None:
    save(merchandiser, "Мой")
    save(merchandiser, "Общий", shared="1")
    support = signed_in("support")

    page = support.get(f"{LIST}?category=audio&q=POCO")
    assert [name for name, _ in views(page)] == ["Общий"]
    shared = page.context["cl"].shelf.views[0]
    assert not shared.is_own

    for do in ("rename", "delete"):
        refused = support.post(VIEWS, {"do": do, "view": shared.id, "name": "Взлом"}, follow=True)
        assert told(refused) == ["Такого вида нет: возможно, его удалили."]
    assert [name for name, _ in views(merchandiser.get(LIST))] == ["Мой", "Общий"]


@pytest.mark.parametrize(
    ("name", "query", "message"),
    [
        ("", "q=x", "Обязательное поле."),
        (" \u200b ", "q=x", "Обязательное поле."),
        ("x" * 61, "q=x", "Не длиннее 60 знаков."),
        ("a\u0007b", "q=x", "Текст содержит управляющие символы."),
        ("мой", "q=x", "Вид с таким названием уже есть."),
        ("Длинный", f"q={'x' * 1001}", "Слишком длинный запрос: его не сохранить."),
    ],
)
def test_bad_view_is_explained_and_not_kept(merchandiser: Client, name: str, query: str, message: str) -> None:
    save(merchandiser, "Мой")

    refused = merchandiser.post(VIEWS, {"do": "save", "name": name, "query": query})

    page = merchandiser.get(LIST)
    assert refused.status_code == 302
    assert told(page) == ["Вид сохранён.", message][-1:]
    assert [name for name, _ in views(page)] == ["Мой"]


def test_two_at_once_under_one_name_keep_one(merchandiser: Client) -> None:
    at_once(*[lambda: save(signed_in("merchandiser"), "Общий", shared="1")] * 3)

    assert [name for name, _ in views(merchandiser.get(LIST))] == ["Общий"]


def test_view_needs_a_post_and_the_right_to_the_list(merchandiser: Client) -> None:
    assert merchandiser.get(VIEWS).status_code == 405
    assert signed_in("customer").post(VIEWS, {"do": "save", "name": "x"}).status_code == 302


def test_name_and_query_cannot_break_the_page(merchandiser: Client) -> None:
    save(merchandiser, "<script>alert(1)</script>", "q=%22%3E%3Cscript%3E")

    page = str(merchandiser.get(LIST).content, "utf-8")

    assert not re.search(r"<script>alert|\"><script>", page)
