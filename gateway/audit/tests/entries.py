"""Entries of the trail, as releases have written them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from bson import ObjectId

from gateway.audit.documents import AuditEntryDocument
from gateway.audit.reading import TRAIL
from gateway.mongo.client import collection_of

NOON = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)


def entry(minutes: int = 0, **fields: Any) -> AuditEntryDocument:
    """An entry so many minutes after noon in Moscow."""
    made: dict[str, Any] = {
        "_id": ObjectId(),
        "at": NOON + timedelta(minutes=minutes),
        "actor_id": "",
        "actor": "stock_drift",
        "source": "system",
        "step": f"step-{minutes}",
        "action": "product.changed",
        "target": "product:PROD-1",
        "changes": {},
        "reason": "",
        **fields,
    }
    return made  # type: ignore[return-value]


def earlier(found: AuditEntryDocument) -> AuditEntryDocument:
    """The same entry as releases before wrote it: from nowhere, in no step."""
    made: Any = {name: value for name, value in found.items() if name not in ("source", "step")}
    return made  # type: ignore[no-any-return]


def write(*entries: AuditEntryDocument) -> None:
    collection_of(TRAIL, AuditEntryDocument).insert_many(entries)
