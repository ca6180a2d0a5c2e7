"""Orders of a day that no other test has, in MongoDB and in Cassandra."""

import random
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast

from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Document
from gateway.sync.copy import copy_documents
from gateway.sync.marks import new_marks
from ordering.cassandra.sync import SYNCED
from ordering.documents import OrderDocument
from ordering.numbers import claim_number
from ordering.reading.lookup_keys import keys_of
from ordering.tests.bulk import one_bought


def a_day() -> date:
    return date(1970, 1, 2) + timedelta(days=random.randrange(20_000))  # noqa: S311 - not that of another test


def owed_orders(shop: Database[Document], day: date, number: int, **changes: Any) -> list[OrderDocument]:
    """Made on that day, a second after one another, and not copied yet."""
    bought = one_bought(CUSTOMER)
    shop["orders"].delete_one({"_id": bought["_id"]})
    made = [_like(bought, datetime.combine(day, time(12, 0, each), UTC), changes) for each in range(number)]
    shop["orders"].insert_many(made)
    return [stored(shop, order) for order in made]


def copied_orders(shop: Database[Document], day: date, number: int, **changes: Any) -> list[OrderDocument]:
    """The same, in step with Cassandra."""
    made = owed_orders(shop, day, number, **changes)
    assert copy_documents(SYNCED, made) == number
    return [stored(shop, order) for order in made]


def stored(shop: Database[Document], order: Mapping[str, Any]) -> OrderDocument:
    found = shop["orders"].find_one({"_id": order["_id"]})
    assert found is not None
    return cast("OrderDocument", found)


def _like(order: OrderDocument, at: datetime, changes: dict[str, Any]) -> Any:
    contact, number = order["contact"], claim_number()
    status = changes.get("status", order["status"])
    return {
        **order,
        "_id": str(uuid7()),
        "number": number,
        "keys": keys_of(number=number, contact={**contact, "name": "Иван"}, user_id=None),
        "events": [{**order["events"][0], "at": at, "status": status}],
        "mail_due": [],
        "letters": [],
        "created_at": at,
        "updated_at": at,
        **new_marks(at),
        **changes,
    }
