"""A customer's own data as JSON: account, addresses, devices, carts, orders (archived too); not what staff noted."""

import json
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from asgiref.sync import sync_to_async
from bson import Decimal128, ObjectId

from cart.documents import CartDocument
from cart.reading import newest_carts
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.records import Device
from gateway.mongo.reads import run
from gateway.viewer.address_book import addresses_of
from ordering.documents import OrderDocument
from ordering.events import note_for_the_buyer
from ordering.ledger.fields import ledger_of
from ordering.reading.purchases import history_parts

# Of carts no more are kept than some months' worth.
CARTS = 500


async def personal_data(user: User) -> AsyncIterator[bytes]:
    """The data in blocks that together are one JSON object; of orders a hundred at most are in memory.

    `complete`, at its end, says whether archived orders could be read.
    """
    for block in await sync_to_async(lambda: list(_beside_the_orders(user)))():
        yield block
    separator, complete = "", True
    yield b'"orders": ['
    async for part in history_parts(customer_owner(user.pk)):
        for order in part.orders:
            yield f"{separator}\n{_json(_order(order))}".encode()
            separator = ","
        complete = complete and part.is_complete
    yield f'],\n"complete": {_json(complete)}}}\n'.encode()


def _beside_the_orders(user: User) -> Iterable[bytes]:
    """What is small, each as a line of the object."""
    user_id = str(user.pk)
    account = {
        "id": user_id,
        "email": user.email,
        "email_confirmed_at": user.email_confirmed_at,
        "new_email": user.new_email,
        "name": user.name,
        "phone": user.phone,
        "registered_at": user.date_joined,
        "last_login": user.last_login,
        "active": user.is_active,
    }
    facts = {
        "exported_at": datetime.now(UTC),
        "account": account,
        "addresses": run(addresses_of(user_id)),
        "devices": [_device(device) for device in devices_of(user)],
        "carts": [_cart(cart) for cart in run(newest_carts(customer_owner(user.pk), limit=CARTS))],
    }
    yield b"{"
    for name, value in facts.items():
        yield f"{_json(name)}: {_json(value)},\n".encode()


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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> str:
    match value:
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
        case Decimal128() | Decimal() | ObjectId():
            return str(value)
    raise TypeError(type(value).__name__)
