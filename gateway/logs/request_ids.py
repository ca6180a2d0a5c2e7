"""The id of the request that work is done for: every log line of that work carries it.

It arrives in `X-Request-ID` or is made by the front, is answered in the same header, and travels into Celery tasks.
"""

import re
import secrets

from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

# What a proxy or a client may call its request; anything else could forge log lines.
_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{8,64}")


def accepted_request_id(offered: str | None) -> str:
    """The caller's id when it is harmless, else a new one."""
    return offered if offered and _ACCEPTED.fullmatch(offered) else secrets.token_hex(16)


def bind_request_id(request_id: str, **context: str) -> None:
    """Start the context of one request or task; every log line until the next carries it."""
    clear_contextvars()
    bind_contextvars(request_id=request_id, **context)


def unbind_request_id() -> None:
    """End the context that `bind_request_id` started."""
    clear_contextvars()


def current_request_id() -> str | None:
    """The id bound last; None outside of any request or task."""
    bound: dict[str, str] = get_contextvars()
    return bound.get("request_id")
