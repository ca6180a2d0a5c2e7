"""Content negotiation: which of our media types a client accepts."""

from collections.abc import Sequence
from functools import lru_cache

JSON = "application/json"
GRAPHQL_RESPONSE = "application/graphql-response+json"
HTML = "text/html"

# Browsers and programs of one kind send the same: a few dozen headers are common, of some hundred characters at most.
REMEMBERED, LONGEST_REMEMBERED = 256, 300


def chosen(accept: str | None, offered: tuple[str, ...]) -> str | None:
    """The offered type that the Accept header prefers, the first among equals; None when it accepts none of them."""
    if accept is None or not accept.strip():
        return offered[0]
    choose = _remembered_choice if len(accept) <= LONGEST_REMEMBERED else _choice
    return choose(accept, offered)


def _choice(accept: str, offered: tuple[str, ...]) -> str | None:
    ranges = [_range(part) for part in accept.lower().split(",")]
    weighed = [(_weight(media_type, ranges), media_type) for media_type in offered]
    weight, best = max(weighed, key=lambda item: item[0])
    return best if weight > 0 else None


_remembered_choice = lru_cache(REMEMBERED)(_choice)


def _range(part: str) -> tuple[str, float]:
    media_type, *parameters = [piece.strip() for piece in part.split(";")]
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return media_type, min(1.0, max(0.0, float(value)))
            except ValueError:
                return media_type, 0.0
    return media_type, 1.0


def _weight(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """The weight that the most specific matching range gives the type, as HTTP has it."""
    kind = media_type.partition("/")[0]
    for pattern in (media_type, f"{kind}/*", "*/*"):
        weights = [weight for found, weight in ranges if found == pattern]
        if weights:
            return max(weights)
    return 0.0
