"""Orders of any age, copied to Cassandra and archived there, of owners whom nobody has met before."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

from django.test import override_settings
from pymongo.database import Database

from gateway.accounts.owners import customer_owner, guest_owner, user_id_of
from gateway.cassandra.writes import write
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Document
from gateway.sync.copy import copy_documents
from gateway.sync.marks import timestamp_of
from ordering.cassandra.sync import SYNCED
from ordering.cassandra.tables import ARCHIVED_ORDERS_BY_KEY, ORDER_STATE_BY_ID
from ordering.reading.history import position_of
from ordering.reading.lookup_keys import keys_of

NO_CASSANDRA = override_settings(CASSANDRA_CONTACT_POINTS=[])

Run = Callable[..., Any]
AfterTheFirst = Callable[[ModuleType, Sequence[str], Callable[[], None]], None]


def void(_: object) -> None:
    """For a lambda that may return nothing."""


def some_customer() -> str:
    return customer_owner(secrets.token_hex(12))


def some_guest() -> str:
    return guest_owner(secrets.token_hex(16))


def placed(
    shop: Database[Document], like: Mapping[str, Any], *moments: datetime, owner: str, **changes: Any
) -> list[str]:
    """An order like this one for each of the moments, owed to Cassandra; their ids, newest first."""
    made: list[Any] = []
    for moment in moments:
        order = {
            **like,
            "owner": owner,
            "user_id": user_id_of(owner),
            "number": f"{secrets.randbelow(10**10):010}",
            "period_bucket": None,
            **changes,
            "_id": str(uuid7()),
            "created_at": moment,
        }
        contact = order["contact"]
        keys = keys_of(
            number=order["number"],
            contact=contact,
            user_id=order["user_id"],
        )
        made.append({**order, "keys": keys})
    shop["orders"].insert_many(made)
    return [order["_id"] for order in sorted(made, key=position_of, reverse=True)]


def days_ago(*days: int) -> list[datetime]:
    """Whole milliseconds, as the stores keep them."""
    now = datetime.now(UTC).replace(microsecond=0)
    return [now - timedelta(days=each) for each in days]


def copy(shop: Database[Document], order_ids: Sequence[str]) -> None:
    """What a sync does with them."""
    documents = list(shop["orders"].find({"_id": {"$in": list(order_ids)}}))
    assert copy_documents(SYNCED, documents) == len(documents) == len(order_ids)


def archive(shop: Database[Document], order_ids: Sequence[str]) -> None:
    """Copied, put among the archived ones, gone from MongoDB."""
    copy(shop, order_ids)
    for order in list(shop["orders"].find({"_id": {"$in": list(order_ids)}})):
        after = timestamp_of(order, after=True)
        place = {"year": order["created_at"].year, "created_at": order["created_at"], "order_id": order["_id"]}
        keyed = [
            ARCHIVED_ORDERS_BY_KEY.upsert({"key": key, **place, "keys": order["keys"]}, timestamp=after)
            for key in order["keys"]
        ]
        state = {"order_id": order["_id"], "archived_at": datetime.now(UTC)}
        write([*keyed, ORDER_STATE_BY_ID.upsert(state, timestamp=after)])
        shop["orders"].delete_one({"owner": order["owner"], "_id": order["_id"]})
