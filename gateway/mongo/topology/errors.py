"""What can go wrong between us and the cluster, in one line that an operator can act on."""

from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

UNAUTHORIZED = 13
AUTHENTICATION_FAILED = 18

ROLES = "topology needs the roles clusterManager and clusterMonitor on admin, and readWrite on {database}"


class TopologyError(Exception):
    """The topology could not be read or applied; the message is one line for an operator."""


@contextmanager
def explained(doing: str, *, privilege: str, database: str) -> Iterator[None]:
    """Turn what PyMongo raises inside into a TopologyError that says what was being done and what to do about it."""
    try:
        yield
    except OperationFailure as error:
        raise TopologyError(f"{doing}: {_refusal(error, privilege, database)}") from error
    except ConnectionFailure as error:
        # PyMongo appends a description of every server it knows; the first sentence is what a person reads.
        reason = str(error).partition(", Timeout:")[0]
        raise TopologyError(f"{doing}: MongoDB does not answer: {reason}") from error
    except PyMongoError as error:
        raise TopologyError(f"{doing}: {error}") from error


def _refusal(error: OperationFailure, privilege: str, database: str) -> str:
    if error.code == UNAUTHORIZED:
        return f"this user lacks the privilege {privilege}; {ROLES.format(database=database)}"
    if error.code == AUTHENTICATION_FAILED:
        return "MongoDB refused the user or the password in MONGODB_URI"
    return str((error.details or {}).get("errmsg") or error)
