"""The line that every request writes: the same as any other, without the standard library's records on the way.

These cost more than what they tell of. Only for lines of plain values: what an error carries along is taken out of the
others on that way.
"""

import json
import logging
import sys
from typing import Any

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


def line_logger(name: str) -> Any:
    """A logger for lines of plain values, once logging has been configured."""
    is_json = _lines.renderer is None
    time = structlog.processors.TimeStamper(fmt="iso" if is_json else "%H:%M:%S", utc=True)
    rendered = structlog.processors.JSONRenderer(serializer=_written) if is_json else _lines.renderer
    logger = structlog.BytesLogger(sys.stderr.buffer) if is_json else structlog.WriteLogger(sys.stderr)
    wrapped = structlog.wrap_logger(
        logger,
        processors=[*_SHARED, time, rendered],
        wrapper_class=structlog.make_filtering_bound_logger(_lines.level),
        cache_logger_on_first_use=True,
    )
    # Every line has this name, as those of other loggers do.
    return wrapped.bind(logger=name)


def _written(line: Any, **_: Any) -> bytes:
    """The line as JSON, whatever a client has put in its address."""
    try:
        return orjson.dumps(line)
    except orjson.JSONEncodeError:
        return json.dumps(line, default=repr).encode()
