"""Many products at once, for the tests of what is done to many."""

from datetime import UTC, datetime
from typing import Any

from bson import Decimal128
from pymongo.database import Database

from catalog.products.derived import derived_fields
from gateway.mongo.client import Document
from gateway.sync.marks import new_marks

EDITED = datetime(2026, 1, 1, tzinfo=UTC)


def product(number: int, category: str = "audio", **fields: Any) -> Document:
    """`PROD-00007` at 1 070 roubles, ten pieces in Moscow."""
    document = {
        "_id": f"PROD-{number:05}",
        "category": category,
        "name": f"Наушники {number}",
        "description": "Беспроводные.",
        "prices": {"base": Decimal128(f"{1000 + 10 * number}.00"), "sale": None},
        "stock": [{"geozone": "msk", "quantity": 10, "reserved": 0}],
        "attributes": {"Цвет": "чёрный"},
        "images": [],
        "withdrawn": False,
        "holds": [],
        "created_at": EDITED,
        "updated_at": EDITED,
        "edited_at": EDITED,
        "edited_by": "",
        **new_marks(EDITED),
        **fields,
    }
    return {**document, **derived_fields(document)}


def put(database: Database[Document], *products: Document) -> None:
    database["products"].insert_many(products)
    database["product_directory"].insert_many([{"_id": each["_id"], "category": each["category"]} for each in products])


def prices(database: Database[Document]) -> dict[str, tuple[str, str | None]]:
    """Base and sale price of every product."""
    return {
        each["_id"]: (str(each["prices"]["base"]), each["prices"]["sale"] and str(each["prices"]["sale"]))
        for each in database["products"].find()
    }
