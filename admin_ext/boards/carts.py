"""Abandoned carts over a period: how many, what was lost, which products."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode

from admin_ext.boards.charts import bars, day_label
from admin_ext.boards.freshness import AS_OF
from admin_ext.boards.parts import Chart, Column, Shown, Table, Tile, Value, money, number, share, text
from admin_ext.boards.periods import address
from cart.reports import Day, LostProduct, abandoned_by_geozone, abandoned_cart_report
from catalog.structure.names import geozone_name
from gateway.domain.texts import Text
from gateway.mongo.reads import run, run_steps
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.times import time_text

RATE, LOST = Text("Доля брошенных", "Rate of abandonment"), Text("Потеряно", "Lost value")
ORDERED = Text("Стали заказами", "Became orders")
OF_CARTS = Text("{part} из {whole} корзин", "{part} of {whole} carts")
PRICES = Text("по ценам, которые видел покупатель", "at the prices that buyers saw")
BY_GEOZONE, BY_DAY = Text("По геозонам", "By geozone"), Text("По дням", "By day")
PRODUCTS = Text("Товары, которые бросают", "Products left behind")
GEOZONE, DAY, PRODUCT = Text("Геозона", "Geozone"), Text("День", "Day"), Text("Товар", "Product")
NO_GEOZONE = Text("не выбрана", "not chosen")
FIGURES = (
    Text("Корзины", "Carts"),
    Text("Брошено", "Abandoned"),
    Text("Доля", "Rate"),
    Text("Стали заказами", "Became orders"),
    Text("Потеряно", "Lost"),
)
OF_PRODUCT = (
    Text("Артикул", "Product id"),
    Text("В корзинах", "In carts"),
    Text("Штук", "Pieces"),
    Text("Потеряно", "Lost"),
)
DAYS_ARE = Text(
    "День — тот, в который корзина создана, по UTC. Корзина гостя считается брошенной через {guest} дней без "
    "изменений, покупателя — через {customer}: последние дни ещё изменятся.",
    "The day is that on which the cart was made, in UTC. A guest's cart counts as abandoned after {guest} days without "
    "a change, a customer's after {customer}: the last days will change still.",
)
NO_CARTS = Text("За эти дни корзин не было. Выберите другой период.", "No carts on these days. Choose another period.")
NO_PRODUCTS = Text("Никто ничего не бросил.", "Nothing was left behind.")
NOT_COMPUTED = Text(
    "Корзины ещё не посчитаны. Это делается само каждые 10 минут: загляните немного позже. "
    "Если через полчаса здесь по-прежнему пусто, скажите оператору.",
    "The carts are not counted yet. That is done every 10 minutes: look again a little later. "
    "If nothing is here in half an hour, tell an operator.",
)
CHART = Text("Потеряно по дням, ₽", "Lost by day, RUB")
DESCRIBED = Text(
    "График: на сколько брошено по дням, всего {lost}. Числа — в таблице «По дням».",
    "Chart: what was lost by day, {lost} in all. The table «By day» has the numbers.",
)


def carts_board(first: date, last: date, geozone: str, *, sees_products: bool) -> Shown:
    report = run_steps(abandoned_cart_report(first, last, geozone or None))
    if report is None:
        return Shown(nothing=said(NOT_COMPUTED))
    total = _total(report.days)
    tables = [_by_day(report.days, geozone), _products(report.products, sees_products=sees_products)]
    if not geozone:
        of_geozones = run(abandoned_by_geozone(first, last))
        tables.insert(0, _by_geozone(of_geozones, first, last))
    return Shown(
        as_of=said(AS_OF, time=time_text(report.computed_at)),
        tiles=_tiles(total, carts_of(first, last, geozone)),
        charts=[_chart(report.days, total)] if total.carts else (),
        tables=tables,
    )


def carts_of(first: date, last: date, geozone: str = "") -> str:
    """The list of the daily figures behind a number."""
    query = {"day__gte": first.isoformat(), "day__lt": (last + timedelta(days=1)).isoformat(), "geozone": geozone}
    given = urlencode({name: value for name, value in query.items() if value})
    return f"{reverse('admin:cart_abandonedcartday_changelist')}?{given}"


def _total(days: Sequence[Day]) -> Day:
    return Day(
        day=days[0].day,
        carts=sum(day.carts for day in days),
        abandoned=sum(day.abandoned for day in days),
        ordered=sum(day.ordered for day in days),
        lost_value=sum((day.lost_value for day in days), Decimal(0)),
    )


def _tiles(total: Day, url: str) -> list[Tile]:
    whole = number(total.carts).shown
    return [
        Tile(
            said(RATE),
            share(total.abandoned, total.carts).shown,
            said(OF_CARTS, part=number(total.abandoned).shown, whole=whole),
            url,
        ),
        Tile(said(LOST), money_text(total.lost_value), said(PRICES), url),
        Tile(
            said(ORDERED),
            share(total.ordered, total.carts).shown,
            said(OF_CARTS, part=number(total.ordered).shown, whole=whole),
            url,
        ),
    ]


def _by_day(days: Sequence[Day], geozone: str) -> Table:
    return Table(
        code="days",
        title=said(BY_DAY),
        columns=[Column(said(DAY), is_number=False), *(Column(said(figure)) for figure in FIGURES)],
        rows=[
            _row(f"{each.day:%d.%m.%Y}", each, carts_of(each.day, each.day, geozone))
            for each in reversed(days)
            if each.carts
        ],
        remark=said(DAYS_ARE, guest=settings.CART_GUEST_DAYS, customer=settings.CART_CUSTOMER_DAYS),
        empty=said(NO_CARTS),
    )


def _by_geozone(found: Sequence[tuple[str | None, Day]], first: date, last: date) -> Table:
    return Table(
        code="geozones",
        title=said(BY_GEOZONE),
        columns=[Column(said(GEOZONE), is_number=False), *(Column(said(figure)) for figure in FIGURES)],
        rows=[
            _row(geozone_name(code) or said(NO_GEOZONE), figures, address(first, last, code) if code else "")
            for code, figures in found
        ],
        empty=said(NO_CARTS),
    )


def _row(name: str, figures: Day, url: str) -> list[Value]:
    return [
        text(name, url),
        number(figures.carts, url),
        number(figures.abandoned, url),
        share(figures.abandoned, figures.carts),
        number(figures.ordered, url),
        money(figures.lost_value, url),
    ]


def _products(products: Sequence[LostProduct], *, sees_products: bool) -> Table:
    return Table(
        code="products",
        title=said(PRODUCTS),
        columns=[
            Column(said(PRODUCT), is_number=False),
            Column(said(OF_PRODUCT[0]), is_number=False),
            *(Column(said(figure)) for figure in OF_PRODUCT[1:]),
        ],
        rows=[
            [
                text(each.name, product_url(each.product_id) if sees_products else ""),
                text(each.product_id),
                number(each.carts),
                number(each.quantity),
                money(each.lost_value),
            ]
            for each in products
        ],
        empty=said(NO_PRODUCTS),
    )


def product_url(product_id: str) -> str:
    return reverse("admin:catalog_product_change", args=[product_id])


def _chart(days: Sequence[Day], total: Day) -> Chart:
    return Chart(
        title=said(CHART),
        kind="bar",
        data=bars([day_label(each.day) for each in days], said(LOST), [each.lost_value for each in days]),
        described=said(DESCRIBED, lost=money_text(total.lost_value)),
    )
