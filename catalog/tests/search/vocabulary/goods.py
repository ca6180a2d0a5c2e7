"""Products for the count of words, on every member of every shard: it reads secondaries."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bson import Decimal128
from pymongo import WriteConcern
from pymongo.database import Database

from catalog.products.derived import derived_fields
from gateway.mongo.client import Document

EVERYWHERE = WriteConcern(w=3, wtimeout=60_000)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)

BRANCHES = {"sound": ("Звук",), "audio": ("Звук", "Наушники"), "video": ("Телевизоры",)}


def stock_up(
    database: Database[Document],
    *names: str,
    category: str = "audio",
    attributes: Mapping[str, str] | None = None,
    edited_at: datetime = LONG_AGO,
    withdrawn: bool = False,
) -> None:
    products = database.get_collection("products", write_concern=EVERYWHERE)
    begin = products.count_documents({})
    products.insert_many(
        [
            _product(f"PROD-{begin + place}", name, category, attributes or {}, edited_at, withdrawn)
            for place, name in enumerate(names)
        ]
    )


def _product(
    product_id: str, name: str, category: str, attributes: Mapping[str, str], edited_at: datetime, withdrawn: bool
) -> dict[str, Any]:
    told = {
        "_id": product_id,
        "category": category,
        "name": name,
        "description": "",
        "prices": {"base": Decimal128("1990.00"), "sale": None},
        "attributes": dict(attributes),
        "stock": [{"geozone": "msk", "quantity": 5, "reserved": 0}],
        "images": [],
    }
    marks = {"withdrawn": withdrawn, "edited_at": edited_at, "created_at": LONG_AGO, "updated_at": edited_at}
    return {**told, **marks, "version": 1, "synced_version": 1, **derived_fields({**told, **marks})}
