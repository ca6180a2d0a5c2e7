"""The page of a product's stock: what there is, and what has changed it, newest first."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib.admin.views.main import PAGE_VAR
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from admin_ext.stock.frame import SEE_PRODUCTS, needs, page, reader_of
from admin_ext.stock.levels import LevelShown, level_shown
from catalog.documents import ProductDocument
from catalog.models import StockMovement
from catalog.products.cards import PRODUCTS, ProductKey, keys_now
from catalog.stock.book import oldest_line
from catalog.stock.history import HistoryEntry, LevelChange, stock_history
from catalog.structure.names import GEOZONE_NAMES, geozone_name
from gateway.accounts.models import User
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.lines import READ_AUDIT, Line, lines_of
from gateway.audit.links import audit_url
from gateway.audit.trail import Action, Source
from gateway.domain.texts import Text
from gateway.mongo.policies import ORDER_STATUS, STAFF_LIST
from gateway.mongo.reads import Read, run, run_steps
from gateway.staff.language import said
from gateway.staff.lists import FIRST, place_text, slice_asked
from gateway.staff.times import time_text
from ordering.documents import OrderDocument
from ordering.reading.orders import OrderKey, orders_by_key

PAGE_SIZE = 50
SEE_ORDERS = "ordering.view_order"
MINUS = "−"
KEPT_DAYS = next(
    index.expire_after_seconds for index in StockMovement.collection.indexes if index.expire_after_seconds
) // (24 * 3600)

TITLE = Text("История остатков", "Stock history")
WORDS = {
    "now": Text("Сейчас", "Now"),
    "available": Text("можно купить", "to be bought"),
    "reserved": Text("в резерве", "reserved"),
    "not_kept": Text("не заведён", "not kept"),
    "when": Text("Когда", "When"),
    "geozone": Text("Геозона", "Geozone"),
    "what": Text("Что", "What"),
    "change": Text("Изменение", "Change"),
    "left": Text("Стало", "Became"),
    "who": Text("Кто", "Who"),
    "reason": Text("Причина", "Reason"),
    "step": Text("весь шаг", "the whole step"),
    "earlier": Text("Раньше", "Earlier"),
    "nothing": Text("Здесь пусто", "Nothing here"),
    "nothing_hint": Text(
        "Остаток этого товара ещё никто не менял.", "Nobody has changed the stock of this product yet."
    ),
    "nothing_here": Text(
        "В этой части журнала правок остатка нет: смотрите раньше.",
        "No stock in this part of the journal: see earlier.",
    ),
    "sheet": Text("Править остатки", "Edit the stock"),
    "audit": Text("Все правки товара", "All changes of the product"),
}
BEGINS = Text(
    "Правки и загрузки — из журнала, с самого начала. Заказы — из книги склада: она ведётся с {since} и хранит "
    "{days} дней. «Стало» — сколько числилось сразу после изменения. Резерв покупателей количества не меняет: оно "
    "уменьшается, когда заказ оплачен.",
    "Edits and imports come from the journal, from the very beginning; orders from the book of stock, which was begun "
    'on {since} and keeps {days} days. "Became" is what was counted right after the change. What buyers reserve does '
    "not change the quantity: it falls when the order is paid.",
)
NOT_BEGUN = Text("первой оплаты", "the first payment")

SALE = Text("Продажа", "Sale")
PUT_BACK = Text("Возврат на склад", "Put back")
RELEASED = Text("Резерв снят: отмена, истечение или перенос", "Reservation ended: cancelled, expired or moved")
ADJUSTED = Text("Корректировка", "Adjustment")
EDITED = Text("Правка товара", "Edit of the product")
IMPORTED = Text("Загрузка", "Import")
ADDED = Text("Товар заведён", "Product added")
CORRECTED = Text("Резерв исправлен", "Reservation corrected")
ORDER = Text("Заказ {number}", "Order {number}")
SOME_ORDER = Text("Заказ", "Order")
OF_RESERVED = Text("резерв {count}", "reserved {count}")
ACTIONS = {
    Action.STOCK_ADJUSTED.value: ADJUSTED,
    Action.PRODUCT_ADDED.value: ADDED,
    Action.RESERVATION_CORRECTED.value: CORRECTED,
}


class Row(NamedTuple):
    at: str
    geozone: str
    what: str
    change: str
    look: str
    """«more», «less», or nothing."""
    left: str
    who: str
    who_url: str
    reason: str
    step_url: str


@needs(SEE_PRODUCTS)
def history_view(request: HttpRequest, object_id: str) -> HttpResponse:
    product = _product(object_id)
    part = slice_asked(request, PAGE_SIZE)
    found = stock_history(ProductKey(product["category"], product["_id"]), PAGE_SIZE, part.beyond)
    reader = reader_of(request)
    may_audit = reader.has_perm(READ_AUDIT)
    begun = run(oldest_line())
    since = time_text(begun) if begun else said(NOT_BEGUN)
    earlier = f"?{urlencode({PAGE_VAR: place_text(found.beyond)})}" if found.beyond else ""
    context = {
        "product": product,
        "product_id": product["_id"],
        "product_url": reverse("admin:catalog_product_change", args=[product["_id"]]),
        "levels": _levels(product),
        "rows": _rows(found.entries, reader),
        "earlier_url": earlier,
        "first_url": request.path if part.beyond else "",
        "first": said(FIRST),
        "begins": said(BEGINS, since=since, days=KEPT_DAYS),
        "sheet_url": f"{reverse('stock_sheet')}?{urlencode({'q': product['_id']})}",
        "audit_url": audit_url(f"product:{product['_id']}") if may_audit else "",
    }
    return page(request, "stock/history.html", f"{said(TITLE)}: {product['name']}", WORDS, context)


def _product(product_id: str) -> ProductDocument:
    """By the directory and one shard."""
    keys = run(keys_now([product_id], STAFF_LIST))
    if not keys:
        raise Http404
    found: ProductDocument | None = run(
        Read(
            collection=PRODUCTS,
            policy=STAFF_LIST,
            where={"category": keys[0].category, "_id": product_id},
            fields=("category", "name", "stock", "shelf"),
            result=lambda documents: documents[0] if documents else None,
        )
    )
    if found is None:
        raise Http404
    return found


def _levels(product: ProductDocument) -> list[LevelShown]:
    return [level_shown(product, code, name) for code, name in GEOZONE_NAMES.get().items()]


def _rows(entries: Sequence[HistoryEntry], reader: User) -> list[Row]:
    """The entries in words. Names of people are asked for once, numbers of orders once, of every shard."""
    audited = [entry.audit for entry in entries if entry.audit]
    lines = dict(zip(map(_id, audited), lines_of(audited, reader=reader), strict=True))
    orders: Mapping[str, OrderDocument] = {}
    if ids := sorted({entry.order_id for entry in entries if entry.order_id}):
        orders = run_steps(orders_by_key([OrderKey(None, each) for each in ids], ORDER_STATUS))
    may_orders, may_audit = reader.has_perm(SEE_ORDERS), reader.has_perm(READ_AUDIT)
    return [
        _of_audit(entry, level, entry.audit, lines[_id(entry.audit)], may_audit=may_audit)
        if entry.audit
        else _of_order(entry, level, orders.get(entry.order_id), may_open=may_orders)
        for entry in entries
        for level in entry.levels
    ]


def _of_order(entry: HistoryEntry, level: LevelChange, order: OrderDocument | None, *, may_open: bool) -> Row:
    what = SALE if level.counted < 0 else PUT_BACK if level.counted else RELEASED
    return Row(
        time_text(entry.at, seconds=True),
        geozone_name(level.geozone),
        said(what),
        _change(level),
        _look(level),
        "" if level.left is None else str(level.left),
        said(ORDER, number=order["number"]) if order else said(SOME_ORDER),
        reverse("admin:ordering_order_change", args=[entry.order_id]) if may_open else "",
        "",
        "",
    )


def _of_audit(
    entry: HistoryEntry, level: LevelChange, audit: AuditEntryDocument, line: Line, *, may_audit: bool
) -> Row:
    is_import = audit.get("source") == Source.IMPORT.value
    return Row(
        time_text(entry.at, seconds=True),
        geozone_name(level.geozone),
        said(IMPORTED if is_import else ACTIONS.get(audit["action"], EDITED)),
        _change(level),
        _look(level),
        "" if level.left is None else str(level.left),
        line.person,
        line.person_url if may_audit else "",
        line.reason,
        line.step_url if may_audit else "",
    )


def _change(level: LevelChange) -> str:
    """«−2», «+10»; of what was only reserved, «резерв −2»."""
    if level.counted or not level.reserved:
        return _signed(level.counted)
    return said(OF_RESERVED, count=_signed(level.reserved))


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"{MINUS}{-number}" if number else "0"


def _look(level: LevelChange) -> str:
    return "more" if level.counted > 0 else "less" if level.counted < 0 else ""


def _id(entry: AuditEntryDocument) -> str:
    return str(entry["_id"])
