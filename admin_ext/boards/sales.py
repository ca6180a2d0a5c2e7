"""Sales by geozone and day over a period, from the sums of Cassandra's rows."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import TypeVar

from django.urls import reverse

from admin_ext.boards.charts import bars, day_label
from admin_ext.boards.freshness import as_of, not_yet, warnings
from admin_ext.boards.parts import Chart, Column, Shown, Table, Tile, Value, money, number, text
from admin_ext.boards.periods import address, begin
from admin_ext.boards.today import total_of
from cart.analytics import days_between
from catalog.structure.names import geozone_name
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said
from gateway.staff.money import money_text
from ordering.sales.figures import FRESHNESS, Sales, Sold, sold

K = TypeVar("K", bound=Hashable)

REVENUE, ORDERS, MEAN = Text("Выручка", "Revenue"), Text("Заказы", "Orders"), Text("Средний заказ", "Mean order")
REFUNDED = Text("возвращено {refunded}", "refunded {refunded}")
WORTH = Text("на сумму {total}", "worth {total}")
BY_GEOZONE, BY_DAY = Text("По геозонам", "By geozone"), Text("По дням", "By day")
GEOZONE, DAY, TOTAL = Text("Геозона", "Geozone"), Text("День", "Day"), Text("Всего", "Total")
FIGURES = (
    Text("Заказы", "Orders"),
    Text("Товаров, шт.", "Pieces"),
    Text("Сумма заказов", "Worth"),
    Text("Оплачено", "Paid"),
    Text("Возвращено", "Refunded"),
    Text("Выручка", "Revenue"),
)
REMARK = Text(
    "Дни — по времени магазина. Выручка — оплачено за вычетом возвращённого по заказам этого дня, когда бы ни платили "
    "и ни возвращали.",
    "Days are those of the shop. Revenue is what was paid less what was refunded of the orders of that day, whenever "
    "that was.",
)
NO_ORDERS = Text("За этот период заказов не было. Выберите другие дни.", "No orders in this period. Choose other days.")
CHART = Text("Выручка по дням, ₽", "Revenue by day, RUB")
DESCRIBED = Text(
    "График: выручка по дням. Больше всего — {day}: {revenue}. Числа — в таблице «По дням».",
    "Chart: revenue by day. Most on {day}: {revenue}. The table «By day» has the numbers.",
)


def sales_board(first: date, last: date, geozone: str, now: datetime) -> Shown:
    freshness = run(FRESHNESS)
    if freshness.seen_until is None:
        return Shown(nothing=not_yet(freshness))
    found = run(sold(begin(first), begin(last + timedelta(days=1)), "day", geozone or None))
    by_geozone = _grouped(found, lambda each: each.geozone)
    by_day = _grouped(found, lambda each: each.begins.date())
    days = days_between(first, last)
    total = total_of(by_day.values())
    return Shown(
        as_of=as_of(freshness),
        warnings=warnings(freshness, now),
        tiles=_tiles(total, orders_between(first, last, geozone)),
        charts=[_chart(days, by_day)] if by_day else (),
        tables=[
            _table(
                "geozones",
                BY_GEOZONE,
                GEOZONE,
                [
                    _row(geozone_name(code), by_geozone[code], orders_between(first, last, code))
                    for code in sorted(by_geozone, key=geozone_name)
                ],
                total=_row(said(TOTAL), total, orders_between(first, last, geozone)),
            ),
            _table(
                "days",
                BY_DAY,
                DAY,
                [
                    _row(f"{day:%d.%m.%Y}", by_day.get(day, Sales()), orders_between(day, day, geozone))
                    for day in (reversed(days) if by_day else ())
                ],
            ),
        ],
    )


def orders_between(first: date, last: date, geozone: str = "") -> str:
    """The list of the orders of these days."""
    return address(first, last, geozone, reverse("admin:ordering_order_changelist"))


def _grouped(found: Iterable[Sold], key: Callable[[Sold], K]) -> dict[K, Sales]:
    sums: dict[K, Sales] = {}
    for each in found:
        sums[key(each)] = sums.get(key(each), Sales()).plus(each.sales)
    return sums


def _tiles(total: Sales, url: str) -> list[Tile]:
    return [
        Tile(said(REVENUE), money_text(total.revenue), said(REFUNDED, refunded=money_text(total.refunded)), url),
        Tile(said(ORDERS), number(total.orders).shown, said(WORTH, total=money_text(total.total)), url),
        Tile(said(MEAN), money_text(total.mean), "", url),
    ]


def _table(code: str, title: Text, of: Text, rows: list[list[Value]], total: Iterable[Value] = ()) -> Table:
    return Table(
        code=code,
        title=said(title),
        columns=[Column(said(of), is_number=False), *(Column(said(figure)) for figure in FIGURES)],
        rows=rows,
        total=list(total) if len(rows) > 1 else (),
        remark=said(REMARK) if rows else "",
        empty=said(NO_ORDERS),
    )


def _row(name: str, sales: Sales, url: str) -> list[Value]:
    return [
        text(name, url),
        number(sales.orders, url),
        number(sales.pieces, url),
        money(sales.total, url),
        money(sales.paid, url),
        money(sales.refunded, url),
        money(sales.revenue, url),
    ]


def _chart(days: list[date], by_day: Mapping[date, Sales]) -> Chart:
    revenue = [by_day.get(day, Sales()).revenue for day in days]
    best = max(range(len(days)), key=revenue.__getitem__)
    return Chart(
        title=said(CHART),
        kind="bar",
        data=bars([day_label(day) for day in days], said(REVENUE), revenue),
        described=said(DESCRIBED, day=day_label(days[best]), revenue=money_text(revenue[best])),
    )
