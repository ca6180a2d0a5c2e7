"""Money that came for an order: recorded once, whatever the order's state, and never lost.

When it comes after the order has expired, the stock is taken again if it can be had.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from pymongo import ReturnDocument

from catalog.products.cards import keys_now
from catalog.stock.reservations import LOOKS, Hold, Offer, Pieces, Purpose, release, reserve
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of
from gateway.mongo.reads import run
from gateway.sync.marks import CHANGED
from ordering.documents import OrderDocument
from ordering.errors import BadAmount, OrderBusy, ReferenceReused
from ordering.events import EventType
from ordering.ledger.amounts import is_amount
from ordering.ledger.fields import ledger_of
from ordering.ledger.intake import taken_in
from ordering.ledger.ledger import Kind, Ledger, Origin, State, held, new_entry, payments
from ordering.ledger.references import Reference
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.transitions import Who, transition
from ordering.models import Order, OrderStatus
from ordering.reading.orders import find_order, order_to_change
from ordering.stock.debts import debt

ORDERS = Order._meta.db_table


class IncomingMoney(NamedTuple):
    """A payment as the payment system or staff tell of it."""

    amount: Decimal
    reference: Reference
    """What the payment is called: the same is recorded once."""
    source: str
    actor: str


def receive_payment(order_id: str, money: IncomingMoney, *, owner: str | None = None) -> OrderDocument:
    """Record the payment; returns the order.

    Paid in full, a new order becomes paid, and so does an expired one whose stock can be had again; what the order
    cannot take is owed back.
    """
    check_amount(money.amount)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        ledger = ledger_of(order)
        if is_recorded(ledger, money):
            return order
        retaken = _take_again(order) if _pays_an_expired(order, ledger, money) else None
        if changed := change_order(order, _change(order, ledger, money, retaken)):
            return changed
        if retaken:
            _let_go(order, retaken)
    raise OrderBusy("order")


def check_amount(amount: Decimal) -> None:
    """Raises BadAmount for no or negative money, and for parts of kopecks."""
    if not is_amount(amount) or amount == 0:
        raise BadAmount("amount")


def is_recorded(ledger: Ledger, money: IncomingMoney) -> bool:
    """Whether the ledger has the payment already. Raises ReferenceReused when another amount has its reference."""
    amounts = [payment.amount for payment in payments(ledger, money.reference)]
    if amounts and money.amount not in amounts:
        raise ReferenceReused("reference", reference=money.reference, amount=amounts[0])
    return bool(amounts)


def fence_retaking(order_id: str, hold_id: str, *, owner: str) -> bool:
    """Keep everybody who read the order before from writing this hold into it; returns whether it stands there already.

    What is decided by the answer stays true: an order without the hold gets a new version, so that no earlier reader's
    change is taken.
    """
    order = find_order(order_id, owner=owner)
    while order is not None and order.get("retaken") != hold_id:
        fenced = collection_of(ORDERS, OrderDocument).find_one_and_update(
            {"owner": order["owner"], "_id": order_id, "version": order["version"]},
            [{"$set": CHANGED}],
            return_document=ReturnDocument.AFTER,
        )
        if fenced is not None:
            return False
        order = find_order(order_id, owner=order["owner"])
    return order is not None


def _pays_an_expired(order: OrderDocument, ledger: Ledger, money: IncomingMoney) -> bool:
    return bool(
        order["status"] == OrderStatus.EXPIRED.value and held(ledger) + money.amount >= order["total"].to_decimal()
    )


def _change(order: OrderDocument, ledger: Ledger, money: IncomingMoney, retaken: str | None) -> OrderChange:
    status = OrderStatus(order["status"])
    origin = Origin(datetime.now(UTC), money.actor, money.source)
    payment = new_entry(Kind.PAYMENT, State.DONE, money.amount, money.reference, origin)
    # With its stock taken again an expired order is as good as new.
    taken = taken_in(order, (*ledger, payment), OrderStatus.NEW if retaken else status, origin)
    is_now_paid = taken.is_paid and (status is OrderStatus.NEW or retaken is not None)
    move = transition(order["status"], OrderStatus.PAID, Who.PAYMENTS) if is_now_paid else None
    return OrderChange(
        kind=EventType.MOVED if move else EventType.PAYMENT,
        actor=money.actor,
        note=money.reference,
        status=move.target if move else None,
        fields={"retaken": retaken} if retaken else {},
        stock_due=debt(move.stock, order["items"]) if move and move.stock else None,
        ledger=taken.ledger,
        entry=payment.id,
    )


def _take_again(order: OrderDocument) -> str | None:
    """Reserve the order's lines once more, at the prices of then; None when they can no longer all be had.

    Returns the id of the hold. The caller writes it into the order, or lets it go. Should it die before either, the
    sweep decides.
    """
    pieces = _pieces(order)
    for _ in range(LOOKS):
        hold = Hold(str(uuid7()), Purpose.PAYMENT, order["_id"], order["owner"])
        if reserve([Offer(each, None) for each in pieces], order["geozone"], hold):
            return hold.id
        release(pieces, hold.id)
        asked, pieces = pieces, _where_they_are(pieces)
        if pieces == asked:
            return None
    return None


def _let_go(order: OrderDocument, hold_id: str) -> None:
    release(_pieces(order), hold_id)


def _where_they_are(pieces: Sequence[Pieces]) -> list[Pieces]:
    """The same pieces, each in the category that it has by now: the order knows the one of its purchase."""
    homes = {key.id: key.category for key in run(keys_now([each.product_id for each in pieces]))}
    return [each._replace(category=homes.get(each.product_id, each.category)) for each in pieces]


def _pieces(order: OrderDocument) -> list[Pieces]:
    return [Pieces(item["category"], item["product_id"], item["quantity"]) for item in order["items"]]
