"""The home page: what waits for this person, and some figures of the shop."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast

from django.http import HttpRequest

from admin_ext.boards.boards import TODAY as TODAY_BOARD
from admin_ext.boards.boards import boards_of
from admin_ext.boards.parts import growth, in_brackets
from admin_ext.counters import FINDINGS, LOW_STOCK, TODAY, WITHDRAWN, YESTERDAY, Waiting, waiting
from admin_ext.sidebar import ABANDONED, FINDINGS_PAGE, HOME, PRODUCTS, QUEUE_ICONS, link_to
from admin_ext.sidebar import LOW_STOCK as LOW_STOCK_PAGE
from admin_ext.stock.counts import counted_text, sum_of
from catalog.listing.routes import Level
from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.money import money_text
from ordering.reading.queues import Queue, queues_for

NOT_COUNTED = Text("не удалось посчитать", "could not be counted")
WAITS = Text("дольше всех ждёт {age}", "longest waits {age}")
ENDS = Text("ближайший истекает через {age}", "the next ends in {age}")
WITHDRAWN_TITLE = Text("Товары, снятые с продажи", "Products withdrawn")
YESTERDAY_TITLE = Text("Брошенные корзины вчера", "Abandoned carts yesterday")
TODAY_TITLE = Text("Выручка сегодня", "Revenue today")
A_WEEK_AGO = Text("на {clock}; неделю назад {before}{growth}", "by {clock}; a week ago {before}{growth}")
OF_CARTS = Text("из {carts}, потеряно {lost}", "of {carts}, lost {lost}")
RUNS_OUT = Text("нет: {none}, мало: {low}", "none: {none}, low: {low}")
DUE = Text("Что ждёт", "What waits")
CLEAR = Text("Всё разобрано", "All done")
NOTHING_WAITS = Text(
    "Сейчас ничего не ждёт. Новое появится здесь само.", "Nothing waits now. What comes in appears here by itself."
)
EMPTY = Text("Пусто", "Empty")
FIGURES = Text("Сводка", "Figures")
BOARDS = Text("Отчёты", "Reports")
NO_WORK = Text("Здесь пока нечего показать.", "There is nothing to show here yet.")

_AGES = (
    (timedelta(days=1), Text("{count} дн.", "{count} d")),
    (timedelta(hours=1), Text("{count} ч", "{count} h")),
    (timedelta(minutes=1), Text("{count} мин", "{count} min")),
)
_MOMENT = Text("меньше минуты", "less than a minute")


class Card(NamedTuple):
    title: str
    icon: str
    link: str
    value: str
    note: str = ""


class Way(NamedTuple):
    title: str
    link: str


class Desk(NamedTuple):
    """What one person sees at home."""

    waiting: list[Card]
    empty: list[Card]
    """Queues in which nothing waits."""
    figures: list[Card]
    has_work: bool
    """Whether any queue concerns this person."""
    boards: list[Way]


def with_cards(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's DASHBOARD_CALLBACK: the context of the home page."""
    texts = {
        "due": DUE,
        "clear": CLEAR,
        "nothing_waits": NOTHING_WAITS,
        "empty": EMPTY,
        "figures": FIGURES,
        "boards": BOARDS,
    }
    return {
        **context,
        "title": said(HOME),
        "desk": desk_of(request),
        "texts": {name: said(text) for name, text in {**texts, "no_work": NO_WORK}.items()},
    }


def desk_of(request: HttpRequest) -> Desk:
    user = request.user
    queues = queues_for(user) if isinstance(user, User) else []
    counted = [(_queue_card(queue, told), told) for queue in queues for told in (waiting(queue),)]
    if link := link_to(request, FINDINGS_PAGE):
        told = FINDINGS.get()
        counted.append((Card(said(FINDINGS_PAGE.title), FINDINGS_PAGE.icon, link, _value(told), _note(told)), told))
    return Desk(
        waiting=[card for card, told in counted if told is None or told.number],
        empty=[card for card, told in counted if told is not None and not told.number],
        figures=list(_figures(request)),
        has_work=bool(counted),
        boards=[Way(said(board.title), board.url) for board in boards_of(request)],
    )


def _queue_card(queue: Queue, told: Waiting | None) -> Card:
    return Card(said(queue.title), QUEUE_ICONS.get(queue.code, "inbox"), queue.url, _value(told), _note(told))


def _value(told: Waiting | None) -> str:
    return told.shown if told else "—"


def _note(told: Waiting | None) -> str:
    if told is None:
        return said(NOT_COUNTED)
    if told.since is None:
        return ""
    age = datetime.now(UTC) - told.since.replace(tzinfo=UTC)
    return said(ENDS, age=_span(-age)) if age < timedelta() else said(WAITS, age=_span(age))


def _figures(request: HttpRequest) -> Iterator[Card]:
    """Figures of the lists and boards that this person works with."""
    if TODAY_BOARD in boards_of(request) and (found := TODAY.get()):
        now, before = found.total()
        told = in_brackets(growth(before.revenue, now.revenue))
        note = said(A_WEEK_AGO, clock=found.clock, before=money_text(before.revenue), growth=told)
        yield Card(said(TODAY_TITLE), "payments", TODAY_BOARD.url, money_text(now.revenue), note)
    if (link := link_to(request, ABANDONED)) and (day := YESTERDAY.get()):
        lost = said(OF_CARTS, carts=day.carts, lost=money_text(day.lost_value))
        yield Card(said(YESTERDAY_TITLE), ABANDONED.icon, link, str(day.abandoned), lost)
    if (link := link_to(request, PRODUCTS)) and cast("User", request.user).has_perm("catalog.change_product"):
        if (link_low := link_to(request, LOW_STOCK_PAGE)) and (low := LOW_STOCK.get()):
            none, few = (counted_text(sum_of(low, level)) for level in (Level.NONE, Level.LOW))
            note = said(RUNS_OUT, none=none, low=few)
            yield Card(said(LOW_STOCK_PAGE.title), LOW_STOCK_PAGE.icon, link_low, counted_text(sum_of(low)), note)
        yield Card(said(WITHDRAWN_TITLE), "hide_source", f"{link}?state=withdrawn", _value(WITHDRAWN.get()))


def _span(age: timedelta) -> str:
    for unit, text in _AGES:
        if age >= unit:
            return said(text, count=age // unit)
    return said(_MOMENT)
