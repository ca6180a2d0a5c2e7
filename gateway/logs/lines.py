"""The line that every request writes: the same as any other, without the standard library's records on the way.

These cost more than what they tell of. Only for lines of plain values: what an error carries along is taken out of the
others on that way.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Protocol

import orjson
import structlog

_SHARED: tuple[Any, ...] = (structlog.contextvars.merge_contextvars, structlog.processors.add_log_level)


class _Lines:
    """Where lines go, and from which level on."""

    def __init__(self) -> None:
        self.renderer: Any = None
        """None: JSON."""
        self.level = logging.INFO


_lines = _Lines()


def configure(renderer: Any, level: str) -> None:
    """Have lines rendered so, or as JSON; those below the level are not written."""
    _lines.renderer, _lines.level = renderer, logging.getLevelNamesMapping()[level]


class LineLogger(Protocol):
    def info(self, event: str, **values: object) -> object: ...


def line_logger(name: str) -> LineLogger:
    """A logger for lines of plain values, once logging has been configured."""
    if _lines.renderer is None:
        return _JsonLines(name)
    wrapped: LineLogger = structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
        processors=[*_SHARED, structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=True), _lines.renderer],
        wrapper_class=structlog.make_filtering_bound_logger(_lines.level),
        cache_logger_on_first_use=True,
    ).bind(logger=name)
    return wrapped


class _JsonLines:
    """Writes what structlog's processors would, in a third of their time."""

    def __init__(self, name: str) -> None:
        # Every line has this name, as those of other loggers do.
        self._name = name
        self._is_silent = _lines.level > logging.INFO

    def info(self, event: str, **values: object) -> None:
        if self._is_silent:
            return
        line = {
            "logger": self._name,
            **structlog.contextvars.get_contextvars(),
            **values,
            "event": event,
            "level": "info",
            "timestamp": f"{datetime.now(UTC).isoformat()[:-6]}Z",
        }
        # One write for each line: lines of several threads do not mix.
        sys.stderr.buffer.write(_written(line) + b"\n")
        sys.stderr.buffer.flush()


def _written(line: dict[str, Any]) -> bytes:
    """The line as JSON, whatever a client has put in its address."""
    try:
        return orjson.dumps(line)
    except orjson.JSONEncodeError:
        return json.dumps(line, default=repr).encode()
