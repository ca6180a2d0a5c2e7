"""A customer's own data as JSON: account, orders, archived ones too, carts and devices; not what staff noted."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from asgiref.sync import async_to_sync
from bson import Decimal128, ObjectId

from cart.documents import CartDocument
from cart.reading import newest_carts
from gateway.accounts.customers.accounts import customer_to_change
from gateway.accounts.models import Customer
from gateway.accounts.owners import customer_owner
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.records import Device
from gateway.audit.trail import Action, Actor, record
from gateway.mongo.reads import run
from gateway.mongo.transactions import in_transaction
from ordering.documents import OrderDocument
from ordering.events import note_for_the_buyer
from ordering.ledger.fields import ledger_of
from ordering.reading.purchases import history_parts

# Of carts no more are kept than some months' worth.
CARTS = 500


def export_customer(user_id: str, *, actor: Actor) -> bytes:
    """The customer's data, on record. `complete` says whether archived orders could be read."""

    def note() -> Customer:
        customer = customer_to_change(user_id)
        record(Action.CUSTOMER_EXPORTED, f"customer:{user_id}", actor=actor, changes={})
        return customer

    customer = in_transaction(note)
    owner = customer_owner(user_id)
    orders, complete = async_to_sync(_orders)(owner)
    data = {
        "exported_at": datetime.now(UTC),
        "complete": complete,
        "account": {
            "id": user_id,
            "email": customer.email,
            "name": customer.name,
            "phone": customer.phone,
            "registered_at": customer.date_joined,
            "last_login": customer.last_login,
            "active": customer.is_active,
        },
        "orders": [_order(order) for order in orders],
        "carts": [_cart(cart) for cart in run(newest_carts(owner, limit=CARTS))],
        "devices": [_device(device) for device in devices_of(customer)],
    }
    return json.dumps(data, ensure_ascii=False, indent=2, default=_plain).encode()


async def _orders(owner: str) -> tuple[list[OrderDocument], bool]:
    orders: list[OrderDocument] = []
    complete = True
    async for part in history_parts(owner):
        orders += part.orders
        complete = complete and part.is_complete
    return orders, complete


def _order(order: OrderDocument) -> dict[str, Any]:
    money = [
        {"at": entry.at, "kind": entry.kind.value, "state": entry.state.value, "amount": entry.amount}
        for entry in ledger_of(order)
    ]
    events = [
        {"at": each["at"], "type": each["type"], "status": each["status"], "note": note_for_the_buyer(each)}
        for each in order.get("events") or ()
    ]
    names = ("number", "created_at", "updated_at", "status", "items", "total", "currency", "geozone")
    facts = {name: value for name, value in order.items() if name in (*names, "contact", "shipping_address")}
    return {"id": order["_id"], **facts, "money": money, "events": events}


def _cart(cart: CartDocument) -> dict[str, Any]:
    names = ("status", "geozone", "items", "created_at", "updated_at", "abandoned_at", "order_id")
    return {"id": str(cart["_id"]), **{name: value for name, value in cart.items() if name in names}}


def _device(device: Device) -> dict[str, Any]:
    names = ("created_at", "last_active_at", "device", "ip_address")
    return {name: value for name, value in device._asdict().items() if name in names}


def _plain(value: Any) -> str:
    match value:
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
        case Decimal128() | Decimal() | ObjectId():
            return str(value)
    raise TypeError(type(value).__name__)
