"""The same reads without an index: all documents, filtered and sorted in Python."""

from collections.abc import Callable
from typing import Any

from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort
from catalog.search.query import Word
from gateway.mongo.client import Document


def matches(document: Document, wanted: Wanted) -> bool:
    price = document["price"].to_decimal()
    checks = [
        not document["withdrawn"],
        wanted.categories is None or document["category"] in wanted.categories,
        wanted.price_min is None or price >= wanted.price_min,
        wanted.price_max is None or price <= wanted.price_max,
        wanted.in_stock_in is None
        or any(
            level["geozone"] == wanted.in_stock_in and level["quantity"] > level["reserved"]
            for level in document["stock"]
        ),
        not wanted.discounted or document["price"].to_decimal() < document["prices"]["base"].to_decimal(),
        all(document["attributes"].get(attribute.name) in attribute.values for attribute in wanted.attributes),
        all(word.is_in(document["terms"]) for word in wanted.words),
    ]
    return all(checks)


def listed(documents: list[Document], wanted: Wanted, sort: Sort) -> list[str]:
    """Ids in order."""
    found = [document for document in documents if matches(document, wanted)]
    found.sort(key=_keys(wanted)[sort], reverse=sort in (Sort.PRICE_DESC, Sort.NEWEST))
    return [document["_id"] for document in found]


def _keys(wanted: Wanted) -> dict[Sort, Callable[[Document], Any]]:
    return {
        Sort.PRICE_ASC: lambda document: (document["price"].to_decimal(), document["_id"]),
        Sort.PRICE_DESC: lambda document: (document["price"].to_decimal(), document["_id"]),
        Sort.NEWEST: lambda document: (document["created_at"], document["_id"]),
        Sort.NAME: lambda document: (document["name"].lower().replace("ё", "е"), document["_id"]),
        # Upwards by rank, downwards by what follows.
        Sort.RELEVANCE: lambda document: (
            _rank(document, wanted.words),
            -document["standing"],
            [-ord(letter) for letter in document["_id"]],
        ),
    }


def _rank(document: Document, words: tuple[Word, ...]) -> int:
    in_name = [word.in_name.is_in(document["terms"]) for word in words]
    kind = 0 if all(in_name) else 1 if any(in_name) else 2
    is_model = all(set(word.glued) & set(document["terms"]) for word in words if word.glued)
    return 2 * kind + (not is_model)
