"""Transactions that retry what MongoDB calls transient, within a bound, and leave nothing behind when they fail."""

from collections.abc import Callable
from typing import Any, TypeVar

import pymongo
from django.db import DEFAULT_DB_ALIAS, DatabaseError
from pymongo.client_session import ClientSession
from pymongo.errors import ClientBulkWriteException, PyMongoError, ServerSelectionTimeoutError

from gateway.mongo.client import orm_connection
from gateway.mongo.outage import give_up_if_nobody_is_there

T = TypeVar("T")

# An election takes about 3 s, a dead mongos is given up after 5: either may happen and the buyer still gets an answer.
DEFAULT_SECONDS = 15.0

_RETRY_LABELS = ("TransientTransactionError", "UnknownTransactionCommitResult")


def in_transaction(work: Callable[[], T], *, seconds: float = DEFAULT_SECONDS, using: str = DEFAULT_DB_ALIAS) -> T:
    """Run `work` in one transaction and return what it returned.

    ORM calls join by themselves; PyMongo calls join with `session=orm_connection().session`. `work` is run again after
    a write conflict, a failover or stale routing, so it must change nothing but the database; `on_commit` callbacks run
    once, after the commit. Inside another transaction it joins that one: there are no savepoints. After `seconds` the
    last error is raised; if that leaves the outcome of the commit unknown, the caller cannot know it either. With no
    server in sight MongoUnavailable is raised after one wait for one.
    """
    connection = orm_connection(using)
    if connection.in_atomic_block_mongo:
        return work()
    try:
        with connection.connection.start_session() as session, pymongo.timeout(seconds):
            result: T = session.with_transaction(lambda _: _attempt(work, session, connection))
    except BaseException as failure:
        connection.run_on_commit = []
        if isinstance(failure, _OrmError):
            raise failure.error from failure.error.__cause__
        raise
    connection.run_and_clear_commit_hooks()
    return result


class TryAgain(PyMongoError):
    """Raised by `work` when what it read has changed elsewhere meanwhile: it is run again, like a write conflict."""

    def __init__(self, message: str) -> None:
        super().__init__(message, error_labels=["TransientTransactionError"])


class _OrmError(PyMongoError):
    """Carries the ORM's error past PyMongo, which looks only at labels of errors of its own kind."""

    def __init__(self, error: DatabaseError, cause: PyMongoError) -> None:
        super().__init__(str(cause), error_labels=[label for label in _RETRY_LABELS if cause.has_error_label(label)])
        self.error = error


def _attempt(work: Callable[[], T], session: ClientSession, connection: Any) -> T:
    connection.session = session
    connection.in_atomic_block_mongo = True
    connection.run_on_commit = []
    try:
        return work()
    except DatabaseError as error:
        if isinstance(error.__cause__, PyMongoError):
            give_up_if_nobody_is_there(error.__cause__, connection.connection)
            raise _OrmError(error, error.__cause__) from error
        raise
    except ServerSelectionTimeoutError as error:
        give_up_if_nobody_is_there(error, connection.connection)
        raise
    except ClientBulkWriteException as error:
        # The label that allows a retry sits on the error inside.
        if isinstance(error.error, PyMongoError):
            raise error.error from error
        raise
    finally:
        connection.session = None
        connection.in_atomic_block_mongo = False
