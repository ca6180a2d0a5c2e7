"""A page of what was searched for: by the first reading of the query that finds anything."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from catalog.documents import ProductDocument
from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort, page
from catalog.search.readings import Reading
from gateway.mongo.reads import Steps
from gateway.paging import Page, Slice


class Found(NamedTuple):
    page: Page[ProductDocument]
    wanted: Wanted
    """With the words of the reading."""
    reading: Reading


def search(
    wanted: Wanted,
    readings: Iterator[Reading],
    sort: Sort,
    part: Slice,
    *,
    every_category: Sequence[str],
    fields: Sequence[str] | None = None,
) -> Steps[Found]:
    """The page by the first reading that finds something under the whole filter; by the first one if none does.

    The same for every page of a list: a further page that is empty is the end only if the list has a beginning.
    """
    nothing: Found | None = None
    for reading in readings:
        # What has no words at all finds nothing, and says so by an empty category.
        categories = wanted.categories if reading.words else ()
        by_reading = replace(wanted, words=reading.words, categories=categories)
        found = yield from page(by_reading, sort, part, every_category=every_category, fields=fields)
        answer = Found(found, by_reading, reading)
        if found.placed or _has_more(found, part):
            return answer
        if part.beyond is not None:
            beginning = yield from page(by_reading, sort, Slice(1), every_category=every_category, fields=("_id",))
            if beginning.placed:
                return answer
        nothing = nothing or answer
    assert nothing is not None  # noqa: S101 - a query has at least the reading as typed
    return nothing


def _has_more(found: Page[ProductDocument], part: Slice) -> bool:
    """Whether there is something further on: of a page of none this alone tells."""
    return part.size == 0 and (found.has_previous if part.backward else found.has_next)
