"""Every change of an order is one update of the state that was read: with its event, its debts and the next version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pymongo import ReturnDocument

from gateway.mongo.client import Expression, collection_of
from gateway.sync.marks import CHANGED
from ordering.cassandra.sync import sync_order_soon
from ordering.documents import OrderDocument
from ordering.events import EventType, event_now
from ordering.ledger.fields import money_fields
from ordering.ledger.ledger import Ledger
from ordering.mail.delivery import MAIL_DEBTS, mail_soon
from ordering.models import Order, OrderStatus
from ordering.stock.debts import STOCK_DEBTS, pay_stock

ORDERS = Order._meta.db_table
# Each turn is lost to somebody else who changed the same order meanwhile.
TURNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChange:
    """What changes in an order, the event that tells of it, and what is owed because of it."""

    kind: EventType
    actor: str
    note: str = ""
    status: OrderStatus | None = None
    """The status afterwards; None: stays."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What is set besides, as stored."""
    stock_due: Expression | None = None
    """What the order then owes the stock, as ordering/stock/debts.py makes it."""
    ledger: Ledger | None = None
    """The order's money afterwards; None: stays."""
    entry: str | None = None
    """Id of the ledger's entry that the event tells of."""
    tells_the_buyer: bool = True
    """Whether the buyer gets a letter."""


def change_order(order: OrderDocument, change: OrderChange) -> OrderDocument | None:
    """Make the change; returns the order afterwards, or None when it is no longer as it was read, and nothing changed.

    Then the stock is changed as the order owes it, and the buyer told: a crash before that leaves it to the sweeps.
    """
    changed = collection_of(ORDERS, OrderDocument).find_one_and_update(
        {"owner": order["owner"], "_id": order["_id"], "status": order["status"], "version": order["version"]},
        [{"$set": _set(order, change)}],
        return_document=ReturnDocument.AFTER,
    )
    if changed is None:
        return None
    pay_stock(changed)
    if change.tells_the_buyer:
        mail_soon(changed["_id"])
    sync_order_soon(changed)
    return changed


def _set(order: OrderDocument, change: OrderChange) -> Expression:
    status = change.status or OrderStatus(order["status"])
    happened = event_now(change.kind, status, actor=change.actor, note=change.note, entry=change.entry)
    letter = {"id": happened["id"], "at": "$$NOW"}
    return {
        "status": status.value,
        **({"reserved_until": None} if status is not OrderStatus.NEW else {}),
        **{name: {"$literal": value} for name, value in change.fields.items()},
        **(money_fields(change.ledger) if change.ledger is not None else {}),
        "events": {"$concatArrays": ["$events", [happened]]},
        **(STOCK_DEBTS.owe(change.stock_due) if change.stock_due else {}),
        **(MAIL_DEBTS.owe(letter) if change.tells_the_buyer else {}),
        "updated_at": "$$NOW",
        **CHANGED,
    }
