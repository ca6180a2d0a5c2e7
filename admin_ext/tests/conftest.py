"""A shop with stock and orders in both stores, as the tests of ordering have them, and what waits in the queues."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.mongo.client import Document
from ordering.tests.bulk import copies, one_bought
from ordering.tests.conftest import like, orders, patient, postbox

__all__ = ["like", "orders", "patient", "postbox"]


@pytest.fixture
def waiting_orders(stocked: Database[Document]) -> Database[Document]:
    """Two orders to pack, three to ship, one to refund, one with a letter given up, two behind; a payment for none."""
    now = datetime.now(UTC)
    order: dict[str, Any] = {**one_bought(CUSTOMER)}
    stocked["orders"].delete_many({})
    done = {key: value for key, value in order.items() if key not in {"unsynced", "reserved_until"}}
    copies(stocked, done, 2, status="paid")
    copies(stocked, done, 3, status="processing")
    copies(stocked, done, 1, status="cancelled", to_refund=True)
    copies(stocked, done, 1, status="shipped", mail_given_up=True)
    copies(stocked, done, 2, status="shipped", unsynced={"since": now - timedelta(hours=3, minutes=1), "due": now})
    stocked["stray_money"].insert_one(
        {
            "_id": "payment:1",
            "at": now - timedelta(days=2, minutes=1),
            "type": "payment",
            "reference": "1",
            "amount": 1,
            "currency": "RUB",
            "order": "?",
            "reason": "unknown",
            "settled_at": None,
        }
    )
    return stocked
