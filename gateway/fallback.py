"""Reading from another store while MongoDB is away, and noting which answers were made so. See docs/degraded.md."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings

from gateway.cassandra.errors import CassandraError
from gateway.mongo.outage import MONGODB, MongoUnavailable

T = TypeVar("T")


@dataclass(slots=True)
class Degradation:
    """How one answer differs from an ordinary one."""

    noted: bool = False
    """The answer is less than in ordinary times, and says so."""
    elsewhere: bool = False
    """A part of the answer came from another store than MongoDB."""


_answer: ContextVar[Degradation | None] = ContextVar("degradation", default=None)
# A task that nobody holds may be collected while it still waits.
_left_behind: set[asyncio.Future[Any]] = set()


@contextmanager
def noting_degradation() -> Iterator[Degradation]:
    """Note whether anything answered inside is degraded, in tasks and threads started there too."""
    noted = Degradation()
    token = _answer.set(noted)
    try:
        yield noted
    finally:
        _answer.reset(token)


def note_degraded() -> None:
    """Note that a part of the answer did not come from MongoDB. `served` does it by itself."""
    if (answer := _answer.get()) is not None:
        answer.noted = answer.elsewhere = True


def note_incomplete() -> None:
    """Note that the answer may lack what only Cassandra has, though MongoDB answers."""
    if (answer := _answer.get()) is not None:
        answer.noted = True


def is_degraded() -> bool:
    """Whether a part of this answer already came from another store."""
    answer = _answer.get()
    return answer is not None and answer.elsewhere


async def served(read: Callable[[], Awaitable[T]], otherwise: Callable[[], Awaitable[T]]) -> T:
    """The answer of `read`, from MongoDB; of `otherwise` when MongoDB is away or takes longer than a reader waits.

    When the other store is away or not configured too, MongoDB is waited for as ever. Raises MongoUnavailable when
    neither answers. Once one part of an answer came from the other store, so do the rest: one wait per request, and one
    view.
    """
    if is_degraded():
        try:
            return await otherwise()
        except CassandraError:
            return await read()
    asked = asyncio.ensure_future(read())
    try:
        await asyncio.wait({asked}, timeout=settings.MONGODB_PATIENCE_SECONDS)
        if asked.done() and not isinstance(asked.exception(), MongoUnavailable):
            return asked.result()
        return await _served_otherwise(asked, otherwise)
    except asyncio.CancelledError:
        asked.cancel()
        raise


async def _served_otherwise(asked: asyncio.Future[T], otherwise: Callable[[], Awaitable[T]]) -> T:
    try:
        answer = await otherwise()
    except CassandraError:
        return await asked
    except MongoUnavailable:
        if asked.done():
            raise
        return await asked
    note_degraded()
    if not asked.done():
        # One may be slow by itself. Several in a row, and nothing else answered meanwhile: so looks a mongos whose
        # shards are gone.
        MONGODB.note_silence(f"no answer within {settings.MONGODB_PATIENCE_SECONDS} s")
        _leave(asked)
    return answer


def _leave(asked: asyncio.Future[Any]) -> None:
    """Let the read go on to its end: what becomes of it tells the circuit whether MongoDB is back."""
    _left_behind.add(asked)
    asked.add_done_callback(_forget)


def _forget(asked: asyncio.Future[Any]) -> None:
    _left_behind.discard(asked)
    if not asked.cancelled():
        asked.exception()  # seen, so that nobody logs it as forgotten
