"""Pages as Relay asks for them: first/after or last/before."""

from typing import NamedTuple

import strawberry

from gateway.domain.texts import Text
from gateway.graphql.inputs import BadInput

DEFAULT_PAGE = 24
MAX_PAGE = 100

BOTH_DIRECTIONS = Text(
    "Укажите либо first и after, либо last и before.", "Give either first and after, or last and before."
)
PAGE_SIZE = Text(
    "{argument} должно быть от 0 до {maximum}, а не {value}.",
    "{argument} must be between 0 and {maximum}, not {value}.",
)


@strawberry.type
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


class PageAsked(NamedTuple):
    size: int
    backward: bool
    cursor: str | None


def page_asked(first: int | None, after: str | None, last: int | None, before: str | None) -> PageAsked:
    backward = last is not None or before is not None
    if backward and (first is not None or after is not None):
        raise BadInput(BOTH_DIRECTIONS)
    size = last if backward else first
    if size is not None and not 0 <= size <= MAX_PAGE:
        raise BadInput(PAGE_SIZE, argument="last" if backward else "first", maximum=MAX_PAGE, value=size)
    return PageAsked(DEFAULT_PAGE if size is None else size, backward, before if backward else after)
