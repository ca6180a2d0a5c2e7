"""What may be an amount of money, and the sums over an order's ledger."""

from decimal import Decimal

from gateway.domain.money import exact
from ordering.documents import OrderDocument
from ordering.ledger import ledger
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import NOTHING, held
from ordering.models import OrderStatus

MAX_AMOUNT = Decimal(10) ** 12


def is_amount(amount: Decimal) -> bool:
    """Whether it may be an amount of money: not below zero, whole kopecks."""
    return bool(amount.is_finite() and 0 <= amount < MAX_AMOUNT and amount == amount.quantize(Decimal("0.01")))


def paid(order: OrderDocument) -> Decimal:
    """What the order has taken; what came too much or too late is not part of it."""
    return ledger.paid(ledger_of(order))


def refunded(order: OrderDocument) -> Decimal:
    """What has gone back of that, by refunds and by chargebacks."""
    return ledger.refunded(ledger_of(order))


def due_back(order: OrderDocument) -> Decimal:
    """What the shop still owes the buyer."""
    return ledger.due_back(ledger_of(order))


def payable(order: OrderDocument) -> Decimal:
    """What the buyer is to pay now: of an order that waits for its payment what is missing, of any other nothing."""
    if order["status"] != OrderStatus.NEW.value:
        return NOTHING
    return max(NOTHING, exact(order["total"]) - held(ledger_of(order)))
