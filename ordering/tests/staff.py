"""Members of staff who act on orders, and what the audit tells of them."""

from typing import Any

from pymongo.database import Database

from gateway.audit.trail import Actor, Source
from gateway.mongo.client import Document

ANNA = Actor("a", "anna", Source.ADMIN)
BORIS = Actor("b", "boris", Source.ADMIN)
MARINA = Actor("m", "marina", Source.API)


def trail(database: Database[Document]) -> list[Document]:
    """All entries of the audit about orders and their money, oldest first."""
    told = {"target": {"$regex": "^(order|stray_money):"}}
    return list(database["audit"].find(told).sort("_id"))


def told(database: Database[Document]) -> list[tuple[str, str, Any, str]]:
    """Action, actor, changes and reason of each entry."""
    return [(each["action"], each["actor"], each["changes"], each["reason"]) for each in trail(database)]
