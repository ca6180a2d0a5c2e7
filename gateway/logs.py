"""Structured logs: JSON lines in production, readable ones in development, each with the id of the request it is about.

The id arrives in `X-Request-ID` or is made by the front, is answered in the same header, and travels into Celery tasks.
"""

import logging.config
import re
import sys
import uuid
from typing import Any, Literal, TypedDict

import structlog
from structlog.typing import EventDict

# What a proxy or a client may call its request; anything else could forge log lines.
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class LogOptions(TypedDict):
    format: Literal["json", "console"]
    level: str


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
    rendering: list[Any] = (
        [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer(ensure_ascii=False)]
        if options["format"] == "json"
        else [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0, pad_level=False)]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    silent: dict[str, Any] = {"handlers": [], "propagate": False}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "structured": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": [*shared, structlog.stdlib.ExtraAdder()],
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        _drop_uvicorn_colours,
                        *rendering,
                    ],
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
            "root": {"handlers": ["stderr"], "level": options["level"]},
            "loggers": {
                "django": {"handlers": [], "propagate": True},
                "django.server": silent,  # the front logs every request
                "uvicorn": {"handlers": [], "propagate": True},
                "uvicorn.access": silent,  # likewise
                # A line for each scheduled, received and finished task would drown the rest; failures are still logged.
                "celery.beat": {"level": "WARNING"},
                "celery.worker.strategy": {"level": "WARNING"},
                "celery.app.trace": {"level": "WARNING"},
                "pymongo": {"level": "WARNING"},
                # Prints a traceback for every failed attempt to connect; our circuit logs the outage once.
                "cassandra": {"level": "CRITICAL"},
            },
        }
    )


def _drop_uvicorn_colours(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Uvicorn repeats some messages with escape codes."""
    event.pop("color_message", None)
    return event


def accepted_request_id(offered: str | None) -> str:
    """The caller's id when it is harmless, else a new one."""
    return offered if offered and _REQUEST_ID.fullmatch(offered) else uuid.uuid4().hex


def bind_request_id(request_id: str, **context: str) -> None:
    """Start the context of one request or task; every log line until the next carries it."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=request_id, **context)


def unbind_request_id() -> None:
    structlog.contextvars.clear_contextvars()


def current_request_id() -> str | None:
    found: str | None = structlog.contextvars.get_contextvars().get("request_id")
    return found
