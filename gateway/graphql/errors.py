"""What callers are told of errors: all about a fault of the request, only an id about a fault of ours."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import structlog
from django.conf import settings
from graphql import GraphQLError, GraphQLFormattedError
from pymongo.errors import PyMongoError

from gateway.accounts.sessions.errors import UNAVAILABLE, SessionsUnavailable
from gateway.domain.texts import Language, Text
from gateway.graphql.inputs import BadInput
from gateway.logs.request_ids import current_request_id
from gateway.mongo.outage import MongoUnavailable

log = structlog.get_logger(__name__)

ErrorCode = Literal[
    "BAD_REQUEST",
    "BAD_USER_INPUT",
    "COST_LIMIT",
    "CSRF",
    "DEADLINE_EXCEEDED",
    "GRAPHQL_PARSE_FAILED",
    "GRAPHQL_VALIDATION_FAILED",
    "INTERNAL",
    "LIMIT_EXCEEDED",
    "OPERATION_NOT_REGISTERED",
    "OPERATION_RESOLUTION_FAILURE",
    "OVERLOADED",
    "PERSISTED_QUERY_HASH_MISMATCH",
    "PERSISTED_QUERY_NOT_FOUND",
    "SESSIONS_UNAVAILABLE",
    "THROTTLED",
    "TOO_MANY_ERRORS",
    "UNAVAILABLE",
]

FAULT = Text("Внутренняя ошибка. Мы уже знаем о ней.", "An internal error. We already know of it.")
TOO_SLOW = Text(
    "Запрос не уложился в отведённое время и остановлен. Начатая запись могла завершиться.",
    "The request took longer than it may and was stopped. A write that had begun may have been done.",
)
NO_CHANGES = Text(
    "Магазин временно не принимает изменения, повторите чуть позже.",
    "The shop takes no changes for the moment, try again shortly.",
)
NO_ANSWER = Text(
    "Магазин временно не может на это ответить, повторите чуть позже.",
    "The shop cannot answer this for the moment, try again shortly.",
)
OVERLOADED = Text(
    "Сервер занят: запрос не начат. Повторите через {seconds} с.",
    "The server is busy: the request was not begun. Try again in {seconds} s.",
)
OMITTED = Text("Ошибок больше: ещё {count} не показано.", "There are more errors: {count} are not shown.")

# Enough to see what is wrong. graphql-core quotes in each of them as much of the document as it likes.
MAX_ERRORS = 10
MAX_MESSAGE_LETTERS = 500
MAX_LOCATIONS = 10
MAX_ERROR_BYTES = 8_000
"""How many bytes of JSON all errors of one answer may take, the last of them not counted."""
# A page of a hundred nodes may fail a hundred times for one reason.
MAX_LOGGED = 5
# A burst is over by then; a client that comes back sooner would only make the queue longer.
OVERLOADED_SECONDS = 1


class RequestRefused(Exception):
    """The request is refused before execution, with errors that tell why."""

    def __init__(
        self,
        code: ErrorCode,
        text: Text,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        details: Mapping[str, Any] | None = None,
        **values: object,
    ) -> None:
        super().__init__(text.en.format_map(values))
        self.code = code
        self.status = status
        """None: the media type decides, since a client of plain JSON expects 200 for a well-formed request."""
        self.headers = dict(headers or {})
        self._text = text
        self._values = values
        self._details = dict(details or {})

    def formatted(self, language: Language) -> list[GraphQLFormattedError]:
        message = self._text.in_language(language, **self._values)
        return [{"message": message, "extensions": {"code": self.code, **self._details}}]

    def again(self) -> Self:
        """A new instance to raise: one that has been raised keeps the frames of whoever caught it alive."""
        fresh = type(self).__new__(type(self), *self.args)
        fresh.__dict__.update(self.__dict__)
        return fresh


class InvalidDocument(RequestRefused):
    """The document is refused by GraphQL itself; the errors are graphql-core's own and say where."""

    def __init__(self, code: ErrorCode, errors: Sequence[GraphQLError]) -> None:
        super().__init__(code, Text("", ""))
        # Formatted at once: an error keeps the whole document alive, and this may be remembered for long.
        self._errors = [
            _shortened({**error.formatted, "extensions": {"code": code, **(error.extensions or {})}})
            for error in errors
        ]

    def formatted(self, language: Language) -> list[GraphQLFormattedError]:
        return self._errors


def bounded(errors: Sequence[GraphQLFormattedError], language: Language) -> list[GraphQLFormattedError]:
    """The first few errors, shortened, so that no answer tells more of them than somebody would read."""
    told: list[GraphQLFormattedError] = []
    left = MAX_ERROR_BYTES
    for error in errors[:MAX_ERRORS]:
        short = _shortened(error)
        left -= len(json.dumps(short, ensure_ascii=False, default=str).encode())
        if left < 0 and told:
            break
        told.append(short)
    if omitted := len(errors) - len(told):
        message = OMITTED.in_language(language, count=omitted)
        told.append({"message": message, "extensions": {"code": "TOO_MANY_ERRORS", "omitted": omitted}})
    return told


def _shortened(error: GraphQLFormattedError) -> GraphQLFormattedError:
    short: GraphQLFormattedError = {**error}
    if len(error["message"]) > MAX_MESSAGE_LETTERS:
        short["message"] = error["message"][:MAX_MESSAGE_LETTERS] + "…"
    if "locations" in error:
        short["locations"] = error["locations"][:MAX_LOCATIONS]
    return short


def overloaded() -> RequestRefused:
    """The refusal of a busy server: nothing has been begun, and the caller may repeat whatever it was."""
    return RequestRefused(
        "OVERLOADED",
        OVERLOADED,
        status=503,
        # Its body may not have been read: the connection is of no use any more.
        headers={"retry-after": str(OVERLOADED_SECONDS), "connection": "close"},
        details={"retryAfter": OVERLOADED_SECONDS},
        seconds=OVERLOADED_SECONDS,
    )


def is_fault(error: GraphQLError) -> bool:
    """Whether it was raised by our code, rather than about the request."""
    return error.original_error is not None and not isinstance(error.original_error, GraphQLError)


def ran_out_of_time(error: GraphQLError) -> bool:
    """Whether the deadline passed while a server was asked. That no server is found in time is an outage, not this."""
    original = error.original_error
    return isinstance(original, TimeoutError) or (isinstance(original, PyMongoError) and original.timeout)


def is_outage(error: GraphQLError) -> bool:
    """Whether MongoDB is away and nobody else could answer."""
    return isinstance(error.original_error, MongoUnavailable)


def is_refused_change(error: GraphQLError, *, mutation: bool) -> bool:
    """Whether it is the mutation itself that an outage made fail, rather than a field of its answer."""
    return mutation and len(error.path or ()) <= 1


def retry_after() -> int:
    """Seconds after which MongoDB will have been tried again."""
    return max(1, math.ceil(settings.MONGODB_CIRCUIT_SECONDS))


def unavailable() -> RequestRefused:
    """The refusal when MongoDB is away before anything could be executed."""
    seconds = retry_after()
    headers = {"retry-after": str(seconds)}
    return RequestRefused("UNAVAILABLE", NO_ANSWER, status=503, headers=headers, details={"retryAfter": seconds})


def log_faults(errors: Sequence[GraphQLError]) -> None:
    """Log the errors that are ours, a few at most; outages in one line."""
    if outages := [error for error in errors if is_outage(error)]:
        # One line, however many fields: the outage itself has been logged when it was noticed.
        paths = [error.path for error in outages[:MAX_LOGGED]]
        log.warning("graphql_unavailable", fields=len(outages), paths=paths, reason=outages[0].message)
    failures = [error for error in errors if is_fault(error) and not is_outage(error)]
    for error in failures[:MAX_LOGGED]:
        _log_failure(error)
    if len(failures) > MAX_LOGGED:
        log.warning("graphql_more_faults", fields=len(failures) - MAX_LOGGED)


def _log_failure(error: GraphQLError) -> None:
    if ran_out_of_time(error):
        log.warning("graphql_deadline", path=error.path, error=error.original_error)
    elif isinstance(error.original_error, SessionsUnavailable):
        log.warning("sessions_unavailable", path=error.path, reason=str(error.original_error))
    else:
        log.error("graphql_fault", path=error.path, exc_info=error.original_error)


def formatted(error: GraphQLError, language: Language, *, mutation: bool = False) -> GraphQLFormattedError:
    """An error of execution as the caller is told of it."""
    if isinstance(error.original_error, MongoUnavailable):
        text = NO_CHANGES if is_refused_change(error, mutation=mutation) else error.original_error.text or NO_ANSWER
        told = _ours(error, "UNAVAILABLE", text.in_language(language))
        told["extensions"]["retryAfter"] = retry_after()
        return told
    if ran_out_of_time(error):
        return _ours(error, "DEADLINE_EXCEEDED", TOO_SLOW.in_language(language))
    if isinstance(error.original_error, SessionsUnavailable):
        return _ours(error, "SESSIONS_UNAVAILABLE", UNAVAILABLE.in_language(language))
    if is_fault(error):
        return _ours(error, "INTERNAL", FAULT.in_language(language))
    told = {
        **error.formatted,
        "extensions": {"code": "BAD_USER_INPUT", **(error.extensions or {})},
    }
    if isinstance(error.original_error, BadInput):
        told["message"] = error.original_error.in_language(language)
    return told


def _ours(error: GraphQLError, code: ErrorCode, message: str) -> GraphQLFormattedError:
    return {
        "message": message,
        "path": list(error.path or ()),
        "extensions": {"code": code, "requestId": current_request_id()},
    }
