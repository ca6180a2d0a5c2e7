"""What the caller may know of an error: a fault of the request is told whole, a fault of ours by its id only."""

from collections.abc import Sequence

import structlog
from graphql import GraphQLError, GraphQLFormattedError

from gateway import logs

log = structlog.get_logger(__name__)


def is_fault(error: GraphQLError) -> bool:
    """Raised by our code rather than about the request."""
    return error.original_error is not None and not isinstance(error.original_error, GraphQLError)


def log_faults(errors: Sequence[GraphQLError]) -> None:
    for error in errors:
        if is_fault(error):
            log.error("graphql_fault", path=error.path, exc_info=error.original_error)


def formatted(error: GraphQLError) -> GraphQLFormattedError:
    if not is_fault(error):
        return error.formatted
    return {
        "message": "Внутренняя ошибка. Мы уже знаем о ней.",
        "path": list(error.path or ()),
        "extensions": {"code": "INTERNAL", "requestId": logs.current_request_id()},
    }
