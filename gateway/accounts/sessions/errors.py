"""What callers must expect of sessions."""

from gateway.texts import Text

# Longer than a server of ours takes to be back or to be noticed as back, short for a person who waits.
RETRY_SECONDS = 10

UNAVAILABLE = Text(
    "Не получается узнать, кто вы: хранилище сеансов недоступно. Вы не вышли из системы, повторите чуть позже.",
    "We cannot tell who you are: the store of sessions is away. You are still signed in, try again shortly.",
)


class SessionsUnavailable(Exception):
    """Neither Redis nor Cassandra can tell or keep it. Not the same as «unknown»: an outage signs nobody out."""
