"""The stock sheet: products by geozones, each cell saved by itself. With a script as it is left, else row by row."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.crypto import get_random_string
from pymongo.errors import ExecutionTimeout

from admin_ext.bulk.words import selection_words
from admin_ext.sidebar import STOCK_SHEET
from admin_ext.stock.cells import CellEdit, CellOutcome, CellState, save_cell
from admin_ext.stock.frame import CHANGE_STOCK, SEE_PRODUCTS, needs, page, reader_of
from admin_ext.stock.levels import LevelShown, level_shown
from catalog.admin.product_form.stock import reasons
from catalog.documents import ProductDocument
from catalog.listing import inventory, parameters
from catalog.listing.parameters import inventory_of
from catalog.listing.selection import Selection
from catalog.stock.adjust import MAX_REASON
from catalog.structure.names import GEOZONE_NAMES, category_name
from gateway import deadline
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.idempotency.keys import MAX_KEY
from gateway.mongo.reads import run_steps
from gateway.paging import Page, Slice
from gateway.staff.forms import KEY_LENGTH
from gateway.staff.language import said, staff_language
from gateway.staff.lists import slice_asked, ways_around

PAGE_SIZE = 50
PAGE_SECONDS = 5.0
FIELDS = ("category", "name", "stock", "shelf", "withdrawn", "price", "edited_at", "discount")
REASON = "stock_reason"
"""Where the session keeps the reason of the person's adjustments."""
# More than any product has geozones.
MAX_CELLS = 200

WORDS = {
    "product": Text("Товар", "Product"),
    "reason": Text("Причина для журнала", "Reason for the journal"),
    "reason_hint": Text("необязательно: инвентаризация, поставка № 5…", "optional: stocktaking, delivery № 5…"),
    "remember": Text("Запомнить", "Remember"),
    "keys": Text(
        "Enter сохраняет и ведёт вниз, стрелки — по клеткам, Esc возвращает. «+5» прибавит, «-5» вычтет.",
        'Enter saves and goes down, arrows move between cells, Esc takes back. "+5" adds, "-5" takes away.',
    ),
    "save": Text("Сохранить строку", "Save the row"),
    "history": Text("История", "History"),
    "withdrawn": Text("снят с продажи", "withdrawn"),
    "everything": Text("Весь каталог", "The whole catalog"),
    "narrow": Text("Выбрать товары в списке", "Choose products in the list"),
    "low": Text("Мало на складе", "Low stock"),
    "nothing": Text("По этим условиям ничего нет", "Nothing meets these conditions"),
    "nothing_hint": Text("Задайте другие условия в списке товаров.", "Set other conditions in the list of products."),
    "no_geozones": Text("Геозон пока нет: заведите первую.", "There are no geozones yet: add the first one."),
    "stopped": Text(
        "Так много просмотреть за раз нельзя: добавьте категорию.",
        "That is too much to look through: add a category.",
    ),
    "looking": Text("Только просмотр: остатки правят другие.", "For looking only: others edit the stock."),
    "saving": Text("сохраняем…", "saving…"),
    "saved": Text("сохранено", "saved"),
    "lost": Text("Не сохранено: нет связи. Enter — ещё раз.", "Not saved: no connection. Enter tries again."),
}
KEEP = Text("Оставить {count}", "Keep {count}")
WRITE = Text("Записать {count}", "Write {count}")
SAVED = Text("Сохранено клеток: {count}.", "Cells saved: {count}.")
NOT_SAVED = Text("Не сохранено клеток: {count}. Причины — в строке.", "Cells not saved: {count}. See the row.")
UNTOUCHED = Text("Ничего не изменено.", "Nothing was changed.")
REMEMBERED = Text("Причина запомнена до выхода.", "The reason is remembered until you sign out.")


class Cell(NamedTuple):
    level: LevelShown
    typed: str
    told: str
    """Why what was typed is not saved."""


class Row(NamedTuple):
    id: str
    name: str
    category: str
    is_withdrawn: bool
    cells: list[Cell]
    key: str
    url: str
    history: str


Outcomes = Mapping[tuple[str, str], tuple[str, CellOutcome]]
"""By product and geozone: what was typed, and what came of it."""


@needs(SEE_PRODUCTS)
def sheet_view(request: HttpRequest) -> HttpResponse:
    try:
        selection = Selection.from_query({name: value for name, value in request.GET.dict().items() if name in _KNOWN})
    except DomainError as refusal:
        for reason in refusal:
            messages.error(request, reason.message(staff_language()))
        return HttpResponseRedirect(reverse("stock_sheet"))
    if request.method != "POST":
        return _sheet(request, selection, {})
    if not reader_of(request).has_perm(CHANGE_STOCK):
        raise PermissionDenied
    if REASON in request.POST:
        _remember(request)
        messages.success(request, said(REMEMBERED))
        return HttpResponseRedirect(request.get_full_path())
    return _save_row(request, selection)


@needs(SEE_PRODUCTS, CHANGE_STOCK)
def cell_view(request: HttpRequest) -> HttpResponse:
    """Save one cell, for the script; tells what is there then, whatever came of it."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    _remember(request)
    posted = request.POST
    edit = _edit(request, posted.get("geozone", ""), posted.get("quantity", ""), posted.get("seen", ""))
    outcome = save_cell(edit, actor=_actor(request))
    return JsonResponse(outcome.to_json(), headers={"Cache-Control": "no-store"})


_KNOWN = {*parameters.PARAMETERS, parameters.SEARCH}


def _sheet(request: HttpRequest, selection: Selection, outcomes: Outcomes) -> HttpResponse:
    part = slice_asked(request, PAGE_SIZE)
    query = {**selection.filters, **({parameters.SEARCH: selection.search} if selection.search else {})}
    found, is_stopped = _found(selection, part)
    listed = reverse("admin:catalog_product_changelist")
    context = {
        "geozones": list(GEOZONE_NAMES.get().values()),
        "rows": [_row(document, outcomes) for document in found.documents],
        "may_change": reader_of(request).has_perm(CHANGE_STOCK),
        "is_stopped": is_stopped,
        "selection": selection_words(selection),
        "list_url": f"{listed}?{urlencode(query)}" if query else listed,
        "low_url": reverse("stock_low"),
        "cell_url": reverse("stock_cell"),
        "reason": request.session.get(REASON, ""),
        "max_reason": MAX_REASON,
        "reasons": reasons(),
        # For the script, which knows the number.
        "keep": said(KEEP, count="{count}"),
        "write": said(WRITE, count="{count}"),
        "ways": ways_around(found, part, lambda place: f"?{urlencode({**query, PAGE_VAR: place} if place else query)}"),
    }
    return page(request, "stock/sheet.html", said(STOCK_SHEET.title), WORDS, context)


def _found(selection: Selection, part: Slice) -> tuple[Page[ProductDocument], bool]:
    """The products, and whether the search was stopped for taking too long."""
    asked = inventory_of(selection.filters, selection.search)
    try:
        with deadline.within(PAGE_SECONDS):
            return run_steps(inventory.page(asked, part, fields=FIELDS)), False
    except ExecutionTimeout:
        return Page([], has_next=False, has_previous=False), True


def _row(document: ProductDocument, outcomes: Outcomes) -> Row:
    id_ = document["_id"]
    return Row(
        id_,
        document["name"],
        category_name(document["category"]),
        document.get("withdrawn", False),
        [_cell(document, code, name, outcomes.get((id_, code))) for code, name in GEOZONE_NAMES.get().items()],
        get_random_string(KEY_LENGTH),
        reverse("admin:catalog_product_change", args=[id_]),
        reverse("stock_history", args=[id_]),
    )


def _cell(document: ProductDocument, geozone: str, name: str, came: tuple[str, CellOutcome] | None) -> Cell:
    level = level_shown(document, geozone, name)
    if came is None or came[1].state is CellState.SAVED:
        return Cell(level, str(level.quantity) if level.is_kept else "", "")
    typed, outcome = came
    return Cell(level, typed, outcome.told)


def _save_row(request: HttpRequest, selection: Selection) -> HttpResponse:
    """The cells of one row that say anything else than they did, each by itself."""
    product_id = request.POST.get("product", "")
    outcomes = {}
    for geozone, typed, seen in _touched(request.POST):
        outcome = save_cell(_edit(request, geozone, typed, seen), actor=_actor(request))
        outcomes[product_id, geozone] = typed, outcome
    failed = [outcome for _, outcome in outcomes.values() if outcome.state is not CellState.SAVED]
    if failed:
        messages.error(request, said(NOT_SAVED, count=len(failed)))
        return _sheet(request, selection, outcomes)
    if outcomes:
        messages.success(request, said(SAVED, count=len(outcomes)))
    else:
        messages.info(request, said(UNTOUCHED))
    return HttpResponseRedirect(request.get_full_path())


def _touched(posted: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Geozone, what was typed and what was seen."""
    names = [name for name in posted if name.startswith("quantity:")][:MAX_CELLS]
    for name in names:
        geozone = name.removeprefix("quantity:")
        typed, seen = posted[name].strip(), posted.get(f"seen:{geozone}", "").strip()
        if typed != seen:
            yield geozone, typed, seen


def _edit(request: HttpRequest, geozone: str, typed: str, seen: str) -> CellEdit:
    key = request.POST.get("key", "")[: MAX_KEY // 2]
    return CellEdit(
        request.POST.get("product", ""),
        geozone,
        typed,
        # What was never counted is none.
        int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 10 else 0,
        request.session.get(REASON, ""),
        f"{key}:{geozone}" if key else None,
    )


def _remember(request: HttpRequest) -> None:
    """Keep the reason for what this person adjusts next."""
    given = request.POST.get(REASON)
    if given is not None and given.strip()[:MAX_REASON] != request.session.get(REASON, ""):
        request.session[REASON] = given.strip()[:MAX_REASON]


def _actor(request: HttpRequest) -> Actor:
    return Actor.account(reader_of(request), Source.ADMIN)
