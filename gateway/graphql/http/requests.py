"""Turning HTTP into a GraphQL request: POST with JSON and GET with parameters, nothing else.

Reading and decoding are two steps: a body comes in its client's time, and is decoded when the request has its turn.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings

from gateway.domain.texts import Text
from gateway.graphql.documents import limits
from gateway.graphql.errors import RequestRefused, overloaded
from gateway.graphql.http import encoding
from gateway.graphql.http.negotiation import JSON
from gateway.web.admission import ClientGone, Readers
from gateway.web.http import Message, Receive, Scope, header, told_at_once

METHODS = "GET, POST, OPTIONS"
# A hash, or an id such as Relay's manifests have.
_ID = re.compile(r"[A-Za-z0-9:._-]{1,128}")
# Where clients put it: the specification's draft, Relay's usual network layer, and those that say `id`.
ID_NAMES = ("documentId", "doc_id", "id")
# Of JSON: a value begins after each.
_SEPARATORS = (b",", b"[", b"{")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
# A body up to this size counts as ordinary: only what is larger draws on what all bodies may take together.
ORDINARY_BYTES = 64_000

USE_GET_OR_POST = Text("Используйте GET или POST.", "Use GET or POST.")
CONTENT_TYPE = Text(f"Тип содержимого должен быть {JSON}.", f"The content type must be {JSON}.")
CHARSET = Text("Кодировка должна быть utf-8.", "The charset must be utf-8.")
NOT_JSON = Text("Это не JSON: {name}.", "Not JSON: {name}.")
NOT_UNICODE = Text("Текст не в Юникоде: {name}.", "The text is no Unicode: {name}.")
BATCH = Text(
    "Пакетные запросы не поддерживаются: отправьте одну операцию в одном запросе.",
    "Batching is not supported: send one operation per request.",
)
TOO_SLOW = Text("Тело запроса приходило слишком долго.", "The body took too long to come.")
NOT_AN_OBJECT = Text("Должно быть объектом: {name}.", "Must be an object: {name}.")
NOT_A_STRING = Text("Должно быть строкой: {name}.", "Must be a string: {name}.")
QUERY_MISSING = Text("Нет запроса: параметр query.", "There is no query: the parameter `query`.")
PERSISTED_FORM = Text(
    "extensions.persistedQuery должно быть вида {{version: 1, sha256Hash}}.",
    "extensions.persistedQuery must be {{version: 1, sha256Hash}}.",
)


@dataclass(frozen=True, slots=True)
class GraphQLRequest:
    text: str | None
    id: str | None
    """The id of a persisted operation. At least one of text and id is given."""
    variables: dict[str, Any]
    operation_name: str | None
    by_get: bool


class Bodies:
    """The bodies of all requests that are read, wait or run: bounded in number while they come, and in bytes."""

    def __init__(self) -> None:
        self._readers = Readers(most="GRAPHQL_MAX_READING")
        self._held = 0

    @contextmanager
    def holding(self) -> Iterator["Body"]:
        """Give a body to be read; its bytes count as held until the end of the block."""
        body = Body(self)
        try:
            yield body
        finally:
            self._held -= body.drawn

    async def read(self, body: "Body", receive: Receive, until: float) -> None:
        """Read the body.

        Raises ClientGone, and RequestRefused for one that is too large or has not come until that time.
        """
        # Most bodies come in one piece with their heads.
        first = told_at_once(receive)
        if first is not None and not self._take(body, first):
            return
        try:
            async with self._readers.reading(until):
                while self._take(body, await receive()):
                    pass
        except TimeoutError:
            raise bad_request(TOO_SLOW, status=408, headers={"connection": "close"}) from None

    def _take(self, body: "Body", message: Message) -> bool:
        """Add a part of the body; returns whether there is more to come."""
        if message["type"] == "http.disconnect":
            raise ClientGone
        body.content += message.get("body", b"")
        self._draw(body)
        return bool(message.get("more_body"))

    def _draw(self, body: "Body") -> None:
        size, maximum = len(body.content), settings.GRAPHQL_MAX_BODY_BYTES
        if size > maximum:
            refused = limits.BODY.refusal(f"> {maximum}", maximum)
            refused.status = 413
            raise refused
        drawn = size if size > ORDINARY_BYTES else 0
        if self._held - body.drawn + drawn > settings.GRAPHQL_MAX_BODIES_BYTES:
            raise overloaded()
        self._held += drawn - body.drawn
        body.drawn = drawn


class Body:
    """The body of one request."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self.content = bytearray()
        self.drawn = 0
        """The bytes that count against what all bodies may take together."""

    async def read(self, receive: Receive, until: float) -> None:
        await self._bodies.read(self, receive, until)


def check_method(scope: Scope) -> None:
    """Refuse a request that we do not serve, by its method and headers alone."""
    match scope["method"]:
        case "POST":
            _check_content_type(header(scope, "content-type") or "")
        case "GET":
            size, maximum = len(scope["query_string"]), settings.GRAPHQL_MAX_URL_BYTES
            if size > maximum:
                refused = limits.URL.refusal(size, maximum)
                refused.status = 414
                raise refused
        case _:
            raise bad_request(USE_GET_OR_POST, status=405, headers={"allow": METHODS})


def decode_request(scope: Scope, body: bytes) -> GraphQLRequest:
    return _from_query_string(scope["query_string"]) if scope["method"] == "GET" else _from_json(body)


def bad_request(
    text: Text, *, status: int = 400, headers: dict[str, str] | None = None, name: str = ""
) -> RequestRefused:
    return RequestRefused("BAD_REQUEST", text, status=status, headers=headers, name=name)


def _check_content_type(content_type: str) -> None:
    media_type, *parameters = [part.strip().lower() for part in content_type.split(";")]
    if media_type != JSON:
        raise bad_request(CONTENT_TYPE, status=415)
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset" and value.strip().strip('"') not in {"utf-8", "utf8"}:
            raise bad_request(CHARSET, status=415)


def _from_query_string(query_string: bytes) -> GraphQLRequest:
    try:
        given = parse_qs(query_string.decode("latin-1"), max_num_fields=20, errors="strict")
    except ValueError as error:
        raise bad_request(NOT_JSON, name="query string") from error
    content: dict[str, Any] = {name: values[-1] for name, values in given.items()}
    for name in ("variables", "extensions"):
        if name in content:
            content[name] = _decoded(content[name].encode(), name)
    return _checked(content, by_get=True)


def _from_json(body: bytes) -> GraphQLRequest:
    content = _decoded(body, "body")
    if isinstance(content, list):
        raise bad_request(BATCH)
    if not isinstance(content, dict):
        raise bad_request(NOT_AN_OBJECT, name="body")
    return _checked(content, by_get=False)


def _decoded(text: bytes, name: str) -> Any:
    _check_values(text)
    try:
        return encoding.decode(text)
    except UnicodeEncodeError as error:
        raise bad_request(NOT_UNICODE, name=name) from error
    except (ValueError, RecursionError) as error:
        raise bad_request(NOT_JSON, name=name) from error


def _check_values(text: bytes) -> None:
    """Refuse JSON with too many values, before they are made: each takes many times the memory of its text."""
    if _values_in(text) > settings.GRAPHQL_MAX_VALUES:
        # Most of them may be commas of a long text.
        limits.VALUES.check(_values_in(_STRING.sub(b"", text)))


def _values_in(text: bytes) -> int:
    return sum(map(text.count, _SEPARATORS))


def _checked(content: dict[str, Any], *, by_get: bool) -> GraphQLRequest:
    for name in ("variables", "extensions"):
        if not isinstance(content.get(name), dict | None):
            raise bad_request(NOT_AN_OBJECT, name=name)
    for name in ("query", "operationName", *ID_NAMES):
        if not isinstance(content.get(name), str | None):
            raise bad_request(NOT_A_STRING, name=name)
    id_ = _persisted_id(content)
    if not content.get("query") and id_ is None:
        raise bad_request(QUERY_MISSING)
    return GraphQLRequest(
        text=content.get("query") or None,
        id=id_,
        variables=content.get("variables") or {},
        operation_name=content.get("operationName") or None,
        by_get=by_get,
    )


def _persisted_id(content: dict[str, Any]) -> str | None:
    """The id of a persisted operation, by Apollo's extension or one of ID_NAMES."""
    extension = (content.get("extensions") or {}).get("persistedQuery")
    if extension is None:
        id_ = next((given for name in ID_NAMES if (given := content.get(name)) is not None), None)
        if id_ is None:
            return None
        id_ = id_.removeprefix("sha256:")
    else:
        id_ = extension.get("sha256Hash") if isinstance(extension, dict) and extension.get("version") == 1 else None
    if not isinstance(id_, str) or not _ID.fullmatch(id_):
        raise bad_request(PERSISTED_FORM)
    return id_
