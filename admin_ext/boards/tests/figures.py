"""Sums as the tasks keep them, on every member: boards read secondaries."""

from collections.abc import Iterable
from datetime import UTC, datetime

from bson import Decimal128

from admin_ext.boards.parts import Table, Value
from cart.tests.carts import EVERYWHERE
from gateway.mongo.client import Document, database


def keep(collection: str, *documents: Document) -> None:
    database()[collection].with_options(write_concern=EVERYWHERE).insert_many(documents)


def quarter(begins: datetime, geozone: str = "msk", orders: int = 1, paid: int = 0, refunded: int = 0) -> Document:
    """Sold in a quarter of an hour; each order is of two pieces and worth 1 000 roubles."""
    return {
        "_id": f"{begins.astimezone(UTC):%Y-%m-%dT%H:%M}:{geozone}",
        "begins": begins,
        "geozone": geozone,
        "orders": orders,
        "pieces": 2 * orders,
        "total": Decimal128(f"{1000 * orders}.00"),
        "paid": Decimal128(f"{paid}.00"),
        "refunded": Decimal128(f"{refunded}.00"),
        "computed_at": begins,
    }


def summed_until(seen_until: datetime, **moments: datetime) -> None:
    keep("sales_progress", {"_id": "sales", "seen_until": seen_until, **moments})


def shown(rows: Iterable[Iterable[Value]]) -> list[list[str]]:
    return [[value.shown for value in row] for row in rows]


def table(tables: Iterable[Table], code: str) -> Table:
    (found,) = [each for each in tables if each.code == code]
    return found
