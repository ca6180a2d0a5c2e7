"""Pages by key: a page continues beyond the position of the last document shown, never after a number of documents.

So whatever comes, goes or changes between two pages, a document that did not move itself is seen exactly once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from django.conf import settings

from gateway.mongo.client import Expression

D = TypeVar("D")

# What is shown when nobody says how much.
DEFAULT_SIZE = 24


class Position(NamedTuple):
    """Where a document stands in a sort: its value there and, among equal values, its id."""

    value: Any
    id: str


class SortKey(NamedTuple):
    """A field by which documents are sorted; among equal values the id goes in the same direction."""

    field: str
    """`_id`: by the id alone."""
    direction: int
    """1: upwards; -1: downwards."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of a sorted list: `size` documents after a position, or before it."""

    size: int
    backward: bool = False
    beyond: Position | None = None
    """None: from the beginning; backward, from the end."""


class Placed(NamedTuple, Generic[D]):
    """A document and where it stands."""

    document: D
    position: Position


@dataclass(frozen=True, slots=True)
class Page(Generic[D]):
    """What a slice shows, in the order of the sort, whichever way it was read."""

    placed: Sequence[Placed[D]]
    has_next: bool
    has_previous: bool
    complete: bool = True
    """False: a store that alone holds some of these documents was away."""

    @property
    def documents(self) -> list[D]:
        return [placed.document for placed in self.placed]


class Bounds(NamedTuple):
    """Which part of a partition in Cassandra: the end of a WHERE clause, and the values of its markers."""

    cql: str
    values: tuple[Any, ...]


EVERYTHING = Bounds("", ())


def max_size() -> int:
    """The largest page that may be asked for."""
    size: int = settings.GRAPHQL_MAX_PAGE
    return size


def default_size() -> int:
    """The size of a page for which none was asked: never more than may be asked for."""
    return min(DEFAULT_SIZE, max_size())


def reading_direction(key: SortKey, part: Slice) -> int:
    """1: this part is read upwards; -1: downwards."""
    return -key.direction if part.backward else key.direction


def reading_order(key: SortKey, part: Slice) -> tuple[tuple[str, int], ...]:
    """The sort in which MongoDB reads this part."""
    direction = reading_direction(key, part)
    return tuple((field, direction) for field in dict.fromkeys((key.field, "_id")))


def ranges_beyond(key: SortKey, part: Slice) -> list[Expression]:
    """Filters of which any may hold: equal values with a further id, and further values. No position: one for all.

    Each is one range of an index that goes on by the sort. Write every point at which the index is entered with every
    one of them: the planner turns each pair into one range and merges them in order.
    """
    if part.beyond is None:
        return [{}]
    further = "$gt" if reading_direction(key, part) > 0 else "$lt"
    further_id = {"_id": {further: part.beyond.id}}
    if key.field == "_id":
        return [further_id]
    return [{key.field: part.beyond.value, **further_id}, {key.field: {further: part.beyond.value}}]


def bounds_beyond(key: SortKey, part: Slice, *, id_column: str) -> Bounds:
    """The same in Cassandra, for partitions whose rows are sorted by the column of the key, then by that of the id."""
    if part.beyond is None:
        return EVERYTHING
    further = ">" if reading_direction(key, part) > 0 else "<"
    return Bounds(f" AND ({key.field}, {id_column}) {further} (?, ?)", tuple(part.beyond))


def page_of(found: Sequence[Placed[D]], part: Slice) -> Page[D]:
    """The page made of what was found in the order of reading: all that there is, or at least one more than asked."""
    more = len(found) > part.size
    placed = list(found[: part.size])
    if part.backward:
        return Page(placed[::-1], has_next=part.beyond is not None, has_previous=more)
    return Page(placed, has_next=more, has_previous=part.beyond is not None)
