"""Prices of the last week: how many changed, by whom, and which moved most."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.urls import reverse
from django.utils.http import urlencode

from admin_ext.boards.carts import product_url
from admin_ext.boards.charts import bars, day_label
from admin_ext.boards.parts import Chart, Column, Shown, Table, Tile, Value, growth, money, number, text
from admin_ext.boards.periods import begin, last_days, shop_day
from admin_ext.boards.price_changes import (
    LOOKED_THROUGH,
    Changed,
    Moved,
    PriceChanges,
    first_left_out,
    largest_moves,
    price_changes,
)
from admin_ext.jobs.pages.words import number_text
from cart.analytics import days_between
from gateway.accounts.models import User
from gateway.audit.labels import field_of
from gateway.audit.lines import program_name
from gateway.audit.links import PAGE, PROGRAMS, audit_url
from gateway.audit.people import names_of
from gateway.audit.trail import Action
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said
from gateway.staff.times import time_text

WEEK = 7

PRODUCTS = Text("Товаров с новой ценой", "Products with a new price")
PER_WEEK = Text("за семь дней, разных", "different ones, in seven days")
RISES, CUTS = Text("Больше всего подорожали", "Largest rises"), Text("Больше всего подешевели", "Largest cuts")
LARGEST = Text("{product}: {before} → {after}", "{product}: {before} → {after}")
BY_WHOM = Text("По дням и людям", "By day and person")
DAY, WHO, HOW_MANY = Text("День", "Day"), Text("Кто", "Who"), Text("Товаров", "Products")
PRODUCT, WHICH = Text("Товар", "Product"), Text("Что", "What")
BEFORE, AFTER, CHANGE = Text("Было", "Before"), Text("Стало", "After"), Text("Изменение", "Change")
OVER_WEEK = Text(
    "Цена в начале недели и в конце; что между ними, видно в журнале товара.",
    "The price at the beginning of the week and at its end; the product's audit shows what was between.",
)
NO_CHANGES = Text(
    "За семь дней цен никто не менял. Изменить их можно в списке товаров.",
    "Nobody changed a price in seven days. They can be changed in the list of products.",
)
NO_RISES, NO_CUTS = Text("Ничего не подорожало.", "Nothing rose."), Text("Ничего не подешевело.", "Nothing was cut.")
LEFT_OUT = Text(
    "Изменений очень много: показаны последние {count}, с {time}.",
    "There are very many changes: these are the latest {count}, since {time}.",
)
CHART = Text("Товаров с изменённой ценой по дням", "Products with a changed price, by day")
DESCRIBED = Text(
    "График: у скольких товаров менялась цена, по дням; всего {products}. Числа — в таблице.",
    "Chart: how many products had their price changed, by day; {products} in all. The table has the numbers.",
)


def prices_board(user: User, now: datetime) -> Shown:
    first, last = last_days(shop_day(now), WEEK)
    period = begin(first), begin(last + timedelta(days=1))
    changes = run(price_changes(*period))
    moves = run(largest_moves(*period))
    left_out = run(first_left_out(*period))
    sees_products = user.has_perm("catalog.view_product")
    return Shown(
        warnings=[said(LEFT_OUT, count=number_text(LOOKED_THROUGH), time=time_text(left_out))] if left_out else (),
        tiles=_tiles(changes, moves.rises, moves.cuts, changes_url(first, last)),
        charts=[_chart(days_between(first, last), changes)] if changes.changed else (),
        tables=[
            _people(changes.changed),
            _moves("rises", RISES, NO_RISES, moves.rises, sees_products=sees_products),
            _moves("cuts", CUTS, NO_CUTS, moves.cuts, sees_products=sees_products),
        ],
    )


def changes_url(first: date, last: date, person: str = "") -> str:
    """The changes of products of these days in the audit."""
    query = {
        "action": Action.PRODUCT_CHANGED.value,
        "person": person,
        "since": first.isoformat(),
        "until": last.isoformat(),
    }
    return f"{reverse(PAGE)}?{urlencode({name: value for name, value in query.items() if value})}"


def _tiles(changes: PriceChanges, rises: Sequence[Moved], cuts: Sequence[Moved], url: str) -> list[Tile]:
    return [
        Tile(said(PRODUCTS), number_text(changes.products), said(PER_WEEK), url),
        *(_largest(title, moves[0]) for title, moves in ((RISES, rises), (CUTS, cuts)) if moves),
    ]


def _largest(title: Text, moved: Moved) -> Tile:
    told = said(LARGEST, product=moved.product_id, before=money(moved.before).shown, after=money(moved.after).shown)
    return Tile(said(title), growth(moved.before, moved.after).shown, told, audit_url(f"product:{moved.product_id}"))


def _people(changed: Sequence[Changed]) -> Table:
    names = run(names_of(each.actor_id for each in changed if each.actor_id))
    return Table(
        code="people",
        title=said(BY_WHOM),
        columns=[Column(said(DAY), is_number=False), Column(said(WHO), is_number=False), Column(said(HOW_MANY))],
        rows=[
            [
                text(f"{each.day:%d.%m.%Y}"),
                text(names.get(each.actor_id, each.actor) if each.actor_id else program_name(each.actor)),
                number(each.products, changes_url(each.day, each.day, each.actor_id or PROGRAMS)),
            ]
            for each in changed
        ],
        empty=said(NO_CHANGES),
    )


def _moves(code: str, title: Text, empty: Text, moves: Sequence[Moved], *, sees_products: bool) -> Table:
    titles = (PRODUCT, WHICH, BEFORE, AFTER, CHANGE)
    return Table(
        code=code,
        title=said(title),
        columns=[Column(said(each), is_number=place > 1) for place, each in enumerate(titles)],
        rows=[_move(each, sees_products=sees_products) for each in moves],
        remark=said(OVER_WEEK) if moves else "",
        empty=said(empty),
    )


def _move(moved: Moved, *, sees_products: bool) -> list[Value]:
    field = field_of("product", moved.field)
    change = growth(moved.before, moved.after)
    return [
        text(moved.product_id, product_url(moved.product_id) if sees_products else ""),
        text(said(field.label) if field else moved.field),
        money(moved.before),
        money(moved.after),
        change._replace(url=audit_url(f"product:{moved.product_id}")),
    ]


def _chart(days: Sequence[date], changes: PriceChanges) -> Chart:
    return Chart(
        title=said(CHART),
        kind="bar",
        data=bars([day_label(day) for day in days], said(HOW_MANY), [changes.by_day.get(day, 0) for day in days]),
        described=said(DESCRIBED, products=number_text(changes.products)),
    )
