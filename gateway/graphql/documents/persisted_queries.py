"""Operations known by a hash: Apollo's automatic persisted queries, and those registered by `manage.py`.

Automatic ones live in Redis for a while, registered ones in MongoDB for good. What a process has once seen it
remembers, within a bound: a hash names one text for ever. Whatever is found passes the same limits as a text that is
sent.
"""

import asyncio
import hashlib
from typing import NamedTuple, TypedDict, cast

import structlog
from django.conf import settings
from graphql import DocumentNode, strip_ignored_characters
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import PyMongoError
from pymongo.read_preferences import SecondaryPreferred

from gateway.domain.texts import Text
from gateway.graphql.documents import persisted_texts
from gateway.graphql.documents.cache import digest_of
from gateway.graphql.documents.literals import without_literals
from gateway.graphql.documents.persisted_texts import StoreOutcome, Texts
from gateway.graphql.errors import FAULT, RequestRefused, unavailable
from gateway.mongo.client import async_database
from gateway.mongo.outage import MongoUnavailable, asking

log = structlog.get_logger(__name__)

COLLECTION = "graphql_operations"
# Enough to recognise the operation.
LOGGED_CHARACTERS = 500

# The protocol's own words, which clients compare.
NOT_FOUND = Text("PersistedQueryNotFound", "PersistedQueryNotFound")
MISMATCH = Text("Хеш не соответствует тексту запроса.", "The provided sha256Hash does not match the query.")
NOT_REGISTERED = Text(
    "Выполняются только зарегистрированные операции, а этой среди них нет.",
    "Only registered operations are served, and this is none of them.",
)
NO_STORE = {"cache-control": "private, no-store"}


_automatic = Texts()
_registered = Texts()


class RegisteredOperation(TypedDict):
    """An operation as `manage.py persist_queries` keeps it in MongoDB, by the id that clients send."""

    _id: str
    text: str


class FoundOperation(NamedTuple):
    """The operation that a request names, and what is to be done with it besides executing it."""

    text: str
    to_store: str | None
    """The hash under which the text shall be stored once it has proved valid."""
    unregistered: str | None = None
    """The operation's hash, when nobody registered it and the settings ask to log that."""


async def find(text: str | None, id_: str | None) -> FoundOperation:
    """The text of the operation that a request names by its text, by its id, or by both."""
    if text is not None and id_ is not None and hash_of(text) != id_:
        raise RequestRefused("PERSISTED_QUERY_HASH_MISMATCH", MISMATCH, status=400, headers=NO_STORE)
    if settings.GRAPHQL_OPERATIONS == "off":
        return await _automatic_one(text, id_)
    registered = await _find_registered(id_ or hash_of(text or ""))
    if registered is not None:
        return FoundOperation(registered, None)
    if settings.GRAPHQL_OPERATIONS == "enforce":
        raise RequestRefused("OPERATION_NOT_REGISTERED", NOT_REGISTERED, status=403, headers=NO_STORE)
    found = await _automatic_one(text, id_)
    return found._replace(unregistered=id_ or hash_of(found.text))


def known_by(text: str | None, id_: str | None) -> str | None:
    """The id by which such a request's text must be known to be served; None when its own text is served."""
    if settings.GRAPHQL_OPERATIONS == "off" and text is not None:
        return None
    return id_ or hash_of(text or "")


def is_known(id_: str, digest: bytes) -> bool:
    """Whether this process knows the text of this digest by the id, and need not ask or tell anybody about it now."""
    if settings.GRAPHQL_OPERATIONS == "off":
        text = None if _automatic.is_use_due(id_) else _automatic.get(id_)
    else:
        text = _registered.get(id_)
    return text is not None and digest_of(text) == digest


def log_unregistered(sha256: str, document: DocumentNode) -> None:
    """Log a valid operation that nobody registered, without the values that it was sent with."""
    log.warning("graphql_operation_not_registered", sha256=sha256, text=without_literals(document)[:LOGGED_CHARACTERS])


async def store(id_: str, text: str, *, client: str) -> None:
    """Keep the text for whoever names its hash, at this client's expense: without comments and needless white space.

    Beyond a budget nothing is kept. The client then hears PERSISTED_QUERY_NOT_FOUND and sends the text again, which is
    how the protocol has it.
    """
    if _automatic.get(id_) is not None and not _automatic.is_use_due(id_):
        return
    # Beside the event loop: a long literal is read letter by letter.
    stripped = await asyncio.to_thread(strip_ignored_characters, text)
    if len(stripped.encode()) > settings.GRAPHQL_PERSISTED_MAX_BYTES:
        log.info("graphql_text_not_kept", sha256=id_, reason="too long")
        return
    kept = await persisted_texts.keep(id_, stripped, client=client)
    if kept is StoreOutcome.OVER_BUDGET:
        log.info("graphql_text_not_kept", sha256=id_, reason=kept.value)
        return
    _automatic.remember(id_, stripped)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def _automatic_one(text: str | None, id_: str | None) -> FoundOperation:
    if text is None:
        return FoundOperation(await _find_automatic(id_ or ""), None)
    return FoundOperation(text, id_)


async def _find_automatic(id_: str) -> str:
    known = _automatic.get(id_)
    if known is not None and not _automatic.is_use_due(id_):
        return known
    found = await persisted_texts.find(id_) or known
    if found is None:
        raise RequestRefused("PERSISTED_QUERY_NOT_FOUND", NOT_FOUND, status=200, headers=NO_STORE)
    _automatic.remember(id_, found)
    return found


async def _find_registered(id_: str) -> str | None:
    text = _registered.get(id_)
    if text is None:
        try:
            with asking():
                found = await _collection().find_one({"_id": id_}, {"text": 1}, comment="graphql.operations")
        except MongoUnavailable as error:
            raise unavailable() from error
        except PyMongoError as error:
            log.warning("graphql_operations_unknown", error=error)
            raise RequestRefused("INTERNAL", FAULT, status=503, headers=NO_STORE) from error
        if found is None:
            return None
        text = found["text"]
        _registered.remember(id_, text)
    return text


def _collection() -> AsyncCollection[RegisteredOperation]:
    found = async_database().get_collection(COLLECTION, read_preference=SecondaryPreferred())
    return cast("AsyncCollection[RegisteredOperation]", found)
