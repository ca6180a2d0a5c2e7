"""What the caller may know of an error: a fault of the request is told whole, a fault of ours by its id only."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import structlog
from graphql import GraphQLError, GraphQLFormattedError
from pymongo.errors import PyMongoError, ServerSelectionTimeoutError

from gateway import logs
from gateway.accounts.sessions.errors import UNAVAILABLE, SessionsUnavailable
from gateway.graphql.inputs import BadInput
from gateway.texts import Language, Text

log = structlog.get_logger(__name__)

Code = Literal[
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
    "PERSISTED_QUERY_HASH_MISMATCH",
    "PERSISTED_QUERY_NOT_FOUND",
    "SESSIONS_UNAVAILABLE",
    "THROTTLED",
]

FAULT = Text("Внутренняя ошибка. Мы уже знаем о ней.", "An internal error. We already know of it.")
TOO_SLOW = Text(
    "Запрос не уложился в отведённое время и остановлен. Начатая запись могла завершиться.",
    "The request took longer than it may and was stopped. A write that had begun may have been done.",
)


class Refused(Exception):
    """The request is refused before execution, with errors that tell why."""

    def __init__(
        self,
        code: Code,
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
        """None: by the media type, since a client of plain JSON expects 200 for a well-formed request."""
        self.headers = dict(headers or {})
        self._text = text
        self._values = values
        self._details = dict(details or {})

    def formatted(self, language: Language) -> list[GraphQLFormattedError]:
        message = self._text.in_language(language, **self._values)
        return [{"message": message, "extensions": {"code": self.code, **self._details}}]


class InvalidDocument(Refused):
    """Refused by the language itself; its errors are graphql-core's own and say where."""

    def __init__(self, code: Code, errors: Sequence[GraphQLError]) -> None:
        super().__init__(code, Text("", ""))
        # Formatted at once: an error keeps the whole document alive, and this may be remembered for long.
        self._errors: list[GraphQLFormattedError] = [
            {**error.formatted, "extensions": {"code": code, **(error.extensions or {})}} for error in errors
        ]

    def formatted(self, language: Language) -> list[GraphQLFormattedError]:
        return self._errors


def is_fault(error: GraphQLError) -> bool:
    """Raised by our code rather than about the request."""
    return error.original_error is not None and not isinstance(error.original_error, GraphQLError)


def ran_out_of_time(error: GraphQLError) -> bool:
    """The deadline passed while a server was asked. That no server is found in time is an outage, hence a fault."""
    original = error.original_error
    if isinstance(original, ServerSelectionTimeoutError):
        return False
    return isinstance(original, TimeoutError) or (isinstance(original, PyMongoError) and original.timeout)


def log_faults(errors: Sequence[GraphQLError]) -> None:
    for error in errors:
        if ran_out_of_time(error):
            log.warning("graphql_deadline", path=error.path, error=str(error.original_error))
        elif isinstance(error.original_error, SessionsUnavailable):
            log.warning("sessions_unavailable", path=error.path, reason=str(error.original_error))
        elif is_fault(error):
            log.error("graphql_fault", path=error.path, exc_info=error.original_error)


def formatted(error: GraphQLError, language: Language) -> GraphQLFormattedError:
    """An error of execution."""
    if ran_out_of_time(error):
        return _ours(error, "DEADLINE_EXCEEDED", TOO_SLOW.in_language(language))
    if isinstance(error.original_error, SessionsUnavailable):
        return _ours(error, "SESSIONS_UNAVAILABLE", UNAVAILABLE.in_language(language))
    if is_fault(error):
        return _ours(error, "INTERNAL", FAULT.in_language(language))
    told: GraphQLFormattedError = {
        **error.formatted,
        "extensions": {"code": "BAD_USER_INPUT", **(error.extensions or {})},
    }
    if isinstance(error.original_error, BadInput):
        told["message"] = error.original_error.in_language(language)
    return told


def _ours(error: GraphQLError, code: Code, message: str) -> GraphQLFormattedError:
    return {
        "message": message,
        "path": list(error.path or ()),
        "extensions": {"code": code, "requestId": logs.current_request_id()},
    }
