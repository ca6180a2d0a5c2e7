"""The boards there are, and who may see each."""

from collections.abc import Callable
from datetime import date, datetime
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from admin_ext.boards.carts import carts_board
from admin_ext.boards.parts import Shown
from admin_ext.boards.prices import prices_board
from admin_ext.boards.sales import sales_board
from admin_ext.boards.today import today_board
from gateway.accounts.models import User
from gateway.domain.texts import Text


class Asked(NamedTuple):
    """Who looks at a board, when, and at which days of which geozone."""

    reader: User
    now: datetime
    first: date
    last: date
    geozone: str
    """Empty: all."""


class Board(NamedTuple):
    code: str
    title: Text
    icon: str
    rights: frozenset[str]
    """All of them are needed."""
    show: Callable[[Asked], Shown]
    has_period: bool = False
    """Whether a person chooses days and geozone."""

    @property
    def url(self) -> str:
        return reverse(f"board_{self.code}")

    @property
    def csv_url(self) -> str:
        return reverse(f"board_{self.code}_csv")


SEE_SALES = frozenset({"ordering.view_salesquarter", "ordering.view_order"})
SEE_CARTS = frozenset({"cart.view_abandonedcartday"})
SEE_PRICES = frozenset({"audit.view_auditentry"})

TODAY = Board("today", Text("Сегодня", "Today"), "today", SEE_SALES, lambda asked: today_board(asked.now))
SALES = Board(
    "sales",
    Text("Продажи", "Sales"),
    "bar_chart",
    SEE_SALES,
    lambda asked: sales_board(asked.first, asked.last, asked.geozone, asked.now),
    has_period=True,
)
CARTS = Board(
    "carts",
    Text("Брошенные корзины", "Abandoned carts"),
    "remove_shopping_cart",
    SEE_CARTS,
    lambda asked: carts_board(
        asked.first, asked.last, asked.geozone, sees_products=asked.reader.has_perm("catalog.view_product")
    ),
    has_period=True,
)
PRICES = Board(
    "prices",
    Text("Цены за неделю", "Prices of the week"),
    "price_change",
    SEE_PRICES,
    lambda asked: prices_board(asked.reader, asked.now),
)
BOARDS = (TODAY, SALES, CARTS, PRICES)


def boards_of(request: HttpRequest) -> list[Board]:
    """Those that this person may see."""
    user = request.user
    return [board for board in BOARDS if isinstance(user, User) and user.has_perms(board.rights)]
