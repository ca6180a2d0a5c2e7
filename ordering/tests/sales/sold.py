"""Orders made at a moment in both stores, and their sums on every member: pages read any of them."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from pymongo.database import Database

from cart.tests.carts import EVERYWHERE
from gateway.mongo.client import Document, database
from gateway.sync.copy import copy_documents
from ordering.cassandra.sync import SYNCED
from ordering.ledger.ledger import Entry, Kind, Origin, State, new_entry
from ordering.sales.sums import Window, sum_window
from ordering.tests.days import owed_orders, stored
from ordering.tests.payments_api import as_stored


class Sale(NamedTuple):
    """An order of this moment: unpaid, paid, or paid back in part."""

    at: datetime
    geozone: str = "msk"
    paid: int = 0
    refunded: int = 0


def sell(orders: Database[Document], *sales: Sale) -> None:
    """Orders in both stores. One is bought; the others are like it."""
    made = owed_orders(orders, sales[0].at.date(), len(sales))
    for order, sale in zip(made, sales, strict=True):
        entries = [_entry(Kind.PAYMENT, sale.paid)] * bool(sale.paid)
        entries += [_entry(Kind.REFUND, sale.refunded)] * bool(sale.refunded)
        changes = {
            "created_at": sale.at,
            "geozone": sale.geozone,
            "status": "paid" if sale.paid else "new",
            "money": as_stored(*entries),
        }
        orders["orders"].update_one({"_id": order["_id"]}, {"$set": changes})
    assert copy_documents(SYNCED, [stored(orders, order) for order in made]) == len(sales)


def summed_everywhere(since: datetime, until: datetime) -> None:
    sum_window(Window(since, until))
    arrived_everywhere()


def arrived_everywhere() -> None:
    """Waits until every member has what was written so far."""
    for name in ("sales_quarters", "sales_progress"):
        database()[name].with_options(write_concern=EVERYWHERE).delete_one({"_id": "nothing"})


def _entry(kind: Kind, amount: int) -> Entry:
    origin = Origin(datetime(2026, 1, 1, tzinfo=UTC), "payments", "webhook")
    return new_entry(kind, State.DONE, Decimal(amount), "p", origin)
