"""Entries of the audit trail as they stand in MongoDB: the fields of gateway/audit/models.py, typed."""

from datetime import datetime
from typing import Any, TypedDict

from bson import ObjectId


class AuditEntryDocument(TypedDict):
    _id: ObjectId
    at: datetime
    actor_id: str
    actor: str
    source: str
    step: str
    action: str
    target: str
    changes: dict[str, list[Any]]
    """Field → [before, after]."""
    reason: str
