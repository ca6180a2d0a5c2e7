"""The life of an order: which moves are legal, who may make them, and what they do to the stock. One table."""

from dataclasses import dataclass
from enum import Enum

from ordering.errors import IllegalTransition, NotYours
from ordering.lifecycle.status_names import STATUS_NAMES
from ordering.models import OrderStatus

S = OrderStatus


class Who(Enum):
    BUYER = "buyer"
    STAFF = "staff"
    PAYMENTS = "payments"
    """The payment system, or whoever records that money came."""
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Transition:
    source: OrderStatus
    target: OrderStatus
    who: frozenset[Who]
    stock: str | None = None
    """What the order owes the stock then, see ordering/stock/debts.py."""


def _transition(source: OrderStatus, target: OrderStatus, *who: Who, stock: str | None = None) -> Transition:
    return Transition(source, target, frozenset(who), stock)


TRANSITIONS: tuple[Transition, ...] = (
    _transition(S.NEW, S.PAID, Who.PAYMENTS, stock="write_off"),
    _transition(S.NEW, S.CANCELLED, Who.BUYER, Who.STAFF, stock="release"),
    _transition(S.NEW, S.EXPIRED, Who.SYSTEM, stock="release"),
    # After the stock has been taken again.
    _transition(S.EXPIRED, S.PAID, Who.PAYMENTS, stock="write_off"),
    _transition(S.PAID, S.PROCESSING, Who.STAFF),
    _transition(S.PROCESSING, S.SHIPPED, Who.STAFF),
    _transition(S.SHIPPED, S.DELIVERED, Who.STAFF),
    # Once all lines have gone back; what returns to the shelf is said line by line.
    _transition(S.PAID, S.REFUNDED, Who.STAFF),
    _transition(S.PROCESSING, S.REFUNDED, Who.STAFF),
    _transition(S.SHIPPED, S.REFUNDED, Who.STAFF),
    _transition(S.DELIVERED, S.REFUNDED, Who.STAFF),
)

_BY_ENDS = {(transition.source, transition.target): transition for transition in TRANSITIONS}


def transition(source: str, target: OrderStatus, who: Who) -> Transition:
    """The move from one status to another. Raises IllegalTransition, and NotYours when somebody else may make it."""
    found = _BY_ENDS.get((OrderStatus(source), target))
    if found is None:
        raise IllegalTransition("to", source=STATUS_NAMES[OrderStatus(source)], target=STATUS_NAMES[target])
    if who not in found.who:
        raise NotYours("to", target=STATUS_NAMES[target])
    return found


def is_legal(source: str, target: OrderStatus, who: Who) -> bool:
    found = _BY_ENDS.get((OrderStatus(source), target))
    return found is not None and who in found.who
