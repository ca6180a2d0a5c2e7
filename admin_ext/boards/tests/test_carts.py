"""The board of abandoned carts: the sums of the daily figures, and the ways on to them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from bson import Decimal128
from pymongo.database import Database

from admin_ext.boards.carts import carts_board
from admin_ext.boards.parts import Shown
from admin_ext.boards.tests.figures import keep, plain, shown, table
from admin_ext.tests.people import member
from gateway.accounts.roles import ANALYSTS, SUPPORT
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS

COMPUTED = datetime(2026, 11, 17, 9, 45, tzinfo=UTC)


def lost(product_id: str, name: str, carts: int, value: str) -> Document:
    return {
        "product_id": product_id,
        "name": name,
        "carts": carts,
        "quantity": carts,
        "lost_value": Decimal128(value),
    }


def day(of: str, geozone: str | None, carts: int, abandoned: int, value: str, *products: Document) -> Document:
    return {
        "_id": f"{of}:{geozone or ''}",
        "day": datetime.fromisoformat(of),
        "geozone": geozone,
        "carts": carts,
        "abandoned": abandoned,
        "ordered": 1,
        "lost_value": Decimal128(value),
        "products": list(products),
        "computed_at": COMPUTED,
    }


@pytest.fixture
def computed(database: Database[Document]) -> None:
    keep(
        "geozones", {"_id": "msk", "name": "Москва", "position": 1}, {"_id": "spb", "name": "Петербург", "position": 2}
    )
    keep(
        "abandoned_cart_days",
        day(
            "2026-11-01",
            "msk",
            4,
            2,
            "300.50",
            lost("PROD-1", "=Наушники", 1, "200.50"),
            lost("PROD-2", "Чехол", 1, "100"),
        ),
        day("2026-11-01", "spb", 3, 1, "50.00", lost("PROD-2", "Чехол", 1, "50.00")),
        day("2026-11-03", None, 5, 0, "0"),
        day("2026-11-05", "msk", 9, 9, "9999.00"),
    )


def board(geozone: str = "") -> Shown:
    return carts_board(date(2026, 11, 1), date(2026, 11, 3), geozone, sees_products=True)


@pytest.mark.usefixtures("computed")
def test_rate_lost_value_and_products_of_the_period() -> None:
    found = board()

    assert [(plain(tile.value), tile.note) for tile in found.tiles] == [
        ("25,0 %", "3 из 12 корзин"),
        ("350,50 ₽", "по ценам, которые видел покупатель"),
        ("25,0 %", "3 из 12 корзин"),
    ]
    assert shown(table(found.tables, "days").rows) == [
        ["03.11.2026", "5", "0", "0,0 %", "1", "0,00 ₽"],
        ["01.11.2026", "7", "3", "42,9 %", "2", "350,50 ₽"],
    ]
    assert shown(table(found.tables, "geozones").rows) == [
        ["Москва", "4", "2", "50,0 %", "1", "300,50 ₽"],
        ["Петербург", "3", "1", "33,3 %", "1", "50,00 ₽"],
        ["не выбрана", "5", "0", "0,0 %", "1", "0,00 ₽"],
    ]
    assert shown(table(found.tables, "products").rows) == [
        ["=Наушники", "PROD-1", "1", "1", "200,50 ₽"],
        ["Чехол", "PROD-2", "2", "2", "150,00 ₽"],
    ]
    assert found.as_of == "Сложено на 17.11.2026 12:45 МСК"


@pytest.mark.usefixtures("computed")
def test_one_geozone_alone() -> None:
    found = board("msk")

    assert [each.code for each in found.tables] == ["days", "products"]
    assert [value.exact for value in table(found.tables, "days").rows[0]] == [
        "01.11.2026",
        4,
        2,
        Decimal("50.0"),
        1,
        Decimal("300.50"),
    ]


@pytest.mark.usefixtures("computed")
def test_number_leads_to_the_figures_of_its_day_and_geozone() -> None:
    browser = member(ANALYSTS)
    row = table(board("msk").tables, "days").rows[0]

    listed = browser.get(row[1].url).context["cl"].result_list

    assert [each.id for each in listed] == ["2026-11-01:msk"]
    product = table(board().tables, "products").rows[0][0].url
    assert product == "/admin/catalog/product/PROD-1/change/"
    unseen = carts_board(date(2026, 11, 1), date(2026, 11, 3), "", sees_products=False)
    assert table(unseen.tables, "products").rows[0][0].url == ""


@pytest.mark.usefixtures("computed")
def test_csv_has_nothing_that_a_spreadsheet_computes() -> None:
    sheet = member(SUPPORT).get("/admin/boards/carts/csv/?since=2026-11-01&until=2026-11-03&table=products")

    assert sheet.content.decode() == (
        "\ufeffТовар;Артикул;В корзинах;Штук;Потеряно\r\n'=Наушники;PROD-1;1;1;200,50\r\nЧехол;PROD-2;2;2;150,00\r\n"
    )


def test_before_the_first_count_the_board_says_what_to_do(database: Database[Document]) -> None:
    page = member(ANALYSTS).get("/admin/boards/carts/").content.decode()

    assert "Корзины ещё не посчитаны. Это делается само каждые 10 минут" in page
    assert "<canvas" not in page


@pytest.mark.usefixtures("computed")
def test_days_without_carts_are_said_to_be_empty() -> None:
    found = carts_board(date(2026, 10, 1), date(2026, 10, 7), "msk", sees_products=True)

    # Another day was counted, so that an empty period is not one that nobody has counted.
    assert found.nothing == "" or "ещё не посчитаны" in found.nothing


@pytest.mark.usefixtures("computed")
def test_board_reads_the_small_daily_figures_on_one_shard() -> None:
    browser = member(ANALYSTS)
    browser.get("/admin/")

    with COMMANDS.counted() as sent:
        browser.get("/admin/boards/carts/?since=2026-11-01&until=2026-11-03")

    asked = {
        (each.command, each.shards): times for each, times in sent.items() if each.collection == "abandoned_cart_days"
    }
    assert asked == {("aggregate", 1): 3}
    assert not [each for each in sent if each.collection == "carts"]
