"""Fields that every document kept in step with Cassandra has; gateway/sync/marks.py writes them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NotRequired, TypedDict


class Unsynced(TypedDict):
    """What a document still owes to Cassandra; absent when it owes nothing."""

    since: datetime
    due: datetime
    failures: NotRequired[int]
    error: NotRequired[str]


class SyncMarks(TypedDict):
    """The marks of a document that has just been made."""

    version: int
    synced_version: int
    unsynced: Unsynced


class SyncedDocument(TypedDict):
    created_at: datetime
    version: int
    synced_version: int
    unsynced: NotRequired[Unsynced]


def is_waiting(document: Mapping[str, Any]) -> bool:
    """Whether rows of it are still to be written."""
    return "unsynced" in document
