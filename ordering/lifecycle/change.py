"""Every change of an order is one update of the state that was read: with its event, its debts and the next version.

What a member of staff does is in the audit too, by one transaction with the update. Buyers, the payment system and
programs change orders by the update alone: their events are the record, and a sale costs no transaction more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pymongo import ReturnDocument
from pymongo.client_session import ClientSession

from gateway.audit.trail import Action, Actor, record
from gateway.mongo.client import Expression, collection_of, orm_connection
from gateway.mongo.transactions import in_transaction
from gateway.sync.marks import CHANGED
from ordering.cassandra.sync import sync_order_soon
from ordering.documents import OrderDocument
from ordering.events import EventType, event_now
from ordering.ledger.fields import money_fields
from ordering.ledger.ledger import Ledger
from ordering.lifecycle.audited import changes_between, target_of
from ordering.mail.delivery import mail_soon, owe_letter
from ordering.models import Order, OrderStatus
from ordering.reading.lookup_keys import order_keys
from ordering.stock.debts import STOCK_DEBTS, pay_stock

ORDERS = Order._meta.db_table
# Each turn is lost to somebody else who changed the same order meanwhile.
TURNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChange:
    """What changes in an order, the event that tells of it, and what is owed because of it."""

    kind: EventType | None
    """None: nothing that the buyer's timeline tells of."""
    actor: Actor
    action: Action
    """What the audit calls it, when a member of staff does it."""
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
    update = _set(order, change)
    if change.actor.is_person:
        changed = in_transaction(lambda: _change_on_record(order, change, update))
    else:
        changed = _change(order, update)
    if changed is None:
        return None
    pay_stock(changed)
    if change.kind and _is_told(order, change):
        mail_soon(changed["_id"])
    sync_order_soon(changed)
    return changed


def _change(order: OrderDocument, update: Expression, session: ClientSession | None = None) -> OrderDocument | None:
    return collection_of(ORDERS, OrderDocument).find_one_and_update(
        {"owner": order["owner"], "_id": order["_id"], "status": order["status"], "version": order["version"]},
        [{"$set": update}],
        return_document=ReturnDocument.AFTER,
        session=session,
    )


def _change_on_record(order: OrderDocument, change: OrderChange, update: Expression) -> OrderDocument | None:
    """In the running transaction: the change, and who made it."""
    changed = _change(order, update, orm_connection().session)
    if changed is not None:
        changes = changes_between(order, changed)
        record(change.action, target_of(order), actor=change.actor, changes=changes, reason=change.note)
    return changed


def _set(order: OrderDocument, change: OrderChange) -> Expression:
    status = change.status or OrderStatus(order["status"])
    return {
        "status": status.value,
        **({"reserved_until": None} if status is not OrderStatus.NEW else {}),
        **{name: {"$literal": value} for name, value in change.fields.items()},
        **(_money(order, change) if change.ledger is not None else {}),
        **(_told(order, change, change.kind, status) if change.kind else {}),
        **(STOCK_DEBTS.owe(change.stock_due) if change.stock_due else {}),
        **CHANGED,
    }


def _money(order: OrderDocument, change: OrderChange) -> Expression:
    """The ledger, and the keys of its references, by which support finds the order."""
    ledger = change.ledger or ()
    return {**money_fields(ledger), "keys": {"$literal": order_keys(order, ledger)}}


def _told(order: OrderDocument, change: OrderChange, kind: EventType, status: OrderStatus) -> Expression:
    """The event, and the letter about it."""
    happened = event_now(kind, status, actor=change.actor.name, note=change.note, entry=change.entry)
    return {
        "events": {"$concatArrays": ["$events", [happened]]},
        **(owe_letter(happened, to=order["contact"]["email"]) if _is_told(order, change) else {}),
        "updated_at": "$$NOW",
    }


def _is_told(order: OrderDocument, change: OrderChange) -> bool:
    """Whether a letter goes out: a buyer who was anonymised has no address."""
    return change.tells_the_buyer and bool(order["contact"]["email"])
