"""What orders owe the stock: a move of an order and the changes of stock it causes cannot be one write.

So the move writes down, in the same update, what it owes; then the stock is changed and the debt struck off. Whoever
dies in between leaves the debt to the sweep. Each change leaves a receipt in the product, so that none is made twice; a
receipt goes when the debt is gone and the window in which anybody may still act on it has closed.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import structlog
from pymongo.errors import PyMongoError

from catalog.stock.reservations import PUT_BACK, RELEASE, WRITE_OFF, Pieces, StockChange, StockNotChanged, change_stock
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Expression
from gateway.mongo.policies import STOCK_CHECK
from gateway.mongo.reads import Evidence, decide
from gateway.outbox import NOW, Outbox, Owed
from ordering.documents import OrderDocument, StockDebt
from ordering.models import Order

log = structlog.get_logger(__name__)

ORDERS = Order._meta.db_table
CHANGES: Mapping[str, StockChange] = {"release": RELEASE, "write_off": WRITE_OFF, "put_back": PUT_BACK}

# Whoever wrote the debt down, or took it, pays it at once; an election in the middle takes three seconds.
WINDOW = timedelta(seconds=10)
# Twice the window, and more than any difference between the clocks of two servers.
RECEIPTS_KEPT = timedelta(seconds=60)

STOCK_DEBTS: Outbox[OrderDocument, StockDebt] = Outbox(
    collection=ORDERS,
    documents=OrderDocument,
    key=("owner", "_id"),
    field="stock_due",
    # The window of whoever holds it begins.
    lease={"at": NOW},
    overdue_after=timedelta(seconds=20),
)


def debt(change: str, lines: Iterable[Mapping[str, Any]], *, geozone: str | None = None) -> Expression:
    """A debt to be owed by the update of the order that causes it, as a pipeline expression.

    `geozone`: where, when the order is leaving it.
    """
    wanted = [
        {"product_id": line["product_id"], "category": line["category"], "quantity": line["quantity"]}
        for line in lines
        if line["quantity"]
    ]
    place = {"geozone": {"$literal": geozone}} if geozone else {}
    return {"id": str(uuid7()), "change": change, "lines": {"$literal": wanted}, "at": NOW, **place}


def pay_stock(order: OrderDocument) -> None:
    """Change the stock as the order, just written, owes it. What cannot be done now is left to the sweep."""
    for owed in order["stock_due"]:
        _pay_or_leave(Owed(order, owed))


def pay_overdue(*, limit: int) -> int:
    """Debts that their own writers did not pay; returns how many were paid. Asks every shard, by its index."""
    paid = 0
    for owed in STOCK_DEBTS.overdue(limit=limit):
        if taken := STOCK_DEBTS.take(owed):
            paid += _pay_or_leave(taken)
    return paid


def still_owed(ids: Sequence[str]) -> set[str]:
    """Which of these debts have not been struck off. The receipts of the others go, so it is asked as of one moment."""
    standing = Evidence(
        collection=ORDERS,
        policy=STOCK_CHECK,
        # The first condition is the index's: few orders owe anything.
        where={"stock_due.at": {"$exists": True}, "stock_due.id": {"$in": list(ids)}},
        fields=("stock_due.id",),
        result=lambda orders: {owed["id"] for order in orders for owed in order["stock_due"]},
    )
    return decide(lambda moment: moment.run(standing)) & set(ids) if ids else set()


def _pay_or_leave(owed: Owed[OrderDocument, StockDebt]) -> bool:
    """Pay it, or leave it to the next sweep; returns whether it was paid.

    One debt that cannot be paid does not keep the others waiting.
    """
    try:
        _pay(owed)
    except (PyMongoError, StockNotChanged) as error:
        log.warning("stock_not_changed_yet", order=owed.document["_id"], change=owed.debt["change"], error=error)
        return False
    return True


def _pay(owed: Owed[OrderDocument, StockDebt]) -> None:
    order, due = owed
    change_stock(
        [Pieces(line["category"], line["product_id"], line["quantity"]) for line in due["lines"]],
        due.get("geozone", order["geozone"]),
        CHANGES[due["change"]],
        receipt=due["id"],
        order_id=order["_id"],
        until=due["at"] + WINDOW,
    )
    # Not when a sweep has taken it over: it may be about to change the stock, and the receipts stay while this stands.
    STOCK_DEBTS.strike_off(owed)
