"""Bulk writes of which some find their document there already, because somebody else was faster."""

from typing import Any

from pymongo.errors import BulkWriteError

DUPLICATE_KEY = 11000


def duplicates_of(error: BulkWriteError) -> list[dict[str, Any]]:
    """The writes that were refused because an id or a unique key was taken. Raises the error if it tells of more."""
    refused: list[dict[str, Any]] = error.details["writeErrors"]
    others = [failure for failure in refused if failure["code"] != DUPLICATE_KEY]
    if others or error.details["writeConcernErrors"]:
        raise error
    return refused
