"""Structured logs: JSON lines in production, readable ones in development, each with the id of its request.

Whatever is logged, by whomever, passes here and leaves without the values that an error or a task carries along: see
`gateway.logs.tracebacks`. What a library attaches to a line (`extra`: requests, arguments of tasks) is never logged.
"""

import logging.config
import sys
from collections.abc import Mapping
from typing import Any, Literal, TypedDict

import structlog
from structlog.typing import EventDict

from gateway.logs import lines
from gateway.logs.tracebacks import as_text, described, raised

_SILENT: dict[str, Any] = {"handlers": [], "propagate": False}
_LOGGERS: dict[str, Any] = {
    "django": {"handlers": [], "propagate": True},
    "django.server": _SILENT,  # the front logs every request
    "uvicorn": {"handlers": [], "propagate": True},
    "uvicorn.access": _SILENT,  # likewise
    # A line for each scheduled, received and finished task would drown the rest; failures are still logged.
    "celery.beat": {"level": "WARNING"},
    "celery.worker.strategy": {"level": "WARNING"},
    "celery.app.trace": {"level": "WARNING"},
    "pymongo": {"level": "WARNING"},
    # Prints a traceback for every failed attempt to connect; our circuit logs the outage once.
    "cassandra": {"level": "CRITICAL"},
}


class LogOptions(TypedDict):
    format: Literal["json", "console"]
    level: str
    error_texts: bool
    """Tell what errors say, not only what they are: for a developer's machine."""


def configure(options: LogOptions) -> None:
    """Django's LOGGING_CONFIG: one handler on stderr for structlog, Django, Celery and uvicorn alike."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso" if options["format"] == "json" else "%H:%M:%S", utc=True),
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.StackInfoRenderer(),
    ]
    console = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0, pad_level=False)
    json = structlog.processors.JSONRenderer(ensure_ascii=False)
    renderer: Any = json if options["format"] == "json" else console
    lines.configure(None if options["format"] == "json" else console, options["level"])
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "structured": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": shared,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        ErrorsWithoutValues(options),
                        renderer,
                    ],
                }
            },
            "filters": {"described": {"()": DescribedArguments, "texts": options["error_texts"]}},
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "structured", "filters": ["described"]}
            },
            "root": {"handlers": ["stderr"], "level": options["level"]},
            "loggers": _LOGGERS,
        }
    )


class ErrorsWithoutValues:
    """A structlog processor that renders the error a line is about, and the errors among the line's values."""

    def __init__(self, options: LogOptions) -> None:
        self._render: Any = raised if options["format"] == "json" else as_text
        self._texts = options["error_texts"]

    def __call__(self, _logger: Any, _method: str, event: EventDict) -> EventDict:
        error = _error(event.pop("exc_info", None))
        for name, value in event.items():
            if isinstance(value, BaseException):
                event[name] = described(value, texts=self._texts)
        if error is not None:
            event["exception"] = self._render(error, texts=self._texts)
        return event


class DescribedArguments(logging.Filter):
    """Describes the errors among the arguments of other libraries' log lines.

    Celery has made a text of its error before the line comes here: that one is described from the line's `exc_info`.
    """

    def __init__(self, *, texts: bool) -> None:
        super().__init__()
        self._texts = texts

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(self._told(value) for value in record.args)
        elif isinstance(record.args, Mapping):
            record.args = {name: self._told(value) for name, value in record.args.items()}
            if record.name == "celery.app.trace" and "exc" in record.args:
                error = _error(record.exc_info)
                record.args["exc"] = described(error, texts=self._texts) if error is not None else "an error"
        return True

    def _told(self, value: object) -> object:
        return described(value, texts=self._texts) if isinstance(value, BaseException) else value


def _error(exc_info: object) -> BaseException | None:
    match exc_info:
        case BaseException():
            return exc_info
        case (_, BaseException() as error, _):
            return error
        case _:
            return sys.exc_info()[1] if exc_info else None
