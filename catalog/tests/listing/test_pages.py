"""Every filter in every sort, page by page in both directions, against a brute-force reading of the same documents."""

import itertools
from collections.abc import Iterator
from decimal import Decimal

import pytest
from bson import Decimal128
from pymongo import WriteConcern

from catalog.documents import ProductDocument
from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort, count, page
from catalog.products.derived import derived_fields
from catalog.tests.listing import brute_force
from catalog.tests.listing.wishes import EVERY_CATEGORY, LISTED, SEARCHES, SMARTPHONES
from gateway.mongo.client import Document, database
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run, run_steps
from gateway.paging import Page, Slice

FIELD_SORTS = [sort for sort in Sort if sort is not Sort.RELEVANCE]
CASES = [
    *itertools.product(LISTED, FIELD_SORTS),
    *((name, Sort.RELEVANCE) for name in (*SEARCHES, "unknown word")),
]


def read(wanted: Wanted, sort: Sort, part: Slice) -> Page[ProductDocument]:
    return run_steps(page(wanted, sort, part, every_category=EVERY_CATEGORY))


def pages(wanted: Wanted, sort: Sort, size: int, *, backward: bool = False) -> Iterator[Page[ProductDocument]]:
    beyond = None
    while True:
        found = read(wanted, sort, Slice(size, backward, beyond))
        yield found
        if not (found.has_previous if backward else found.has_next):
            return
        beyond = found.placed[0 if backward else -1].position


def ids(found: Page[ProductDocument]) -> list[str]:
    return [placed.document["_id"] for placed in found.placed]


@pytest.mark.parametrize(("name", "sort"), CASES, ids=[f"{name} {sort.name}" for name, sort in CASES])
def test_pages_in_both_directions_are_the_brute_force_list(documents: list[Document], name: str, sort: Sort) -> None:
    wanted = LISTED[name]
    expected = brute_force.listed(documents, wanted, sort)
    size = max(7, len(expected) // 6 + 1)

    forward = [ids(found) for found in pages(wanted, sort, size)]
    backward = [ids(found) for found in pages(wanted, sort, size, backward=True)]

    assert list(itertools.chain(*forward)) == expected
    assert list(itertools.chain(*reversed(backward))) == expected


@pytest.mark.parametrize("name", LISTED)
def test_count_is_that_of_the_brute_force_list(documents: list[Document], name: str) -> None:
    wanted = LISTED[name]
    if not wanted.impossible:
        found = run(count(wanted, every_category=EVERY_CATEGORY))
        assert found == len(brute_force.listed(documents, wanted, Sort.PRICE_ASC))


def test_page_tells_what_lies_on_either_side(documents: list[Document]) -> None:
    first, second = itertools.islice(pages(LISTED["category"], Sort.NAME, 5), 2)
    before = read(LISTED["category"], Sort.NAME, Slice(5, backward=True, beyond=second.placed[0].position))

    assert (first.has_previous, first.has_next) == (False, True)
    assert (second.has_previous, second.has_next) == (True, True)
    assert ids(before) == ids(first)
    assert (before.has_previous, before.has_next) == (False, True)


def test_impossible_filter_asks_nobody(documents: list[Document]) -> None:
    with COMMANDS.counted() as sent:
        assert read(Wanted(categories=()), Sort.PRICE_ASC, Slice(5)) == Page([], has_next=False, has_previous=False)
    assert not sent


@pytest.mark.parametrize("sort", FIELD_SORTS)
def test_page_of_a_category_is_one_command_to_one_shard(documents: list[Document], sort: Sort) -> None:
    (start,) = itertools.islice(pages(LISTED["category"], sort, 5), 1)

    with COMMANDS.counted() as sent:
        read(LISTED["one facet"], sort, Slice(24, beyond=start.placed[-1].position))

    assert sent == {Sent("find", "products", "catalog.list", 1): 1}


def test_page_by_relevance_is_at_most_one_command_per_rank(documents: list[Document]) -> None:
    with COMMANDS.counted() as full:
        read(LISTED["one word"], Sort.RELEVANCE, Slice(24))
    with COMMANDS.counted() as scarce:
        read(LISTED["words of name and description"], Sort.RELEVANCE, Slice(100))

    assert full.total() == 1
    assert scarce.total() <= 3


@pytest.mark.parametrize("sort", FIELD_SORTS)
def test_pages_stay_stable_while_products_come_go_and_move(documents: list[Document], sort: Sort) -> None:
    wanted = Wanted(categories=SMARTPHONES)
    before = brute_force.listed(documents, wanted, sort)
    by_id = {document["_id"]: document for document in documents}
    products = database()["products"].with_options(write_concern=WriteConcern(w=3, wtimeout=60_000))
    turning = pages(wanted, sort, 100)
    first, second = ids(next(turning)), ids(next(turning))
    # The last product shown is deleted, one still to come is re-priced beyond what was seen, another one is new.
    gone, moved = second[-1], before[-1 - len(before) // 3]
    new = {**by_id[before[250]], "_id": "PROD-NEW"}
    cheap = {**by_id[moved], "prices": {"base": Decimal128(Decimal("1.00")), "sale": None}}
    try:
        products.delete_one({"category": "smartphones", "_id": gone})
        products.insert_one(new)
        products.replace_one({"category": "smartphones", "_id": moved}, cheap | derived_fields(cheap))

        seen = first + second + list(itertools.chain.from_iterable(ids(found) for found in turning))
    finally:
        products.delete_one({"category": "smartphones", "_id": "PROD-NEW"})
        products.insert_one(by_id[gone])
        products.replace_one({"category": "smartphones", "_id": moved}, by_id[moved])

    assert len(seen) == len(set(seen))
    assert set(before) - {moved} <= set(seen)
