"""What the found products have in common and apart: attribute values with counts, and the range of prices.

Each facet ignores its own selection, so that a buyer who chose «белый» still sees how many are black. One pass does it:
a product that fails one selection only counts for the facet of that selection, one that fails none for all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import NamedTuple, TypedDict

from catalog.listing.filters import Wanted, walk_of
from catalog.listing.quantities import amount_in, common_unit
from catalog.models import BY_CATEGORY_AND_ID, Product
from catalog.structure.attributes import AttributeType, CategoryAttribute
from gateway.mongo.client import Expression
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Aggregation, Read

PRODUCTS = Product._meta.db_table

# A page of filters longer than these helps no one; both by count, so that what is left out is rare.
MAX_FACETS = 30
MAX_VALUES = 50
# Numbers of all attributes of a category; a shop that has more is asked for the most frequent ones.
MAX_NUMBERS = 5_000
# Products that are looked at for suggestions, in all and of one category at least.
MAX_SAMPLED, MIN_SAMPLED = 3_000, 100


class FacetValue(NamedTuple):
    value: str
    products: int


class Facet(NamedTuple):
    name: str
    values: list[FacetValue]
    unit: str | None = None
    """In which the bounds are."""
    lowest: str | None = None
    highest: str | None = None
    """The bounds of a numeric attribute: decimals as text, since a facet is remembered as JSON."""


class _Counted(TypedDict):
    """What the store answers for one facet string, its `_id`."""

    _id: str
    count: int


def facets(
    wanted: Wanted, *, every_category: Sequence[str], declared: Sequence[CategoryAttribute] = ()
) -> Aggregation[list[Facet]]:
    """Attribute values with the numbers of wanted products that have them, each facet ignoring its own selection.

    Declared attributes come first, in their order; those by which buyers may not filter are left out.
    """
    walk = walk_of(replace(wanted, attributes=()), "price", every_category=every_category)
    selections = [{"name": f"{each.name}=", "facets": each.facets} for each in wanted.attributes]
    return Aggregation(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(),
        hint=walk.index,
        stages=(*(_failing_one_at_most(selections) if selections else ()), *_COUNTED),
        result=partial(_facets, declared=declared),
    )


def numbers(categories: Sequence[str] | None, *, every_category: Sequence[str]) -> Aggregation[list[Facet]]:
    """The values of products for sale in these categories that are numbers, with or without a unit, by attribute.

    Of all attributes at once, so that what is asked for is the same whichever is filtered by.
    """
    walk = walk_of(
        Wanted(categories=None if categories is None else tuple(categories)), "price", every_category=every_category
    )
    return Aggregation(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(),
        hint=walk.index,
        stages=(
            *_COUNTED,
            {"$match": {"_id": {"$regex": "=[+-]?[0-9]"}}},
            {"$sort": {"count": -1, "_id": 1}},
            {"$limit": MAX_NUMBERS},
        ),
        result=lambda documents: [Facet(name, values) for name, values in _by_name(documents).items()],
    )


def categories_found(
    wanted: Wanted, *, every_category: Sequence[str], hidden: Sequence[str]
) -> Aggregation[list[Facet]]:
    """How many products each category has of what is wanted in any, as one facet, the largest first."""
    anywhere = replace(wanted, categories=None, hidden=tuple(hidden))
    walk = walk_of(anywhere, "price", every_category=every_category)
    return Aggregation(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(),
        hint=walk.index,
        stages=({"$group": {"_id": "$category", "count": {"$sum": 1}}},),
        result=lambda counted: [
            Facet("category", _largest_first(FacetValue(each["_id"], each["count"]) for each in counted))
        ],
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


def _facets(documents: Sequence[_Counted], declared: Sequence[CategoryAttribute] = ()) -> list[Facet]:
    """Declared facets in their order, then the others; of these, and of values, those of most products first."""
    known = {attribute.name: attribute for attribute in declared}
    places = {name: place for place, name in enumerate(known)}
    found = [
        _facet(name, _largest_first(values), known.get(name))
        for name, values in _by_name(documents).items()
        if name not in known or known[name].filterable
    ]
    found.sort(
        key=lambda facet: (
            places.get(facet.name, len(places)),
            -sum(value.products for value in facet.values),
            facet.name,
        )
    )
    return found[:MAX_FACETS]


def _facet(name: str, values: list[FacetValue], attribute: CategoryAttribute | None) -> Facet:
    """The facet with what its attribute was declared to be; one that was not is numeric if all of its values are."""
    shown = values[:MAX_VALUES]
    if attribute is not None and attribute.type is AttributeType.CHOICE:
        places = {option: place for place, option in enumerate(attribute.options)}
        shown.sort(key=lambda each: places.get(each.value, len(places)))
    unit = _unit_of(values, attribute)
    if unit is None:
        return Facet(name, shown, (attribute.unit or None) if attribute else None)
    amounts = {each: amount for each in values if (amount := amount_in(each.value, unit)) is not None}
    if attribute is not None:
        shown.sort(key=lambda each: amounts.get(each, Decimal("Infinity")))
    if not amounts:
        return Facet(name, shown, unit or None)
    return Facet(name, shown, unit or None, f"{min(amounts.values()):f}", f"{max(amounts.values()):f}")


def _unit_of(values: Sequence[FacetValue], attribute: CategoryAttribute | None) -> str | None:
    """The unit in which the values of the attribute are compared as numbers; None when they are none."""
    if attribute is None:
        return common_unit(each.value for each in values)
    return attribute.unit if attribute.type is AttributeType.NUMBER else None


def _by_name(documents: Sequence[_Counted]) -> dict[str, list[FacetValue]]:
    by_name: dict[str, list[FacetValue]] = {}
    for document in documents:
        name, _, value = document["_id"].partition("=")
        by_name.setdefault(name, []).append(FacetValue(value, document["count"]))
    return by_name


def _largest_first(values: Iterable[FacetValue]) -> list[FacetValue]:
    """Those of most products first; equals by their text."""
    return sorted(values, key=lambda value: (-value.products, value.value))


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
