"""Today and the sales: the figures are those of the orders, by the shop's clock, and lead to the orders behind them."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from pymongo.database import Database

from admin_ext.boards.sales import sales_board
from admin_ext.boards.tests.figures import keep, plain, quarter, shown, summed_until, table
from admin_ext.boards.today import compared, today_board
from admin_ext.tests.people import in_english, member
from gateway.accounts.roles import ANALYSTS, SUPPORT
from gateway.cassandra.errors import CassandraError
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from ordering.sales.figures import Sales
from ordering.sales.sums import sum_sales
from ordering.tests.sales.sold import Sale, arrived_everywhere, sell

MOSCOW = ZoneInfo("Europe/Moscow")
# A Wednesday.
NOW = datetime(2026, 11, 18, 15, 40, tzinfo=MOSCOW)
MIDNIGHT = NOW.replace(hour=0, minute=0)
LAST_WEEK = MIDNIGHT - timedelta(days=7)
QUARTER = timedelta(minutes=15)
ORDERS = "/admin/ordering/order/"


@pytest.fixture
def geozones(database: Database[Document]) -> Database[Document]:
    keep(
        "geozones",
        {"_id": "msk", "name": "Москва", "position": 1},
        {"_id": "spb", "name": "Санкт-Петербург", "position": 2},
    )
    return database


def random_quarters(first: datetime, days: int, number: int) -> list[Document]:
    chance = random.Random(11)  # noqa: S311 - no secret
    places = {(first + QUARTER * chance.randrange(days * 96), chance.choice(["msk", "spb"])) for _ in range(number)}
    return [
        quarter(begins, geozone, chance.randrange(1, 5), chance.randrange(9_000), chance.randrange(500))
        for begins, geozone in sorted(places)
    ]


def by_hand(quarters: list[Document], since: datetime, until: datetime, geozone: str) -> Sales:
    found = [each for each in quarters if since <= each["begins"] < until and each["geozone"] == geozone]
    return Sales(
        orders=sum(each["orders"] for each in found),
        pieces=sum(each["pieces"] for each in found),
        total=sum((each["total"].to_decimal() for each in found), Decimal(0)),
        paid=sum((each["paid"].to_decimal() for each in found), Decimal(0)),
        refunded=sum((each["refunded"].to_decimal() for each in found), Decimal(0)),
    )


def test_today_is_compared_with_the_same_day_of_last_week_until_the_same_time(geozones: Database[Document]) -> None:
    quarters = random_quarters(LAST_WEEK - timedelta(days=1), 9, 700)
    keep("sales_quarters", *quarters)

    found = compared(NOW, NOW)

    assert found.clock == "15:30"
    until, week_ago = NOW.replace(minute=30), (NOW - timedelta(days=7)).replace(minute=30)
    for geozone in ("msk", "spb"):
        assert found.today[geozone] == by_hand(quarters, MIDNIGHT, until, geozone)
        assert found.before[geozone] == by_hand(quarters, LAST_WEEK, week_ago, geozone)


def test_today_board_shows_geozones_by_name_with_the_orders_behind_each_number(geozones: Database[Document]) -> None:
    keep(
        "sales_quarters",
        quarter(MIDNIGHT, orders=3, paid=3000),
        quarter(MIDNIGHT + timedelta(hours=15, minutes=15), "spb", paid=1000, refunded=250),
        quarter(NOW.replace(minute=30), orders=9, paid=9000),
        quarter(LAST_WEEK, orders=2, paid=2000),
        quarter(LAST_WEEK + timedelta(hours=16), orders=7, paid=7000),
    )
    summed_until(NOW)

    board = today_board(NOW)

    found = table(board.tables, "geozones")
    assert shown(found.rows) == [
        ["Москва", "3", "2", "3 000,00 ₽", "2 000,00 ₽", "+50,0 %"],
        ["Санкт-Петербург", "1", "0", "750,00 ₽", "0,00 ₽", "—"],
    ]
    assert shown([found.total]) == [["Всего", "4", "2", "3 750,00 ₽", "2 000,00 ₽", "+87,5 %"]]
    assert found.rows[0][1].url == f"{ORDERS}?geozone=msk&since=2026-11-18&until=2026-11-18"
    assert found.rows[0][4].url == f"{ORDERS}?geozone=msk&since=2026-11-11&until=2026-11-11"
    assert [(tile.value, plain(tile.note)) for tile in board.tiles] == [
        ("3 750,00 ₽", "неделю назад к 15:30: 2 000,00 ₽ (+87,5 %)"),
        ("4", "неделю назад к 15:30: 2 (+100,0 %)"),
        ("1 000,00 ₽", "неделю назад к 15:30: 1 000,00 ₽ (0,0 %)"),
    ]
    assert (board.as_of, board.warnings) == ("Сложено на 18.11.2026 15:40 МСК", [])


def test_when_the_sums_stopped_yesterday_today_is_empty_and_says_so(geozones: Database[Document]) -> None:
    keep("sales_quarters", quarter(MIDNIGHT - timedelta(hours=2), orders=5, paid=5000))
    summed_until(MIDNIGHT - timedelta(hours=1))

    board = today_board(NOW)

    assert [tile.value for tile in board.tiles] == ["0,00 ₽", "0", "0,00 ₽"]
    assert board.warnings == [
        "Цифры отстают: сложено только до 17.11.2026 23:00 МСК. Если через полчаса не изменится, скажите оператору."
    ]


@pytest.mark.usefixtures("patient")
def test_cassandra_away_is_said_with_the_figures_there_are(
    orders: Database[Document], cassandra_away: Callable[[], object]
) -> None:
    browser = member(ANALYSTS)
    assert (
        "Продажи ещё не сложены. Это делается каждые пять минут" in browser.get("/admin/boards/today/").content.decode()
    )
    now = datetime.now(UTC)
    for _ in range(5):
        sum_sales(now - timedelta(minutes=1))

    cassandra_away()
    with pytest.raises(CassandraError):
        sum_sales(now)
    arrived_everywhere()

    for page in ("today", "sales"):
        told = browser.get(f"/admin/boards/{page}/")
        assert told.status_code == 200
        assert "Cassandra не отвечает (последняя попытка — " in told.content.decode()


@pytest.mark.parametrize("geozone", ["", "spb"])
def test_sales_of_a_period_are_those_of_its_days(geozones: Database[Document], geozone: str) -> None:
    first, last = date(2026, 11, 2), date(2026, 11, 9)
    begin = datetime(2026, 11, 1, tzinfo=MOSCOW)
    quarters = random_quarters(begin, 11, 120)
    keep("sales_quarters", *quarters)
    summed_until(NOW)

    board = sales_board(first, last, geozone, NOW)

    zones = [geozone] if geozone else ["msk", "spb"]
    days = [begin + timedelta(days=number) for number in range(1, 9)]
    expected = {}
    for day in days:
        sales = Sales()
        for zone in zones:
            sales = sales.plus(by_hand(quarters, day, day + timedelta(days=1), zone))
        expected[f"{day:%d.%m.%Y}"] = sales
    rows = table(board.tables, "days").rows
    assert [row[0].exact for row in rows] == list(reversed(expected))
    for row in rows:
        sales = expected[str(row[0].exact)]
        assert [value.exact for value in row[1:]] == [*sales, sales.revenue]
    of_zones = table(board.tables, "geozones").rows
    assert [row[1].exact for row in of_zones] == [
        by_hand(quarters, days[0], days[-1] + timedelta(days=1), zone).orders for zone in zones
    ]


@pytest.mark.usefixtures("patient")
def test_numbers_lead_to_as_many_orders(orders: Database[Document]) -> None:
    now = datetime.now(UTC)
    earlier = now - timedelta(days=3)
    sell(orders, Sale(earlier, "msk", 1000), Sale(earlier, "spb", 500), Sale(earlier, "spb"))
    orders["sales_progress"].insert_one({"_id": "sales", "seen_until": earlier - timedelta(hours=1)})
    sum_sales(now)
    arrived_everywhere()
    browser = member(ANALYSTS)

    page = browser.get("/admin/boards/sales/?geozone=spb")

    days = table(page.context["shown"].tables, "days")
    (row,) = [row for row in days.rows if row[1].exact]
    assert (row[1].exact, row[6].exact) == (2, Decimal(500))
    listed = browser.get(row[1].url).context["cl"].result_list
    assert [order.geozone for order in listed] == ["spb", "spb"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("since=2026-11-10&until=2026-11-01", "Конец раньше начала."),
        ("since=2026-01-01&until=2026-11-01", "Период — не больше 92 дней."),
        ("since=2999-01-01&until=2999-01-02", "Эти дни ещё не наступили."),
        ("since=0001-01-01&until=0001-01-02", "Тогда магазина ещё не было."),
        ("until=0001-01-01", "Тогда магазина ещё не было."),
        ("since=yesterday", "Введите правильную дату."),
    ],
)
def test_period_that_makes_no_sense_is_refused_and_nothing_is_read(
    geozones: Database[Document], query: str, told: str
) -> None:
    browser = member(ANALYSTS)

    with COMMANDS.counted() as sent:
        page = browser.get(f"/admin/boards/sales/?{query}")

    assert told in page.content.decode()
    assert page.context["shown"] is None
    assert not [each for each in sent if each.collection == "sales_quarters"]
    assert browser.get(f"/admin/boards/sales/csv/?{query}&table=days").status_code == 404


def test_boards_ask_one_shard_a_few_times(geozones: Database[Document]) -> None:
    summed_until(datetime.now(UTC))
    browser = member(ANALYSTS)
    browser.get("/admin/")

    counts = {}
    for page in ("today", "sales"):
        with COMMANDS.counted() as sent:
            browser.get(f"/admin/boards/{page}/")
        asked = {each: times for each, times in sent.items() if each.collection.startswith("sales_")}
        assert {each.shards for each in asked} == {1}
        counts[page] = {each.command: times for each, times in asked.items()}

    assert counts == {"today": {"find": 1, "aggregate": 4}, "sales": {"find": 1, "aggregate": 1}}


def test_csv_has_the_exact_figures_of_the_table(geozones: Database[Document]) -> None:
    keep("sales_quarters", quarter(datetime(2026, 11, 3, 12, tzinfo=MOSCOW), orders=1200, paid=99_000, refunded=500))
    summed_until(NOW)
    address = "/admin/boards/sales/csv/?since=2026-11-02&until=2026-11-03&table=days"
    browser = member(ANALYSTS)

    sheet = browser.get(address)

    assert sheet.headers["content-type"] == "text/csv; charset=utf-8"
    assert sheet.headers["content-disposition"].startswith('attachment; filename="sales-days-')
    assert sheet.content.decode() == (
        "\ufeffДень;Заказы;Товаров, шт.;Сумма заказов;Оплачено;Возвращено;Выручка\r\n"
        "03.11.2026;1200;2400;1200000,00;99000,00;500,00;98500,00\r\n"
        "02.11.2026;0;0;0,00;0,00;0,00;0,00\r\n"
    )
    assert "03.11.2026;1200;2400;1200000.00;99000.00" in in_english(browser).get(address).content.decode()
    assert browser.get("/admin/boards/sales/csv/?table=nothing").status_code == 404


def test_sales_are_not_for_everybody(geozones: Database[Document]) -> None:
    browser: Client = member(SUPPORT)

    for address in ("today/", "sales/", "sales/csv/?table=days"):
        assert browser.get(f"/admin/boards/{address}").status_code == 403
    home = browser.get("/admin/").context["desk"]
    assert [card.title for card in home.figures] == ["Брошенные корзины вчера"]
    assert [board.title for board in home.boards] == ["Брошенные корзины", "Цены за неделю"]


def test_home_shows_the_revenue_of_today_to_those_who_may_see_it(geozones: Database[Document]) -> None:
    now = datetime.now(MOSCOW)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    keep("sales_quarters", quarter(midnight, orders=2, paid=2500, refunded=500))
    summed_until(now)

    card = member(ANALYSTS).get("/admin/").context["desk"].figures[0]

    shown_today = now - midnight >= QUARTER
    assert (card.title, card.link) == ("Выручка сегодня", "/admin/boards/today/")
    assert card.value == ("2 000,00 ₽" if shown_today else "0,00 ₽")
