"""Sums as the tasks keep them, on every member: boards read secondaries."""

from collections.abc import Iterable, Mapping
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


def cart_day(day: datetime, geozone: str, number: int, names: Mapping[str, str]) -> Document:
    """What became of a day's carts in a geozone: the larger the number, the more were abandoned."""
    lost = [(place, product_id, name) for place, (product_id, name) in enumerate(names.items(), number)]
    return {
        "_id": f"{day:%Y-%m-%d}:{geozone}",
        "day": day,
        "geozone": geozone,
        "carts": 30 + number,
        "abandoned": 5 + number,
        "ordered": 12,
        "lost_value": Decimal128(f"{19_990 * (5 + number)}.00"),
        "products": [
            {
                "product_id": product_id,
                "name": name,
                "carts": place,
                "quantity": place + 1,
                "lost_value": Decimal128(f"{1990 * place}.00"),
            }
            for place, product_id, name in lost
        ],
        "computed_at": day,
    }


def summed_until(seen_until: datetime, **moments: datetime) -> None:
    keep("sales_progress", {"_id": "sales", "seen_until": seen_until, **moments})


def shown(rows: Iterable[Iterable[Value]]) -> list[list[str]]:
    return [[plain(value.shown) for value in row] for row in rows]


def plain(text: str) -> str:
    """The text with spaces at which a line may break."""
    return text.replace("\u00a0", " ")


def table(tables: Iterable[Table], code: str) -> Table:
    (found,) = [each for each in tables if each.code == code]
    return found
