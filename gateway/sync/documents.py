"""Fields that every document kept in step with Cassandra has; gateway/sync/marks.py writes them."""

from datetime import datetime
from typing import NotRequired, TypedDict


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
