"""The GraphQL endpoint: each request passes the checks in order, is executed and answered."""

import asyncio
import time
from collections.abc import Awaitable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from graphql import GraphQLError
from graphql.execution.values import VariableValues

from gateway import deadline
from gateway.accounts.sessions.recent_changes import RECENT_CHANGES
from gateway.domain.texts import Language, Text, accepted_language
from gateway.fallback import noting_degradation
from gateway.graphql.answers.kept import Answers, KeptAnswer, Made
from gateway.graphql.answers.keys import key_of
from gateway.graphql.answers.questions import Question, Questions
from gateway.graphql.context import RequestContext
from gateway.graphql.documents import cost, persisted_queries
from gateway.graphql.documents.cache import Documents, Operation, digest_of
from gateway.graphql.documents.persisted_queries import FoundOperation
from gateway.graphql.documents.preparation import Preparation
from gateway.graphql.errors import (
    FAULT,
    TOO_SLOW,
    ErrorCode,
    RequestRefused,
    bounded,
    formatted,
    is_outage,
    is_refused_change,
    overloaded,
    retry_after,
)
from gateway.graphql.execution.info import Request
from gateway.graphql.execution.operations import Attempt, CompiledOperations, Sought
from gateway.graphql.execution.schema_parts import parts_of
from gateway.graphql.http import browsers, cache_headers, charges, encoding, graphiql, negotiation, throttle
from gateway.graphql.http.negotiation import GRAPHQL_RESPONSE, HTML, JSON
from gateway.graphql.http.requests import METHODS, Bodies, GraphQLRequest, bad_request, check_method, decode_request
from gateway.graphql.schema import schema
from gateway.logs.request_ids import current_request_id
from gateway.mongo.policies import PUBLIC, Policy, collecting_policies
from gateway.web.admission import CLIENT_GONE, ClientGone, Overloaded, Turns
from gateway.web.clients import address_of, client_of
from gateway.web.compression import compressed
from gateway.web.http import Receive, Scope, Send, header, respond

log = structlog.get_logger(__name__)

NOT_ACCEPTABLE = Text(f"Ответ бывает только {GRAPHQL_RESPONSE} или {JSON}.", f"We answer {GRAPHQL_RESPONSE} or {JSON}.")
ONLY_QUERIES_BY_GET = Text(
    "GET только читает: отправьте мутацию через POST.", "GET only reads: send mutations by POST."
)

VARY = "Accept, Accept-Encoding, Accept-Language, Origin"
# Strawberry asks for a text even when the document is given; nobody reads it.
PERSISTED = "persisted"

documents = Documents(schema.as_graphql_core())
compiled = CompiledOperations(
    parts_of(schema, schema.as_graphql_core()), most_bytes=lambda: settings.GRAPHQL_COMPILED_BYTES
)
preparation = Preparation(documents)
turns = Turns(running="GRAPHQL_MAX_RUNNING", waiting="GRAPHQL_MAX_WAITING", per_client="GRAPHQL_MAX_RUNNING_PER_CLIENT")
bodies = Bodies()
answers = Answers(lambda: settings.GRAPHQL_ANSWERS_BYTES)
questions = Questions(lambda: settings.GRAPHQL_ANSWERS_BYTES)


@dataclass(slots=True)
class Answer:
    content: dict[str, Any]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    max_age: int = 0
    """Seconds that anybody may cache it."""
    kept_for: int = 0
    """Seconds that we may keep its data for others."""


class _Accepted(NamedTuple):
    """A request that may be executed, and what that may cost."""

    request: GraphQLRequest
    operation: Operation
    variables: VariableValues
    attempt: Attempt | None
    asked: int
    found: FoundOperation
    body: bytes


class _Outcome(NamedTuple):
    """What came of executing it."""

    data: dict[str, Any] | None
    objects: int
    """That the data hold."""
    errors: Sequence[GraphQLError]
    policies: Set[Policy]
    degraded: bool


async def graphql_endpoint(scope: Scope, receive: Receive, send: Send) -> None:
    always = {"vary": VARY, **browsers.cors_headers(scope)}
    if scope["method"] == "OPTIONS":
        await respond(send, 204, b"", JSON, {**always, "allow": METHODS, **browsers.preflight_headers(scope)})
        return
    if scope["method"] == "GET" and graphiql.is_wanted(scope):
        of_page = {"cache-control": "no-cache", "content-security-policy": graphiql.POLICY}
        await respond(send, 200, graphiql.page(), f"{HTML}; charset=utf-8", {**always, **of_page})
        return
    media_type = negotiation.chosen(header(scope, "accept"), (JSON, GRAPHQL_RESPONSE))
    context = RequestContext(
        scope,
        request_id=current_request_id() or "",
        language=accepted_language(header(scope, "accept-language")),
        client=client_of(scope),
        address=address_of(scope),
    )
    try:
        answer = await _answer(scope, receive, context, media_type)
    except ClientGone:
        await respond(send, CLIENT_GONE, b"", JSON)
        return
    if context.session_ended:
        answer.content.setdefault("extensions", {})["session"] = "ENDED"
    if context.personal and browsers.keeps_no_cookies(scope):
        answer.content.setdefault("extensions", {})["warnings"] = [browsers.cookies_refused(scope, context.language)]
    body = encoding.encode(answer.content)
    headers = {**always, "cache-control": cache_headers.NO_STORE, **answer.headers}
    # Never what depends on who asks: the length would tell how well it goes with what somebody else put into it.
    if not context.personal and (found := compressed(body, header(scope, "accept-encoding"))) is not None:
        body, headers["content-encoding"] = found
    status = answer.status
    if answer.max_age:
        headers |= cache_headers.cached_headers(body, answer.max_age)
        if cache_headers.is_known(headers["etag"], header(scope, "if-none-match")):
            status = 304
    content_type = f"{media_type or JSON}; charset=utf-8"
    await respond(send, status, body, content_type, headers, cookies=context.cookie_headers())


async def _answer(scope: Scope, receive: Receive, context: RequestContext, media_type: str | None) -> Answer:
    """The answer to the request, a refusal or a failure too. Raises ClientGone, with nothing begun."""
    loop = asyncio.get_running_loop()
    until = loop.time() + settings.GRAPHQL_MAX_SECONDS
    try:
        if media_type is None:
            raise bad_request(NOT_ACCEPTABLE, status=406)
        browsers.refuse_forgery(scope)
        check_method(scope)
        charges.refuse_debtor(context.client)
        turns.refuse_when_full(context.client)
        with bodies.holding() as body:
            if scope["method"] == "POST":
                await body.read(receive, until)
            async with turns.turn(context.client, receive, min(until, loop.time() + settings.GRAPHQL_MAX_WAIT_SECONDS)):
                return await _in_time(_serve(scope, bytes(body.content), context, media_type), until, context)
    except RequestRefused as refused:
        return _refusal(refused, context, media_type)
    except Overloaded:
        return _refusal(overloaded(), context, media_type)


async def _in_time(serving: Awaitable[Answer], until: float, context: RequestContext) -> Answer:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout_at(until):
            with deadline.within(until - loop.time()):
                return await serving
    except RequestRefused:
        raise
    except TimeoutError:
        log.warning("graphql_deadline")
        return _failure(context, "DEADLINE_EXCEEDED", TOO_SLOW, 200)
    except Exception:
        log.exception("graphql_fault")
        return _failure(context, "INTERNAL", FAULT, 500)


async def _serve(scope: Scope, body: bytes, context: RequestContext, media_type: str | None) -> Answer:
    meter = charges.Meter()
    # Before any work; its refusal, too, costs nothing.
    await charges.collect(context.client)
    try:
        with meter:
            request = decode_request(scope, body)
    except RequestRefused:
        await charges.charge(context.client, max(throttle.LEAST, meter.points))
        raise
    asked = 0
    try:
        found = await persisted_queries.find(request.text, request.id)
        outcome = await preparation.outcome(found.text)
        meter.milliseconds += outcome.milliseconds
        prepared = outcome.prepared()
        operation = prepared.operation(request.operation_name)
        if request.by_get and not operation.is_query:
            raise bad_request(ONLY_QUERIES_BY_GET, status=405, headers={"allow": "POST"})
        with meter:
            variables = documents.variables(operation, request.variables)
            asked = operation.cost.total(variables.coerced)
            if found.unregistered is not None:
                persisted_queries.log_unregistered(found.unregistered, prepared.document)
        cost.check(asked)
        with meter:
            attempt = compiled.plan(Sought(operation.key, prepared.document, operation.node, variables))
    except RequestRefused as refused:
        spent = await charges.charge(context.client, max(throttle.LEAST, meter.points))
        reason = refused if spent.allowed else spent.refusal(throttle.LEAST)
        return _refusal(reason, context, media_type, _cost(asked, 0, spent))
    spent = await throttle.spend(context.client, max(asked, throttle.LEAST))
    if not spent.allowed:
        charges.owe(context.client, meter.points)
        return _refusal(spent.refusal(asked), context, media_type, _cost(asked, 0, spent))
    if found.to_store is not None:
        await persisted_queries.store(found.to_store, found.text, client=context.client)
    if meter.points:
        # Done already, and remembered from now on: it is paid for besides, and refuses nobody what was asked for.
        spent = await charges.charge(context.client, meter.points)
    context.document, context.reads_only = prepared.document, operation.is_query
    accepted = _Accepted(request, operation, variables, attempt, asked, found, body)
    if operation.is_query and await _may_be_kept(scope, context):
        return await _kept_or_executed(accepted, context, spent)
    return await _execute(accepted, context, spent)


async def _may_be_kept(scope: Scope, context: RequestContext) -> bool:
    """Whether the client takes what was made for another one.

    Not if it says so, and not staff who have changed something lately and want to see it.
    """
    if not settings.GRAPHQL_ANSWERS_BYTES or cache_headers.wants_anew(header(scope, "cache-control")):
        return False
    session_id = context.sent_session_id()
    return session_id is None or not await RECENT_CHANGES.include(session_id)


async def _kept_or_executed(accepted: _Accepted, context: RequestContext, spent: throttle.Spent) -> Answer:
    began = time.monotonic()

    async def make() -> Made[Answer]:
        answer = await _execute(accepted, context, spent)
        if not answer.kept_for:
            return Made(answer, None)
        data = encoding.encode(answer.content["data"])
        answer.content["data"] = encoding.encoded(data)
        answer.headers["x-cache"] = "miss"
        actual = answer.content["extensions"]["cost"]["actualQueryCost"]
        return Made(answer, KeptAnswer(data, actual, answer.kept_for, began))

    key = key_of(accepted.found.text, accepted.operation.node, accepted.request.variables, context.language)
    found = await answers.find_or_make(key, make)
    if not isinstance(found, KeptAnswer):
        return found
    answer = Answer(_content_of(found, accepted.asked, spent), headers={"x-cache": "hit", "age": str(found.age())})
    if accepted.request.by_get:
        return _public(answer, found.seconds)
    _remember(accepted, key, context.language)
    return answer


def kept_content(kept: KeptAnswer, asked: int, spent: throttle.Spent) -> bytes:
    """The body of a response with this answer."""
    return encoding.encode(_content_of(kept, asked, spent))


def _content_of(kept: KeptAnswer, asked: int, spent: throttle.Spent) -> dict[str, Any]:
    # The price is that of the question, whoever has answered it before.
    return {"data": encoding.encoded(kept.data), "extensions": {"cost": _cost(asked, kept.cost, spent)}}


def _remember(accepted: _Accepted, key: bytes, language: Language) -> None:
    """Have this body answered at once from now on, as long as it finds its answer kept."""
    found = accepted.found
    if found.to_store is None and found.unregistered is None:
        known_by = persisted_queries.known_by(accepted.request.text, accepted.request.id)
        question = Question(key, accepted.asked, digest_of(found.text), known_by, settings.GRAPHQL_OPERATIONS)
        questions.remember(accepted.body, language, question)


def _public(answer: Answer, seconds: int) -> Answer:
    """Let anybody cache the answer."""
    answer.max_age = seconds
    if seconds:
        # One client's points are nobody else's business, and would make every copy of the answer different.
        del answer.content["extensions"]["cost"]["throttleStatus"]
    return answer


async def _execute(accepted: _Accepted, context: RequestContext, spent: throttle.Spent) -> Answer:
    if accepted.operation.is_query and accepted.attempt is not None:
        with collecting_policies() as policies, noting_degradation() as degradation:
            data = await accepted.attempt.data(Request(None, context, accepted.variables))
        if data is not None:
            outcome = _Outcome(data.fields, data.objects, (), policies, degraded=degradation.noted)
            return _answered(accepted, context, spent, outcome)
        # What it has cost so far comes on top.
        spent = await charges.charge(context.client, max(accepted.asked, throttle.LEAST))
    if not accepted.operation.is_query:
        context.results = accepted.attempt
    with collecting_policies() as policies, noting_degradation() as degradation:
        result = await schema.execute(
            accepted.request.text or PERSISTED,
            variable_values=accepted.request.variables,
            operation_name=accepted.request.operation_name,
            context_value=context,
        )
    objects = cost.objects_in(result.data)
    outcome = _Outcome(result.data, objects, result.errors or (), policies, degraded=degradation.noted)
    return _answered(accepted, context, spent, outcome)


def _answered(accepted: _Accepted, context: RequestContext, spent: throttle.Spent, outcome: _Outcome) -> Answer:
    asked, is_query = accepted.asked, accepted.operation.is_query
    # What is asked for is an upper bound; of it the objects in the answer were needed. A write costs what it costs.
    actual = min(asked, outcome.objects - 1) if is_query else asked
    answer = Answer({"data": outcome.data, "extensions": {"cost": _cost(asked, max(0, actual), spent)}})
    if outcome.degraded:
        answer.content["extensions"]["degraded"] = True
    if outcome.errors:
        told = [formatted(error, context.language, mutation=not is_query) for error in outcome.errors]
        answer.content["errors"] = bounded(told, context.language)
        if _nothing_done(outcome.data, outcome.errors, mutation=not is_query):
            answer.status, answer.headers = 503, {"retry-after": str(retry_after())}
    elif not context.personal and not outcome.degraded:
        seconds = cache_headers.max_age(outcome.policies)
        answer.kept_for = seconds if outcome.policies <= PUBLIC else 0
        return _public(answer, seconds) if accepted.request.by_get else answer
    return answer


def _nothing_done(data: object, errors: Sequence[GraphQLError], *, mutation: bool) -> bool:
    """Whether, with MongoDB away, a change was refused or no part of the query could be answered."""
    outages = [error for error in errors if is_outage(error)]
    return any(data is None or is_refused_change(error, mutation=mutation) for error in outages)


def _refusal(
    refused: RequestRefused, context: RequestContext, media_type: str | None, spent: dict[str, Any] | None = None
) -> Answer:
    content: dict[str, Any] = {"errors": bounded(refused.formatted(context.language), context.language)}
    if spent is not None:
        content["extensions"] = {"cost": spent}
    # A client that speaks only plain JSON expects 200 for anything but a broken HTTP request.
    status = refused.status or (400 if media_type == GRAPHQL_RESPONSE else 200)
    return Answer(content, status, refused.headers)


def _failure(context: RequestContext, code: ErrorCode, text: Text, status: int) -> Answer:
    """The answer when the request as a whole failed after it was accepted."""
    extensions = {"code": code, "requestId": context.request_id}
    return Answer(
        {"data": None, "errors": [{"message": text.in_language(context.language), "extensions": extensions}]}, status
    )


def _cost(asked: int, actual: int, spent: throttle.Spent) -> dict[str, Any]:
    return {"requestedQueryCost": asked, "actualQueryCost": actual, "throttleStatus": spent.status()}
