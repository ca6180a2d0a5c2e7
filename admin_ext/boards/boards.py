"""The boards there are, and who may see each."""

from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from gateway.accounts.models import User
from gateway.domain.texts import Text


class Board(NamedTuple):
    code: str
    title: Text
    icon: str
    rights: frozenset[str]
    """All of them are needed."""
    has_period: bool = False

    @property
    def url(self) -> str:
        return reverse(f"board_{self.code}")

    @property
    def csv_url(self) -> str:
        return reverse(f"board_{self.code}_csv")


SEE_SALES = frozenset({"ordering.view_salesquarter", "ordering.view_order"})

TODAY = Board("today", Text("Сегодня", "Today"), "today", SEE_SALES)
SALES = Board("sales", Text("Продажи", "Sales"), "bar_chart", SEE_SALES, has_period=True)
CARTS = Board(
    "carts",
    Text("Брошенные корзины", "Abandoned carts"),
    "remove_shopping_cart",
    frozenset({"cart.view_abandonedcartday"}),
    has_period=True,
)
PRICES = Board(
    "prices", Text("Цены за неделю", "Prices of the week"), "price_change", frozenset({"audit.view_auditentry"})
)
BOARDS = (TODAY, SALES, CARTS, PRICES)


def boards_of(request: HttpRequest) -> list[Board]:
    """Those that this person may see."""
    user = request.user
    return [board for board in BOARDS if isinstance(user, User) and user.has_perms(board.rights)]
