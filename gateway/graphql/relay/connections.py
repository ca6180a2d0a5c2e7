"""Pages as Relay asks for them: first/after or last/before."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import strawberry

from gateway.domain.texts import Text
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.cursors import Kind, parsed_cursor
from gateway.paging import Page, Position, Slice, default_size, max_size

BOTH_DIRECTIONS = Text(
    "Укажите либо first и after, либо last и before.", "Give either first and after, or last and before."
)
PAGE_SIZE = Text(
    "{argument} должно быть от 0 до {maximum}, а не {value}.",
    "{argument} must be between 0 and {maximum}, not {value}.",
)


FirstAsked = Annotated[
    int | None,
    strawberry.argument(
        description="How many to return, from the beginning or after `after`; at most 100, 24 when neither `first` nor "
        "`last` is given."
    ),
]
AfterAsked = Annotated[
    str | None,
    strawberry.argument(description="Return what follows this cursor: `pageInfo.endCursor` of the page before."),
]
LastAsked = Annotated[
    int | None,
    strawberry.argument(
        description="How many to return, from the end or before `before`; at most 100. Not together with `first` or "
        "`after`."
    ),
]
BeforeAsked = Annotated[
    str | None,
    strawberry.argument(description="Return what precedes this cursor: `pageInfo.startCursor` of the page after."),
]


@strawberry.type(description="Where a page lies in its list.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Whether more follows.")
    has_previous_page: bool = strawberry.field(description="Whether there is more before.")
    start_cursor: str | None = strawberry.field(
        description="Cursor of the first node, to go back by `before`; null on an empty page."
    )
    end_cursor: str | None = strawberry.field(
        description="Cursor of the last node, to go on by `after`; null on an empty page."
    )


def page_info_of(page: Page[Any], cursor_of: Callable[[Position], str]) -> PageInfo:
    return PageInfo(
        has_next_page=page.has_next,
        has_previous_page=page.has_previous,
        start_cursor=cursor_of(page.placed[0].position) if page.placed else None,
        end_cursor=cursor_of(page.placed[-1].position) if page.placed else None,
    )


class PageAsked(NamedTuple):
    size: int
    backward: bool
    cursor: str | None


def page_asked(first: int | None, after: str | None, last: int | None, before: str | None) -> PageAsked:
    backward = last is not None or before is not None
    if backward and (first is not None or after is not None):
        raise BadInput(BOTH_DIRECTIONS)
    size = last if backward else first
    if size is not None and not 0 <= size <= max_size():
        raise BadInput(PAGE_SIZE, argument="last" if backward else "first", maximum=max_size(), value=size)
    return PageAsked(default_size() if size is None else size, backward, before if backward else after)


def slice_of(asked: PageAsked, sort: str, kind: Kind) -> Slice:
    """The part of this sort that was asked for; refuses a cursor that is damaged or was taken from another sort."""
    beyond = parsed_cursor(asked.cursor, sort, kind) if asked.cursor is not None else None
    return Slice(asked.size, asked.backward, beyond)
