"""What callers must expect of sessions."""

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text

# Longer than a server of ours takes to be back or to be noticed as back, short for a person who waits.
RETRY_SECONDS = 10

UNAVAILABLE = Text(
    "Не получается узнать, кто вы: хранилище сеансов недоступно. Вы не вышли из системы, повторите чуть позже.",
    "We cannot tell who you are: the store of sessions is away. You are still signed in, try again shortly.",
)


class TooManySessions(DomainError):
    """So many began at this address lately that no other may; those that there are go on."""

    code = Code.RATE_LIMITED
    text = Text(
        "С вашего адреса начато слишком много сеансов. Повторите через {minutes} мин.",
        "Too many sessions were begun from your address. Try again in {minutes} min.",
    )


class SessionsUnavailable(Exception):
    """Neither Redis nor Cassandra can tell or keep it. Not the same as «unknown»: an outage signs nobody out."""
