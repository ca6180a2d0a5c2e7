"""From HTTP to a GraphQL request: POST with JSON and GET with parameters, nothing else."""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings

from gateway.graphql import limits
from gateway.graphql.errors import Refused
from gateway.graphql.negotiation import JSON
from gateway.http import Receive, Scope, header
from gateway.texts import Text

METHODS = "GET, POST, OPTIONS"
# A hash, or an id such as Relay's manifests have.
_ID = re.compile(r"[A-Za-z0-9:._-]{1,128}")

USE_GET_OR_POST = Text("Используйте GET или POST.", "Use GET or POST.")
CONTENT_TYPE = Text(f"Тип содержимого должен быть {JSON}.", f"The content type must be {JSON}.")
CHARSET = Text("Кодировка должна быть utf-8.", "The charset must be utf-8.")
NOT_JSON = Text("Это не JSON: {name}.", "Not JSON: {name}.")
NOT_UNICODE = Text("Текст не в Юникоде: {name}.", "The text is no Unicode: {name}.")
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
    """Of a persisted operation. At least one of text and id is given."""
    variables: dict[str, Any]
    operation_name: str | None
    by_get: bool


async def read_request(scope: Scope, receive: Receive) -> GraphQLRequest:
    match scope["method"]:
        case "POST":
            _check_content_type(header(scope, "content-type") or "")
            return _from_json(await _body(receive))
        case "GET":
            return _from_query_string(scope["query_string"])
    raise bad_request(USE_GET_OR_POST, status=405, headers={"allow": METHODS})


def bad_request(text: Text, *, status: int = 400, headers: dict[str, str] | None = None, name: str = "") -> Refused:
    return Refused("BAD_REQUEST", text, status=status, headers=headers, name=name)


def _check_content_type(content_type: str) -> None:
    media_type, *parameters = [part.strip().lower() for part in content_type.split(";")]
    if media_type != JSON:
        raise bad_request(CONTENT_TYPE, status=415)
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset" and value.strip().strip('"') not in {"utf-8", "utf8"}:
            raise bad_request(CHARSET, status=415)


async def _body(receive: Receive) -> bytes:
    body = bytearray()
    maximum = settings.GRAPHQL_MAX_BODY_BYTES
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > maximum:
            refused = limits.BODY.refusal(f"> {maximum}", maximum)
            refused.status = 413
            raise refused
        if not message.get("more_body"):
            return bytes(body)


def _from_query_string(query_string: bytes) -> GraphQLRequest:
    try:
        given = parse_qs(query_string.decode("latin-1"), max_num_fields=20, errors="strict")
    except ValueError as error:
        raise bad_request(NOT_JSON, name="query string") from error
    content: dict[str, Any] = {name: values[-1] for name, values in given.items()}
    for name in ("variables", "extensions"):
        if name in content:
            content[name] = _decoded(content[name], name)
    return _checked(content, by_get=True)


def _from_json(body: bytes) -> GraphQLRequest:
    content = _decoded(body, "body")
    if not isinstance(content, dict):
        raise bad_request(NOT_AN_OBJECT, name="body")
    return _checked(content, by_get=False)


def _decoded(text: bytes | str, name: str) -> Any:
    try:
        # NaN and Infinity are Python's own additions.
        decoded = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise bad_request(NOT_JSON, name=name) from error
    _refuse_halves(text, decoded, name)
    return decoded


def _refuse_halves(text: bytes | str, decoded: Any, name: str) -> None:
    """JSON can spell one half of a surrogate pair alone; no store of ours and no hash takes such a text."""
    spelt = text.lower() if isinstance(text, bytes) else text.lower().encode(errors="replace")
    if b"\\ud" not in spelt:
        return
    try:
        json.dumps(decoded, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise bad_request(NOT_UNICODE, name=name) from error


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


def _checked(content: dict[str, Any], *, by_get: bool) -> GraphQLRequest:
    for name in ("variables", "extensions"):
        if not isinstance(content.get(name), dict | None):
            raise bad_request(NOT_AN_OBJECT, name=name)
    for name in ("query", "operationName", "documentId"):
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
    """By Apollo's extension, or by the `documentId` of the specification's draft."""
    extension = (content.get("extensions") or {}).get("persistedQuery")
    if extension is None:
        id_ = content.get("documentId")
        if id_ is None:
            return None
        id_ = id_.removeprefix("sha256:")
    else:
        id_ = extension.get("sha256Hash") if isinstance(extension, dict) and extension.get("version") == 1 else None
    if not isinstance(id_, str) or not _ID.fullmatch(id_):
        raise bad_request(PERSISTED_FORM)
    return id_
