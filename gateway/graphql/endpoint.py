"""GraphQL over HTTP: POST and GET, both media types of the specification, and nothing else."""

import json
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.types.execution import PreExecutionError
from strawberry.types.graphql import OperationType

from gateway.graphql.errors import formatted
from gateway.graphql.schema import schema
from gateway.http import Receive, Scope, Send, header, respond

JSON = "application/json"
GRAPHQL_RESPONSE = "application/graphql-response+json"
MAX_BODY_BYTES = 1_000_000


class BadRequest(Exception):
    """The request is not a GraphQL request at all; carries its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class GraphQLRequest(NamedTuple):
    query: str
    variables: dict[str, Any] | None
    operation_name: str | None
    may_mutate: bool


async def graphql_endpoint(scope: Scope, receive: Receive, send: Send) -> None:
    media_type = GRAPHQL_RESPONSE if GRAPHQL_RESPONSE in (header(scope, "accept") or "") else JSON
    try:
        status, answer = await _execute(await _parse(scope, receive), media_type)
    except BadRequest as error:
        headers = {"allow": "GET, POST"} if error.status == 405 else None
        body = json.dumps({"errors": [{"message": error.message}]}, ensure_ascii=False)
        await respond(send, error.status, body.encode(), f"{media_type}; charset=utf-8", headers)
        return
    body = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    await respond(send, status, body.encode(), f"{media_type}; charset=utf-8", {"cache-control": "private, no-store"})


async def _execute(request: GraphQLRequest, media_type: str) -> tuple[int, dict[str, Any]]:
    allowed = {OperationType.QUERY, OperationType.MUTATION} if request.may_mutate else {OperationType.QUERY}
    try:
        result = await schema.execute(
            request.query,
            variable_values=request.variables,
            operation_name=request.operation_name,
            allowed_operation_types=allowed,
        )
    except InvalidOperationTypeError as error:
        raise BadRequest(405, "Only queries may be sent by GET.") from error
    errors = [formatted(error) for error in result.errors or ()]
    if isinstance(result, PreExecutionError):
        # A client that speaks only plain JSON expects 200 for anything but a broken HTTP request.
        return (400 if media_type == GRAPHQL_RESPONSE else 200), {"errors": errors}
    return 200, {"data": result.data, **({"errors": errors} if errors else {})}


async def _parse(scope: Scope, receive: Receive) -> GraphQLRequest:
    match scope["method"]:
        case "POST":
            return _from_json(await _body(scope, receive), may_mutate=True)
        case "GET":
            return _from_query_string(scope["query_string"].decode("latin-1"))
    raise BadRequest(405, "Use GET or POST.")


async def _body(scope: Scope, receive: Receive) -> bytes:
    content_type = (header(scope, "content-type") or "").partition(";")[0].strip().lower()
    if content_type != JSON:
        raise BadRequest(415, f"The content type must be {JSON}.")
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise BadRequest(413, f"The body is larger than {MAX_BODY_BYTES} bytes.")
        if not message.get("more_body"):
            return bytes(body)


def _from_query_string(query_string: str) -> GraphQLRequest:
    given = {name: values[-1] for name, values in parse_qs(query_string).items()}
    variables = _decoded(given.get("variables", "null"), "variables")
    return _checked(given.get("query"), variables, given.get("operationName"), may_mutate=False)


def _from_json(body: bytes, *, may_mutate: bool) -> GraphQLRequest:
    content = _decoded(body, "body")
    if not isinstance(content, dict):
        raise BadRequest(400, "The body must be a JSON object.")
    return _checked(content.get("query"), content.get("variables"), content.get("operationName"), may_mutate=may_mutate)


def _decoded(text: bytes | str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadRequest(400, f"The {what} is not JSON.") from error


def _checked(query: Any, variables: Any, operation_name: Any, *, may_mutate: bool) -> GraphQLRequest:
    if not isinstance(query, str) or not query:
        raise BadRequest(400, "`query` is missing.")
    if variables is not None and not isinstance(variables, dict):
        raise BadRequest(400, "`variables` must be an object.")
    if operation_name is not None and not isinstance(operation_name, str):
        raise BadRequest(400, "`operationName` must be a string.")
    return GraphQLRequest(query, variables, operation_name or None, may_mutate)
