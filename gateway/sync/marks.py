"""The outbox is the document: every change bumps its version and marks it as owed to Cassandra, in the same write.

`version` counts the changes, `synced_version` is the last that has reached Cassandra. While it is behind, `unsynced`
says since when, from when on a sweep may try (`due`), and what went wrong before (`failures`, `error`).
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from gateway.mongo.client import Expression, Pipeline
from gateway.outbox import NOW, growing_pause, owing
from gateway.sync.documents import SyncMarks

DUE = "unsynced.due"
"""The field by which indexes find what is owed."""

UNSYNCED: Expression = owing(DUE)
"""Filter, and the condition of the partial indexes that find such documents."""

CHANGED: Expression = {
    "version": {"$add": ["$version", 1]},
    # The first change since the last sync sets it; the others leave it alone, and with it the index.
    "unsynced": {"$mergeObjects": [{"since": NOW, "due": NOW}, "$unsynced"]},
}
"""To be part of `$set` in every pipeline that changes a document."""

# The first pause after a failure; each further one doubles it, up to an hour.
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=1)
# So much of an error's text is enough to recognise it.
ERROR_LENGTH = 300

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def new_marks(now: datetime) -> SyncMarks:
    """The fields of a document that has just been made."""
    return {"version": 1, "synced_version": 0, "unsynced": {"since": now, "due": now}}


def owed(version: int | None = None) -> Pipeline:
    """Update: all rows are to be written once more, as of a new version, or of this one if it is higher still."""
    following = CHANGED["version"]
    return [{"$set": {**CHANGED, "version": {"$max": [following, version]} if version else following}}]


def settled(fields: Expression) -> Expression:
    """Update of a document that is still of the version that has reached Cassandra: it owes nothing.

    `fields` are set besides. It costs the servers half of what `synced` costs them.
    """
    return {"$set": fields, "$unset": {"unsynced": ""}}


def synced(version: int) -> Pipeline:
    """Update: this version has reached Cassandra; a newer one is owed from now on."""
    ahead = {"$gt": ["$version", "$synced_version"]}
    again = {"since": NOW, "due": NOW}
    return [
        {"$set": {"synced_version": {"$max": ["$synced_version", version]}}},
        {"$set": {"unsynced": {"$cond": [ahead, again, "$$REMOVE"]}}},
    ]


def postponed(error: Exception) -> Pipeline:
    """Update: it failed, and is tried again after a pause that grows with the failures."""
    before = {"$ifNull": ["$unsynced.failures", 0]}
    text = f"{type(error).__name__}: {error}"[:ERROR_LENGTH]
    return [
        {
            "$set": {
                "unsynced": {
                    "since": {"$ifNull": ["$unsynced.since", NOW]},
                    "due": {"$add": [NOW, growing_pause(before, FIRST_PAUSE, LONGEST_PAUSE)]},
                    "failures": {"$add": [before, 1]},
                    "error": {"$literal": text},
                }
            }
        }
    ]


def timestamp_of(document: Any, *, after: bool = False) -> int:
    """The timestamp, in microseconds, of the rows of this version: grows with it, and stays near the creation.

    `after`: that of what is written once the version's own rows are there, and must not be undone by repeating those.
    """
    created = _aware(document["created_at"])
    return (created - _EPOCH) // timedelta(microseconds=1) + 2 * int(document["version"]) + int(after)


def version_at(document: Any, moment: datetime) -> int:
    """The first whose rows are younger than what was written at this moment under the clock's time."""
    since_creation = (moment - _aware(document["created_at"])) // timedelta(microseconds=1)
    return since_creation // 2 + 1


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
