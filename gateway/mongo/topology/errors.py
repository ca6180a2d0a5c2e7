"""Errors between us and the cluster, each in one line that an operator can act on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

# After what a person reads it tells its own time-outs and what it knows of every server.
_ADDED_BY_PYMONGO = re.compile(r" \(configured timeouts:[^)]*\)|, Timeout: .*", re.DOTALL)

UNAUTHORIZED = 13
AUTHENTICATION_FAILED = 18

ROLES = "topology needs the roles clusterManager and clusterMonitor on admin, and readWrite on the database"


class TopologyError(Exception):
    """The topology could not be read or applied; the message is one line for an operator."""


@contextmanager
def explained(doing: str, *, privilege: str) -> Iterator[None]:
    """Turn what PyMongo raises inside into a TopologyError that says what was being done and what to do about it."""
    try:
        yield
    except OperationFailure as error:
        raise TopologyError(f"{doing}: {_refusal(error, privilege)}") from error
    except ConnectionFailure as error:
        reason = _ADDED_BY_PYMONGO.sub("", str(error))
        raise TopologyError(f"{doing}: MongoDB does not answer: {reason}") from error
    except PyMongoError as error:
        raise TopologyError(f"{doing}: {error}") from error


def _refusal(error: OperationFailure, privilege: str) -> str:
    if error.code == UNAUTHORIZED:
        return f"this user lacks the privilege {privilege}; {ROLES}"
    if error.code == AUTHENTICATION_FAILED:
        return "MongoDB refused the user or the password in MONGODB_URI"
    return str((error.details or {}).get("errmsg") or error)
