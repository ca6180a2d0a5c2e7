"""The copy of the category tree and the geozones in Cassandra: small, rewritten whole, a few minutes old at most."""

import time
from collections.abc import Iterator

from django.conf import settings

from catalog.cassandra.tables import SHOP_STRUCTURE
from catalog.documents import StructurePart
from catalog.models import Category, Geozone
from gateway.background import send_soon
from gateway.cassandra.reads import first_async
from gateway.cassandra.statements import Write
from gateway.cassandra.writes import write
from gateway.mongo.policies import SYNC
from gateway.mongo.reads import Read, run

TASK = "catalog.tasks.copy_structure"
COLLECTIONS = (Category._meta.db_table, Geozone._meta.db_table)


def copy_soon() -> None:
    """Have the structure copied, after a change. Never fails: within minutes it is copied in any case."""
    if settings.CASSANDRA_CONTACT_POINTS:
        send_soon(TASK, "structure")


def copy_structure() -> None:
    """Write the copy anew. When two do so at once, that of the one that began to read later stays."""
    write(_rewritten())


async def copied(collection: str) -> list[StructurePart]:
    """The copy of the collection's documents, in their order. Raises CassandraError."""
    row = await first_async(SHOP_STRUCTURE.select("part = ?", collection))
    items = row["items"] or () if row else ()
    return [
        {"_id": item.code, "name": item.name, "path": list(item.path or ()), "hidden": bool(item.hidden)}
        for item in items
    ]


def _rewritten() -> Iterator[Write]:
    for collection in COLLECTIONS:
        began = time.time_ns() // 1000
        documents = run(_whole(collection))
        items = [
            (document["_id"], document["name"], document.get("path") or [], document.get("hidden", False))
            for document in documents
        ]
        yield SHOP_STRUCTURE.upsert({"part": collection, "items": items}, timestamp=began)


def _whole(collection: str) -> Read[list[StructurePart]]:
    """All of it: neither collection is sharded."""
    return Read(collection=collection, policy=SYNC, where={}, sort=(("position", 1), ("_id", 1)), result=list)
