"""What the found products have in common and apart: attribute values with counts, and the range of prices.

Each facet ignores its own selection, so that a buyer who chose «белый» still sees how many are black. One pass does it:
a product that fails one selection only counts for the facet of that selection, one that fails none for all.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple, TypedDict

from catalog.listing.filters import Wanted, walk_of
from catalog.models import BY_CATEGORY_AND_ID, Product
from gateway.mongo.client import Expression
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Aggregation, Read

PRODUCTS = Product._meta.db_table

# A page of filters longer than these helps no one; both by count, so that what is left out is rare.
MAX_FACETS = 30
MAX_VALUES = 50
# Products that are looked at for suggestions, in all and of one category at least.
MAX_SAMPLED, MIN_SAMPLED = 3_000, 100


class FacetValue(NamedTuple):
    value: str
    products: int


class Facet(NamedTuple):
    name: str
    values: list[FacetValue]


class _Counted(TypedDict):
    """What the store answers for one facet string, its `_id`."""

    _id: str
    count: int


def facets(wanted: Wanted, *, every_category: Sequence[str]) -> Aggregation[list[Facet]]:
    """Attribute values with the numbers of wanted products that have them, each facet ignoring its own selection."""
    walk = walk_of(replace(wanted, attributes=()), "price", every_category=every_category)
    selections = [{"name": f"{each.name}=", "facets": each.facets} for each in wanted.attributes]
    return Aggregation(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(),
        hint=walk.index,
        stages=(*(_failing_one_at_most(selections) if selections else ()), *_COUNTED),
        result=_facets,
    )


def _failing_one_at_most(selections: list[Expression]) -> tuple[Expression, ...]:
    failed = {
        "$filter": {
            "input": {"$literal": selections},
            "as": "selection",
            "cond": {"$eq": [{"$setIntersection": ["$facets", "$$selection.facets"]}, []]},
        }
    }
    first = {"$first": "$failed.name"}
    of_the_failed = {
        "$filter": {
            "input": "$facets",
            "as": "facet",
            "cond": {"$eq": [{"$indexOfCP": ["$$facet", first]}, 0]},
        }
    }
    return (
        {"$project": {"facets": 1, "failed": failed}},
        {"$match": {"failed.1": {"$exists": False}}},
        {"$set": {"facets": {"$cond": [{"$eq": ["$failed", []]}, "$facets", of_the_failed]}}},
    )


_COUNTED: tuple[Expression, ...] = (
    {"$project": {"_id": 0, "facets": 1}},
    {"$unwind": "$facets"},
    {"$group": {"_id": "$facets", "count": {"$sum": 1}}},
)


def _facets(documents: Sequence[_Counted]) -> list[Facet]:
    """Facets and their values, those of most products first; equals by their text."""
    by_name: dict[str, list[FacetValue]] = {}
    for document in documents:
        name, _, value = document["_id"].partition("=")
        by_name.setdefault(name, []).append(FacetValue(value, document["count"]))
    found = [
        Facet(name, sorted(values, key=lambda value: (-value.products, value.value))[:MAX_VALUES])
        for name, values in by_name.items()
    ]
    found.sort(key=lambda facet: (-sum(value.products for value in facet.values), facet.name))
    return found[:MAX_FACETS]


def category_counts() -> Aggregation[list[Facet]]:
    """How many products each category has, withdrawn ones too, as one facet. Counts every key of an index."""
    return Aggregation(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where={},
        hint=BY_CATEGORY_AND_ID.name,
        stages=({"$group": {"_id": "$category", "count": {"$sum": 1}}},),
        result=lambda counted: [Facet("category", [FacetValue(each["_id"], each["count"]) for each in counted])],
    )


def sampled_facets(categories: Sequence[str]) -> Aggregation[list[Facet]]:
    """Attribute values of some products of each category, for suggestions: no more than a few thousand are read."""
    each = max(MIN_SAMPLED, MAX_SAMPLED // max(1, len(categories)))
    first, *others = categories[: MAX_SAMPLED // MIN_SAMPLED] or [""]
    return Aggregation(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where={"category": first},
        hint=BY_CATEGORY_AND_ID.name,
        stages=(
            {"$limit": each},
            *(
                {"$unionWith": {"coll": PRODUCTS, "pipeline": [{"$match": {"category": other}}, {"$limit": each}]}}
                for other in others
            ),
            *_COUNTED,
        ),
        result=_facets,
    )


def price_bound(wanted: Wanted, direction: int, *, every_category: Sequence[str]) -> Read[Decimal | None]:
    """The lowest (1) or highest (-1) price of what is wanted, its own price range ignored: one key of an index."""
    unbounded = replace(wanted, price_min=None, price_max=None)
    walk = walk_of(unbounded, "price", every_category=every_category)
    return Read(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(),
        fields=("price",),
        sort=(("price", direction), ("_id", direction)),
        limit=1,
        hint=walk.index,
        result=lambda documents: documents[0]["price"].to_decimal() if documents else None,
    )
