"""A lock between those who use categories and geozones and those who take them away, made of write conflicts.

A transaction that puts a product into a category or stock into a geozone reads that they exist; one that deletes them,
or gives a category its first child, reads that nothing is there. Snapshots alone would let both commit. So a user
writes one stripe of the guard, whichever, and a remover writes all of them: the two conflict and one is run again,
while users hardly ever meet each other.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from django.db import transaction
from pymongo import UpdateOne

from catalog.cassandra.structure import copy_soon
from catalog.documents import CategoryDocument, GeozoneDocument, GuardStripe
from catalog.errors import IsMerging, NotALeaf, UnknownCategory, UnknownGeozone
from catalog.models import Category, Geozone, StructureGuard
from catalog.products.derived import DEFAULT_LOW_AT
from catalog.structure.category_tree import CATEGORIES as REMEMBERED_TREE
from gateway.domain.errors import DomainError
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import DEFAULT_SECONDS, in_transaction

T = TypeVar("T")

CATEGORIES = Category._meta.db_table

# With four imports at once one product in six meets another and is run again; a remover writes sixteen tiny documents.
STRIPES = 16


def edit_structure(work: Callable[[], T], *, seconds: float = DEFAULT_SECONDS) -> T:
    """Run a change of categories or geozones in one transaction, the running one if any, and have it copied soon."""

    def edit() -> T:
        result = work()
        transaction.on_commit(_tell)
        return result

    return in_transaction(edit, seconds=seconds)


def _tell() -> None:
    REMEMBERED_TREE.forget()
    copy_soon()


def use_structure() -> None:
    """Let what this transaction has read of categories and geozones stay as it is until the commit."""
    stripe = random.randrange(STRIPES)  # noqa: S311 - no secret
    _guard([stripe])


def change_structure() -> None:
    """Let nobody begin to rely on categories and geozones until this transaction, which takes some away, commits."""
    _guard(range(STRIPES))


class Place(NamedTuple):
    """A category that a product is to be put into."""

    errors: list[DomainError]
    """Why it may not be: only a leaf holds products."""
    low_at: int = DEFAULT_LOW_AT
    """The threshold that the product takes over."""


class _Surroundings(CategoryDocument):
    above: list[CategoryDocument]
    below: list[CategoryDocument]


def place_in(slug: str, *path: str) -> Place:
    """The category as a place for products, in the running transaction, by one command."""
    found = collection_of(CATEGORIES, _Surroundings).aggregate(
        [
            {"$match": {"_id": slug}},
            {"$lookup": {"from": CATEGORIES, "localField": "path", "foreignField": "_id", "as": "above"}},
            {"$lookup": {"from": CATEGORIES, "localField": "_id", "foreignField": "path", "as": "below"}},
        ],
        session=orm_connection().session,
    )
    category = next(iter(found), None)
    if category is None:
        return Place([UnknownCategory(*path, category=slug)])
    errors: list[DomainError] = [NotALeaf(*path, category=slug)] if category["below"] else []
    if category.get("merging"):
        errors.append(IsMerging(*path, category=slug))
    return Place(
        errors,
        low_at_in([*sorted(category["above"], key=lambda above: len(above["path"])), category]),
    )


def low_at_in(branch: Sequence[CategoryDocument]) -> int:
    """The threshold of the last of these categories, each of which is in the one before: its own or the nearest."""
    own = (category.get("low_at") for category in reversed(branch))
    return next((low_at for low_at in own if low_at is not None), DEFAULT_LOW_AT)


def missing_geozones(codes: Iterable[str]) -> set[str]:
    """Those of the codes that no geozone has."""
    wanted = set(codes)
    if not wanted:
        return set()
    found = collection_of(Geozone._meta.db_table, GeozoneDocument).find(
        {"_id": {"$in": sorted(wanted)}}, projection=["_id"], session=orm_connection().session
    )
    return wanted - {geozone["_id"] for geozone in found}


def geozone_errors(codes: list[str], *path: str) -> list[DomainError]:
    """An error for each geozone in the list that does not exist."""
    missing = missing_geozones(codes)
    return [
        UnknownGeozone(*path, index, "geozone", geozone=code) for index, code in enumerate(codes) if code in missing
    ]


def _guard(stripes: Iterable[int]) -> None:
    collection_of(StructureGuard._meta.db_table, GuardStripe).bulk_write(
        [UpdateOne({"_id": stripe}, {"$inc": {"taken": 1}}, upsert=True) for stripe in stripes],
        session=orm_connection().session,
    )
