"""Errors that callers of sessions must expect."""

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text

# Longer than a server of ours takes to be back or to be noticed as back, short for a person who waits.
RETRY_SECONDS = 10

UNAVAILABLE = Text(
    "Не получается узнать, кто вы: хранилище сеансов недоступно. Вы не вышли из системы, повторите чуть позже.",
    "We cannot tell who you are: the store of sessions is away. You are still signed in, try again shortly.",
)


class TooManySessions(DomainError):
    """Too many sessions began at this address lately; those that there are go on."""

    code = Code.RATE_LIMITED
    text = Text(
        "С вашего адреса начато слишком много сеансов. Повторите через {minutes} мин.",
        "Too many sessions were begun from your address. Try again in {minutes} min.",
    )


class SessionsUnavailable(Exception):
    """Neither Redis nor Cassandra can be asked about the session. It may well be alive: an outage signs nobody out."""
