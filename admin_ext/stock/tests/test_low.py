"""What runs out: by geozone and level, category by category, as a page and as a file."""

import csv
import io
from typing import Any

import pytest
from django.test import Client
from pymongo.database import Database

from admin_ext.bulk.tests.products import product, put
from admin_ext.stock import low
from admin_ext.tests.people import in_english, member
from catalog.structure.thresholds import bring_in_line, set_threshold
from catalog.tests.shop import MARINA
from gateway.accounts.roles import ANALYSTS, MERCHANDISERS
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.transactions import in_transaction
from ordering.tests.payments_api import ordered

LOW = "/admin/stock/low/"

pytestmark = [
    pytest.mark.usefixtures("two_shards", "shop"),
    # A file is sent to real servers, which are asynchronous.
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous"),
]


def stock(msk: int, spb: int = 100, reserved: int = 0) -> list[dict[str, Any]]:
    return [
        {"geozone": "msk", "quantity": msk, "reserved": reserved},
        {"geozone": "spb", "quantity": spb, "reserved": 0},
    ]


@pytest.fixture
def shelves(database: Database[Document]) -> Database[Document]:
    """In Moscow two have run out and two are low; one that has run out is withdrawn."""
    put(
        database,
        product(1, "video", stock=stock(0)),
        product(2, "audio", stock=stock(3, reserved=3)),
        product(3, "audio", stock=stock(5, reserved=1)),
        product(4, "video", stock=stock(5, spb=1)),
        product(5, "audio", stock=stock(6)),
        product(6, "audio", stock=stock(0), withdrawn=True),
    )
    return database


def ids(browser: Client, query: str = "") -> list[str]:
    return [row.id for row in browser.get(LOW + query).context["rows"]]


def tabs(page: Any) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Titles and counts, of the geozones and of the levels."""
    return tuple([(tab.title, tab.number) for tab in page.context[name]] for name in ("geozone_tabs", "level_tabs"))  # type: ignore[return-value]


def test_what_has_run_out_and_what_is_low_category_by_category(shelves: Database[Document]) -> None:
    analyst = member(ANALYSTS)

    assert ids(analyst) == ["PROD-00002", "PROD-00001"]
    assert ids(analyst, "?level=low") == ["PROD-00003", "PROD-00004"]
    assert ids(analyst, "?geozone=spb&level=low") == ["PROD-00004"]
    assert ids(analyst, "?level=low&category=sound") == ["PROD-00003"]


def test_counts_stand_beside_geozones_and_levels(shelves: Database[Document]) -> None:
    marina = member(MERCHANDISERS)

    whole, within = marina.get(LOW), marina.get(f"{LOW}?category=sound")

    assert tabs(whole) == ([("Москва", "4"), ("Санкт-Петербург", "1")], [("Нет", "2"), ("Мало", "2")])
    assert tabs(within) == ([("Москва", "2"), ("Санкт-Петербург", "0")], [("Нет", "1"), ("Мало", "1")])


def test_row_tells_what_is_reserved_the_threshold_and_where_there_is_more(shelves: Database[Document]) -> None:
    set_threshold("sound", 4, actor=MARINA)
    in_transaction(lambda: bring_in_line("audio", after="", limit=100))

    page = member(MERCHANDISERS).get(f"{LOW}?level=low")
    (row,) = [row for row in page.context["rows"] if row.id == "PROD-00003"]

    assert (row.category, row.threshold, row.elsewhere) == ("Аудио", 4, [("Санкт-Петербург", 100)])
    assert (row.level.quantity, row.level.reserved, row.level.available) == (5, 1, 4)
    assert row.sheet == "/admin/stock/sheet/?q=PROD-00003"
    assert row.history == "/admin/stock/history/PROD-00003/"
    assert page.context["sheet_url"] == "/admin/stock/sheet/?stock=msk%3Alow&state=on_sale"


def test_what_is_reserved_runs_out_at_once(stocked: Database[Document]) -> None:
    assert ids(member(ANALYSTS), "?level=none") == []

    ordered(("PROD-1", 10))

    assert ids(member(ANALYSTS), "?level=none") == ["PROD-1"]


def test_empty_list_says_where_thresholds_are_set(shop: Database[Document]) -> None:
    page = member(MERCHANDISERS).get(f"{LOW}?category=sound")

    text = page.content.decode()
    assert "Здесь всего хватает" in text
    assert "Порог «мало» задаётся в карточке категории" in text
    assert page.context["thresholds_url"] == "/admin/catalog/category/sound/change/"


def test_without_geozones_the_page_says_so(shop: Database[Document]) -> None:
    shop["geozones"].delete_many({})

    assert "Геозон пока нет" in member(MERCHANDISERS).get(LOW).content.decode()


def test_pages_go_on_by_key_and_back(shelves: Database[Document]) -> None:
    put(shelves, *(product(100 + number, stock=stock(0)) for number in range(60)))
    marina = member(MERCHANDISERS)

    first = marina.get(LOW)
    second = marina.get(LOW + dict(first.context["ways"])["Вперёд"])
    back = marina.get(LOW + dict(second.context["ways"])["Назад"])

    shown = [row.id for page in (first, second) for row in page.context["rows"]]
    assert shown == ["PROD-00002", *(f"PROD-{100 + number:05}" for number in range(60)), "PROD-00001"]
    assert [row.id for row in back.context["rows"]] == shown[:50]


def test_file_has_all_of_the_list_and_no_formula(shelves: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    put(shelves, product(7, "audio", name="=1+1", stock=stock(2)))
    monkeypatch.setattr(low, "PART", 1)

    answer = member(ANALYSTS).get("/admin/stock/low.csv?level=low")

    rows = list(csv.reader(io.StringIO(b"".join(answer).decode("utf-8-sig")), delimiter=";"))
    assert rows == [
        ["Артикул", "Название", "Категория", "Геозона", "На складе", "В резерве", "Можно купить", "Порог"],
        ["PROD-00003", "Наушники 3", "Аудио", "Москва", "5", "1", "4", "5"],
        ["PROD-00007", "'=1+1", "Аудио", "Москва", "2", "0", "2", "5"],
        ["PROD-00004", "Наушники 4", "Видео", "Москва", "5", "0", "5", "5"],
    ]


def test_file_longer_than_anybody_orders_by_ends_and_says_so(
    shelves: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(low, "PART", 1)
    monkeypatch.setattr(low, "MAX_LINES", 1)

    text = b"".join(member(ANALYSTS).get("/admin/stock/low.csv?level=low")).decode()

    assert text.splitlines()[-1] == "Показаны первые 1: сузьте до категории."
    assert len(text.splitlines()) == 3


def test_page_in_english(shelves: Database[Document]) -> None:
    page = in_english(member(MERCHANDISERS)).get(LOW)

    assert tabs(page)[1] == [("None", "2"), ("Low", "2")]
    assert "Edit the stock of these products" in page.content.decode()


def test_page_of_a_category_asks_its_shard_once_and_counts_by_the_index(shelves: Database[Document]) -> None:
    marina = member(MERCHANDISERS)
    marina.get(LOW)

    with COMMANDS.counted() as sent:
        marina.get(f"{LOW}?category=audio")

    assert {kind: number for kind, number in sent.items() if kind.collection == "products"} == {
        Sent("find", "products", "staff.list", 1): 1,
        Sent("aggregate", "products", "staff.list", 1): 4,
    }


def test_figure_of_home_and_the_sidebar_lead_to_the_list(shelves: Database[Document]) -> None:
    page = member(MERCHANDISERS).get("/admin/")

    (card,) = [card for card in page.context["desk"].figures if card.title == "Мало на складе"]
    assert (card.value, card.note, card.link) == ("5", "нет: 2, мало: 3", LOW)
    assert 'href="/admin/stock/sheet/"' in page.content.decode()
