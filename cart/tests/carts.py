"""Carts as a test wants them, written straight into the store, on every member: analytics reads any of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from bson import Decimal128, ObjectId
from pymongo import WriteConcern
from pymongo.collection import Collection

from gateway.accounts.owners import session_id_of, user_id_of
from gateway.mongo.client import Document, database

EVERYWHERE = WriteConcern(w=3, wtimeout=60_000)


def carts() -> Collection[Document]:
    return database()["carts"].with_options(write_concern=EVERYWHERE)


def now() -> datetime:
    """As MongoDB keeps it."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def line(product_id: str = "PROD-1", quantity: int = 1, price: str = "100.00", name: str = "Наушники") -> Document:
    return {
        "product_id": product_id,
        "category": "audio",
        "name": name,
        "quantity": quantity,
        "price_seen": Decimal128(price),
    }


def cart(owner: str, **changes: Any) -> Document:
    """Active, with one line, touched this moment."""
    moment = now()
    return {
        "_id": ObjectId(),
        "owner": owner,
        "user_id": user_id_of(owner),
        "session_id": session_id_of(owner),
        "status": "active",
        "geozone": "msk",
        "items": [line()],
        "version": 1,
        "created_at": moment,
        "updated_at": moment,
        "expires_at": moment + timedelta(days=30),
        "abandoned_at": None,
        "order_id": None,
        "merged_into": None,
        **changes,
    }


def overdue(owner: str, **changes: Any) -> Document:
    """Untouched for longer than its tier allows."""
    moment = now() - timedelta(days=31)
    expired = moment + timedelta(days=30)
    return cart(owner, **{"created_at": moment, "updated_at": moment, "expires_at": expired, **changes})


def stored(document: Document) -> Document:
    found = database()["carts"].find_one({"owner": document["owner"], "_id": document["_id"]})
    assert found is not None
    return found


def touch(owner: str) -> bool:
    """What a buyer's change does to an active cart, as far as time is concerned; False when there is none."""
    moment = now()
    changed = database()["carts"].update_one(
        {"owner": owner, "status": "active"},
        {"$set": {"updated_at": moment, "expires_at": moment + timedelta(days=30)}, "$inc": {"version": 1}},
    )
    return changed.modified_count == 1
