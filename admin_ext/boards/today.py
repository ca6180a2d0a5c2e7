"""Today: orders and revenue by geozone, against the same day of last week up to the same time."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from typing import NamedTuple

from django.urls import reverse
from django.utils.timezone import get_default_timezone

from admin_ext.boards.charts import lines
from admin_ext.boards.freshness import as_of, not_yet, warnings
from admin_ext.boards.parts import (
    Chart,
    Column,
    Key,
    Shown,
    Table,
    Tile,
    Value,
    growth,
    in_brackets,
    money,
    number,
    text,
)
from admin_ext.boards.periods import address, begin, shop_day
from admin_ext.jobs.pages.words import number_text
from catalog.structure.names import geozone_name
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said
from gateway.staff.money import money_text
from ordering.reading.reports import quarter_of
from ordering.sales.figures import FRESHNESS, Sales, Sold, sold

WEEK = timedelta(days=7)
HOURS = 24

REVENUE, ORDERS = Text("Выручка сегодня", "Revenue today"), Text("Заказы сегодня", "Orders today")
MEAN = Text("Средний заказ", "Mean order")
WEEK_AGO = Text("неделю назад к {clock}: {value}{growth}", "a week ago by {clock}: {value}{growth}")
BY_GEOZONE = Text("По геозонам", "By geozone")
TOTAL = Text("Всего", "Total")
COLUMNS = (
    Text("Геозона", "Geozone"),
    Text("Заказы", "Orders"),
    Text("Заказы неделю назад", "Orders a week ago"),
    Text("Выручка", "Revenue"),
    Text("Выручка неделю назад", "Revenue a week ago"),
    Text("Изменение", "Change"),
)
COMPARED = Text(
    "Оба дня — до {clock}. Выручка — оплачено за вычетом возвращённого; у прошлой недели учтено и то, что оплатили "
    "и вернули потом.",
    "Both days until {clock}. Revenue is what was paid less what was refunded; last week's has what was paid and "
    "refunded later too.",
)
NO_ORDERS = Text("Сегодня и неделю назад к этому часу заказов не было.", "No orders by this hour, today or a week ago.")
CHART = Text("Выручка нарастающим итогом, ₽", "Revenue so far, RUB")
DESCRIBED = Text(
    "График: выручка по часам нарастающим итогом, сегодня {now}, неделю назад за весь день {before}. Числа — ниже.",
    "Chart: revenue so far by the hour, today {now}, a week ago {before} in the whole day. The table has the numbers.",
)
TODAY, LAST_WEEK = Text("Сегодня", "Today"), Text("Неделю назад", "A week ago")


class Compared(NamedTuple):
    """Today until some moment, and the same day of last week until the same time."""

    until: datetime
    """In the shop's zone; today begins and ends in it."""
    today: Mapping[str, Sales]
    """By geozone."""
    before: Mapping[str, Sales]

    @property
    def clock(self) -> str:
        return f"{self.until:%H:%M}"

    def total(self) -> tuple[Sales, Sales]:
        return total_of(self.today.values()), total_of(self.before.values())


def total_of(sales: Iterable[Sales]) -> Sales:
    total = Sales()
    for each in sales:
        total = total.plus(each)
    return total


def compared(seen_until: datetime, now: datetime) -> Compared:
    """The figures as far as whole quarters of an hour are summed today."""
    day = shop_day(now)
    until = max(quarter_of(min(seen_until, now)), begin(day)).astimezone(get_default_timezone())
    # By the clock, not by 168 hours: summer time may have begun or ended.
    last_week = begin(day - WEEK, until.time())
    today = run(sold(begin(day), until, "day"))
    before = run(sold(begin(day - WEEK), last_week, "day"))
    return Compared(until, _by_geozone(today), _by_geozone(before))


def today_board(now: datetime) -> Shown:
    freshness = run(FRESHNESS)
    if freshness.seen_until is None:
        return Shown(nothing=not_yet(freshness))
    found = compared(freshness.seen_until, now)
    return Shown(
        as_of=as_of(freshness),
        warnings=warnings(freshness, now),
        tiles=_tiles(found),
        charts=[_chart(found)],
        tables=[_table(found)],
    )


def _by_geozone(found: Iterable[Sold]) -> dict[str, Sales]:
    sums: dict[str, Sales] = {}
    for each in found:
        sums[each.geozone] = sums.get(each.geozone, Sales()).plus(each.sales)
    return sums


def _tiles(found: Compared) -> list[Tile]:
    now, before = found.total()
    url = orders_of(found.until)

    def tile(title: Text, write: Callable[[Decimal], str], is_now: Decimal, was: Decimal) -> Tile:
        told = said(WEEK_AGO, clock=found.clock, value=write(was), growth=in_brackets(growth(was, is_now)))
        return Tile(said(title), write(is_now), told, url)

    return [
        tile(REVENUE, money_text, now.revenue, before.revenue),
        tile(ORDERS, lambda orders: number_text(int(orders)), Decimal(now.orders), Decimal(before.orders)),
        tile(MEAN, money_text, now.mean, before.mean),
    ]


def _table(found: Compared) -> Table:
    geozones = sorted({*found.today, *found.before}, key=geozone_name)
    return Table(
        code="geozones",
        title=said(BY_GEOZONE),
        columns=[Column(said(title), is_number=place > 0) for place, title in enumerate(COLUMNS)],
        rows=[
            _row(geozone_name(code), found.today.get(code, Sales()), found.before.get(code, Sales()), found.until, code)
            for code in geozones
        ],
        total=_row(said(TOTAL), *found.total(), found.until, "") if geozones else (),
        remark=said(COMPARED, clock=found.clock),
        empty=said(NO_ORDERS),
    )


def _row(name: str, now: Sales, before: Sales, until: datetime, geozone: str) -> list[Value]:
    today, week_ago = orders_of(until, geozone), orders_of(until - WEEK, geozone)
    return [
        text(name),
        number(now.orders, today),
        number(before.orders, week_ago),
        money(now.revenue, today),
        money(before.revenue, week_ago),
        growth(before.revenue, now.revenue),
    ]


def orders_of(day: datetime, geozone: str = "") -> str:
    """The list of the orders of that day."""
    return address(day.date(), day.date(), geozone, reverse("admin:ordering_order_changelist"))


def _chart(found: Compared) -> Chart:
    day = found.until.date()
    last_week = run(sold(begin(day - WEEK), begin(day - WEEK + timedelta(days=1)), "hour"))
    today = run(sold(begin(day), found.until, "hour"))
    now, before = _so_far(today, found.until.hour), _so_far(last_week, HOURS - 1)
    title = said(CHART)
    return Chart(
        title=title,
        kind="line",
        data=lines([f"{hour}:00" for hour in range(HOURS)], (said(TODAY), now), (said(LAST_WEEK), before)),
        described=said(DESCRIBED, now=money_text(now[-1]), before=money_text(before[-1])),
        keys=[Key(said(TODAY), "main"), Key(said(LAST_WEEK), "other")],
    )


def _so_far(found: Iterable[Sold], last_hour: int) -> list[Decimal]:
    """Revenue by the end of each hour of a day, as far as there is one."""
    by_hour = [Decimal(0)] * HOURS
    for each in found:
        by_hour[each.begins.hour] += each.sales.revenue
    return list(accumulate(by_hour))[: last_hour + 1]
