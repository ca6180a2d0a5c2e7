"""«Мало на складе»: what runs out in a geozone, category by category, as a page and as a file."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib.admin.views.main import PAGE_VAR
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from admin_ext.counters import LOW_STOCK, LowStock
from admin_ext.sidebar import LOW_STOCK as PAGE
from admin_ext.stock.counts import counted_text, sum_of
from admin_ext.stock.frame import SEE_PRODUCTS, needs, page, reader_of
from admin_ext.stock.levels import LevelShown, level_shown
from catalog.documents import ProductDocument
from catalog.exchange.cells import harmless
from catalog.listing.low_stock import count_low_stock, low_stock
from catalog.listing.routes import Level, Shelf
from catalog.pictures.addresses import thumbnail_of
from catalog.products.derived import DEFAULT_LOW_AT
from catalog.structure.category_tree import CATEGORIES, CategoryNode
from catalog.structure.names import GEOZONE_NAMES, category_name
from gateway import deadline
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.paging import Slice
from gateway.staff.downloads import download
from gateway.staff.language import said
from gateway.staff.lists import slice_asked, ways_around
from ordering.reading.queues import COUNTED

PAGE_SIZE = 50
PART = 500
# Nobody orders more lines than these in one go; a category or a geozone at a time has fewer.
MAX_LINES = 20_000
# Of one part of the file.
PART_SECONDS = 5.0
# By which spreadsheets know the encoding.
MARK = "\ufeff"
GEOZONE, LEVEL, CATEGORY = "geozone", "level", "category"
THUMBNAIL = 64

LEVELS = {Level.NONE: Text("Нет", "None"), Level.LOW: Text("Мало", "Low")}
WORDS = {
    "geozones": Text("Геозона", "Geozone"),
    "levels": Text("Сколько осталось", "How much is left"),
    "category": Text("Категория", "Category"),
    "every_category": Text("Все категории", "All categories"),
    "show": Text("Показать", "Show"),
    "product": Text("Товар", "Product"),
    "threshold": Text("Порог", "Threshold"),
    "quantity": Text("На складе", "In stock"),
    "reserved": Text("В резерве", "Reserved"),
    "available": Text("Можно купить", "To be bought"),
    "elsewhere": Text("В других геозонах", "In other geozones"),
    "nowhere": Text("нигде", "nowhere"),
    "sheet": Text("Лист остатков", "Stock sheet"),
    "sheet_of_all": Text("Править остатки этих товаров", "Edit the stock of these products"),
    "history": Text("История", "History"),
    "file": Text("Скачать CSV", "Download CSV"),
    "what": Text(
        "«Нет» — купить нечего: всё продано или в резерве. «Мало» — можно купить не больше порога категории товара. "
        "Снятых с продажи здесь нет.",
        '"None": nothing can be bought, all is sold or reserved. "Low": no more can be bought than the threshold of '
        "the product's category. Withdrawn products are not here.",
    ),
    "empty": Text("Здесь всего хватает", "There is enough of everything here"),
    "to_thresholds": Text("Пороги — в категориях", "Thresholds: in the categories"),
    "no_geozones": Text("Геозон пока нет: заведите первую.", "There are no geozones yet: add the first one."),
}
WHERE_SET = Text(
    "Порог «мало» задаётся в карточке категории; без своего действует порог категории выше, а если не задан нигде — "
    "{count} шт.",
    'The threshold of "low" is set on the page of a category; without its own, that of the category above holds, and '
    "{count} where none is set.",
)
NAMES_OF_COLUMNS = (
    *(Text("Артикул", "Id"), Text("Название", "Name"), WORDS["category"], WORDS["geozones"]),
    *(WORDS["quantity"], WORDS["reserved"], WORDS["available"], WORDS["threshold"]),
)
FIRST_ONLY = Text(
    "Показаны первые {count}: сузьте до категории.", "Only the first {count} are here: narrow it to a category."
)
FILE_NAME = Text("мало на складе {geozone}", "low stock {geozone}")


class Asked(NamedTuple):
    shelf: Shelf
    category: str
    """Empty: all of them."""

    @property
    def within(self) -> tuple[str, ...] | None:
        return CATEGORIES.get().within(self.category) if self.category else None

    def query(self, **changes: str) -> str:
        given = {
            GEOZONE: self.shelf.geozone,
            LEVEL: self.shelf.level.value,
            CATEGORY: self.category,
            **changes,
        }
        return urlencode({name: value for name, value in given.items() if value})


class Tab(NamedTuple):
    title: str
    number: str
    url: str
    is_chosen: bool


class Row(NamedTuple):
    id: str
    name: str
    picture: str
    category: str
    level: LevelShown
    threshold: int
    elsewhere: list[tuple[str, int]]
    """Where some could be fetched from, the most first."""
    url: str
    sheet: str
    history: str


@needs(SEE_PRODUCTS)
def low_view(request: HttpRequest) -> HttpResponse:
    asked = _asked(request.GET)
    if asked is None:
        return page(request, "stock/low.html", said(PAGE.title), WORDS, {"is_without_geozones": True})
    part = slice_asked(request, PAGE_SIZE)
    found = run(low_stock(asked.shelf, part, asked.within))
    counts = _counts(asked)
    context = {
        "asked": asked,
        "geozone_tabs": _geozone_tabs(asked, counts),
        "level_tabs": _level_tabs(asked, counts),
        "categories": _categories(),
        "rows": [_row(document, asked.shelf.geozone) for document in found.documents],
        "ways": ways_around(found, part, lambda place: f"?{asked.query(**{PAGE_VAR: place})}"),
        "sheet_url": _sheet_of_all(asked),
        "file_url": f"{reverse('stock_low_file')}?{asked.query()}",
        "empty_hint": said(WHERE_SET, count=DEFAULT_LOW_AT),
        "thresholds_url": _thresholds(request, asked.category),
    }
    return page(request, "stock/low.html", said(PAGE.title), WORDS, context)


@needs(SEE_PRODUCTS)
def low_file_view(request: HttpRequest) -> HttpResponseBase:
    """The same as a file, part by part; longer than anybody orders by, it ends and says so."""
    asked = _asked(request.GET)
    if asked is None:
        return HttpResponse(status=404)
    # Settled here: when the parts are made, the request is over.
    header = [said(each) for each in NAMES_OF_COLUMNS]
    names = GEOZONE_NAMES.get(), {slug: node.name for slug, node in CATEGORIES.get().nodes.items()}
    blocks = _blocks(asked, asked.within, header, names, said(FIRST_ONLY, count=MAX_LINES))
    name = said(FILE_NAME, geozone=names[0].get(asked.shelf.geozone, asked.shelf.geozone))
    return download(f"{name}.csv", "text/csv; charset=utf-8", blocks)


def _asked(query: Mapping[str, str]) -> Asked | None:
    """What the address asks for, or the first of all; None: there is no geozone."""
    geozones = list(GEOZONE_NAMES.get())
    if not geozones:
        return None
    geozone = query.get(GEOZONE, "")
    level = Level.LOW if query.get(LEVEL) == Level.LOW.value else Level.NONE
    category = query.get(CATEGORY, "")
    shelf = Shelf(geozone if geozone in geozones else geozones[0], level)
    return Asked(shelf, category if CATEGORIES.get().get(category) else "")


def _counts(asked: Asked) -> LowStock:
    """Of every geozone and level; of all categories as they were some seconds ago."""
    if asked.within is None:
        return LOW_STOCK.get() or {}
    within = asked.within
    shelves = [Shelf(geozone, level) for geozone in GEOZONE_NAMES.get() for level in LEVELS]
    return {shelf: run(count_low_stock(shelf, COUNTED, within)) for shelf in shelves}


def _geozone_tabs(asked: Asked, counts: LowStock) -> list[Tab]:
    def told(geozone: str) -> str:
        return counted_text(sum_of({shelf: number for shelf, number in counts.items() if shelf.geozone == geozone}))

    return [
        Tab(name, told(code) if counts else "", f"?{asked.query(geozone=code)}", code == asked.shelf.geozone)
        for code, name in GEOZONE_NAMES.get().items()
    ]


def _level_tabs(asked: Asked, counts: LowStock) -> list[Tab]:
    geozone, chosen = asked.shelf
    return [
        Tab(
            said(text),
            counted_text(counts[Shelf(geozone, level)]) if Shelf(geozone, level) in counts else "",
            f"?{asked.query(level=level.value)}",
            level is chosen,
        )
        for level, text in LEVELS.items()
    ]


def _categories() -> list[tuple[str, str]]:
    """Slugs and names, each under the ones above it."""
    tree = CATEGORIES.get()

    def branch(node: CategoryNode) -> Iterator[tuple[str, str]]:
        yield node.slug, f"{'— ' * len(node.path)}{node.name}"
        for child in tree.children(node.slug):
            yield from branch(child)

    return [each for root in tree.children(None) for each in branch(root)]


def _row(document: ProductDocument, geozone: str) -> Row:
    names, id_ = GEOZONE_NAMES.get(), document["_id"]
    others = [level_shown(document, code, name) for code, name in names.items() if code != geozone]
    images = document.get("images") or []
    return Row(
        id_,
        document["name"],
        thumbnail_of(images[0] if images else None, THUMBNAIL),
        category_name(document["category"]),
        level_shown(document, geozone, names[geozone]),
        document.get("low_at", DEFAULT_LOW_AT),
        sorted(((each.name, each.available) for each in others if each.available), key=lambda each: -each[1]),
        reverse("admin:catalog_product_change", args=[id_]),
        f"{reverse('stock_sheet')}?{urlencode({'q': id_})}",
        reverse("stock_history", args=[id_]),
    )


def _sheet_of_all(asked: Asked) -> str:
    given = {
        "stock": f"{asked.shelf.geozone}:{asked.shelf.level.value}",
        "state": "on_sale",
        "category": asked.category,
    }
    return f"{reverse('stock_sheet')}?{urlencode({name: value for name, value in given.items() if value})}"


def _thresholds(request: HttpRequest, category: str) -> str:
    """Where thresholds are set: the page of the category, or of all; empty for those who may not open it."""
    if not reader_of(request).has_perm("catalog.view_category"):
        return ""
    if category:
        return reverse("admin:catalog_category_change", args=[category])
    return reverse("admin:catalog_category_changelist")


def _blocks(
    asked: Asked,
    within: Sequence[str] | None,
    header: Sequence[str],
    names: tuple[Mapping[str, str], Mapping[str, str]],
    first_only: str,
) -> Iterator[bytes]:
    yield (MARK + _lines([header])).encode()
    part, written = Slice(PART), 0
    while True:
        with deadline.within(PART_SECONDS):
            found = run(low_stock(asked.shelf, part, within))
        yield _lines([_cells(each, asked.shelf.geozone, *names) for each in found.documents]).encode()
        written += len(found.placed)
        if not found.has_next:
            return
        if written >= MAX_LINES:
            yield _lines([[first_only]]).encode()
            return
        part = Slice(PART, beyond=found.placed[-1].position)


def _cells(
    document: ProductDocument, geozone: str, geozones: Mapping[str, str], categories: Mapping[str, str]
) -> list[Any]:
    name, slug = geozones.get(geozone, geozone), document["category"]
    level = level_shown(document, geozone, name)
    return [
        *map(harmless, (document["_id"], document["name"], categories.get(slug, slug), name)),
        *(level.quantity, level.reserved, level.available, document.get("low_at", DEFAULT_LOW_AT)),
    ]


def _lines(rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows(rows)
    return text.getvalue()
