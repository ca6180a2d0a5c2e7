"""What is told of an error."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
import structlog
from django.conf import settings
from pymongo.errors import OperationFailure

from gateway.domain.errors import NotSignedIn
from gateway.logs import configuration
from gateway.logs.tracebacks import MAX_CHAIN, MAX_FRAMES, as_text, described, raised

SECRET = "open-sesame-4711"


def fail(error: BaseException, cause: BaseException | None = None) -> None:
    password = SECRET
    raise error from cause if password else None


def failure() -> BaseException:
    """An error of somebody else's code; its cause, context, note and locals all hold the secret."""
    first = caught(lambda: fail(KeyError(SECRET)))
    second = caught(lambda: fail(OperationFailure(f"failed on {SECRET}", 121, {"errmsg": SECRET}), first))
    last = caught(lambda: fail(ValueError(SECRET, {"password": SECRET})))
    last.__context__, last.__suppress_context__ = second, False
    last.add_note(SECRET)
    return last


def recursing(depth: int) -> None:
    if depth:
        recursing(depth - 1)
    raise RecursionError(SECRET)


def caught(action: Callable[[], object]) -> BaseException:
    try:
        action()
    except BaseException as error:  # noqa: BLE001 - whatever it is
        return error
    raise AssertionError


def test_types_codes_and_places_are_told_and_no_value() -> None:
    told = raised(failure())

    assert [(one["exc_type"], one.get("code"), one["is_cause"]) for one in told] == [
        ("ValueError", None, False),
        ("OperationFailure", 121, False),
        ("KeyError", None, True),
    ]
    assert {one["frames"][-1]["name"] for one in told} == {"fail"}
    assert SECRET not in json.dumps(told)
    assert SECRET not in as_text(failure())


def test_texts_of_our_own_errors_are_told() -> None:
    assert described(NotSignedIn()) == "NotSignedIn: Sign in first."
    assert described(OperationFailure(SECRET, 121)) == "OperationFailure 121"
    assert described(OSError(2, SECRET)) == "FileNotFoundError 2"


def test_groups_are_told_with_their_members() -> None:
    (told,) = raised(BaseExceptionGroup(SECRET, [failure(), ValueError(SECRET)]))

    assert [[one["exc_type"] for one in member] for member in told["exceptions"]] == [
        ["ValueError", "OperationFailure", "KeyError"],
        ["ValueError"],
    ]
    assert SECRET not in str(told)


def test_endless_errors_are_cut() -> None:
    deep = caught(lambda: recursing(200))
    error: BaseException = ValueError()
    for _ in range(100):
        error, error.__cause__ = ValueError(), error
    first, second = ValueError(), ValueError()
    first.__context__, second.__context__ = second, first

    assert len(raised(deep)[0]["frames"]) == MAX_FRAMES
    assert len(raised(error)) == MAX_CHAIN
    assert len(raised(first)) == 2


@pytest.fixture(params=["json", "console"])
def stream(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """What the process logs in this format."""
    stream = io.StringIO()
    before = structlog.get_config()
    configuration.configure({"format": request.param, "level": "INFO", "error_texts": False})
    (handler,) = (one for one in logging.getLogger().handlers if type(one) is logging.StreamHandler)
    handler.setStream(stream)
    yield stream
    configuration.configure(cast("configuration.LogOptions", settings.LOGGING))
    # The very same processors: loggers keep those with which they wrote first, and other tests capture by them.
    structlog.configure(**before)


def log_ours(error: BaseException) -> None:
    log = structlog.get_logger("ours")
    log.error("failed", exc_info=error)
    log.error("failed", error=error)


def log_by_name(error: BaseException) -> None:
    log = logging.getLogger("theirs")
    log.error("failed: %s %r", error, error, exc_info=error)
    log.error("failed: %(error)s", {"error": error})
    log.error("failed", extra={"request": SECRET, "data": {"args": SECRET}})


def log_like_celery(error: BaseException) -> None:
    context: dict[str, Any] = {"name": "task", "id": "1", "description": "raised unexpected", "exc": repr(error)}
    line, extra = "Task %(name)s[%(id)s] %(description)s: %(exc)s", {"data": {**context, "args": SECRET}}
    log = logging.getLogger("celery.app.trace")
    log.error(line, context, exc_info=(type(error), error, error.__traceback__), extra=extra)
    log.error(line, context, extra=extra)


def log_what_is_handled(error: BaseException) -> None:
    try:
        fail(error)
    except BaseException:
        logging.getLogger("theirs").exception("failed")
        structlog.get_logger("ours").exception("failed")


@pytest.mark.parametrize("log", [log_ours, log_by_name, log_like_celery, log_what_is_handled])
def test_no_line_holds_a_value_of_an_error_whoever_writes_it(
    stream: io.StringIO, log: Callable[[BaseException], None]
) -> None:
    log(failure())

    written = stream.getvalue()
    assert "ValueError" in written
    assert SECRET not in written
