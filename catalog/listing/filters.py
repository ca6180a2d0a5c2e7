"""Which products are wanted, and the walks of an index that find them in order, by a field or by relevance."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product
from typing import Any

from bson import Decimal128

from catalog.models import BY_CATEGORY_AND_ID, DISCOUNTED, ON_SALE, listed, searched
from catalog.products.cards import ProductKey
from catalog.products.derived import facet
from catalog.search.query import Word
from gateway.mongo.client import Expression

# MongoDB merges at most this many walks of an index into one order (internalQueryMaxScansToExplode); more it sorts.
MAX_BRANCHES = 200
# The index that every collection has.
BY_ID = "_id_"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """An attribute that has one of these values."""

    name: str
    values: tuple[str, ...]

    @property
    def facets(self) -> list[str]:
        return [facet(self.name, value) for value in self.values]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A filter whose slugs have been resolved and whose search has been read."""

    categories: tuple[str, ...] | None = None
    """None: all of them, so that every shard is asked."""
    price_min: Decimal | None = None
    price_max: Decimal | None = None
    in_stock_in: str | None = None
    discounted: bool = False
    """Only those that are cheaper than they were."""
    attributes: tuple[AnyOf, ...] = ()
    words: tuple[Word, ...] = ()
    near: str | None = None
    """The geozone whose stock comes first by relevance."""
    hidden: tuple[str, ...] = ()
    """Categories to be left out where all are wanted: a word finds products in any."""

    @property
    def impossible(self) -> bool:
        """Whether nothing can match, so that no store needs to be asked."""
        return self.categories == () or any(not attribute.values for attribute in self.attributes)

    def price_condition(self) -> Expression:
        bounds = {"$gte": self.price_min, "$lte": self.price_max}
        given = {name: Decimal128(value) for name, value in bounds.items() if value is not None}
        return {"price": given} if given else {}


@dataclass(frozen=True, slots=True)
class Walk:
    """An index, the points at which it is entered, and what is checked on the way."""

    index: str
    entries: tuple[tuple[str, tuple[Any, ...]], ...]
    """The first fields of the index, each with the values asked for."""
    checks: tuple[Expression, ...]
    among: Expression = field(default_factory=lambda: ON_SALE)
    """What holds for all that the index has, if it has a part of the products only."""

    def points(self) -> list[Expression]:
        fields = [field for field, _ in self.entries]
        return [dict(zip(fields, values, strict=True)) for values in product(*(values for _, values in self.entries))]

    def where(self, further: Sequence[Expression] = ({},)) -> Expression:
        """The filter; `further` are the ranges beyond a position, of which any may hold.

        Every point is written with every range, because the planner turns each pair into one range of the index and
        merges them in order. With `$in` beside `$or` it would walk the index from the beginning.
        """
        checks = {"$and": list(self.checks)} if self.checks else {}
        points = self.points()
        if not points:
            # None of no values, such as an attribute's empty list: MongoDB refuses an empty `$or`.
            return {"_id": {"$in": []}}
        if len(points) == 1 and len(further) == 1:
            return {**self.among, **points[0], **further[0], **checks}
        if len(points) == 1:
            return {**self.among, **points[0], "$or": list(further), **checks}
        entered = {field: _one_of(values) for field, values in self.entries}
        if len(points) * len(further) > MAX_BRANCHES:
            return {**self.among, **entered, **({"$or": list(further)} if len(further) > 1 else further[0]), **checks}
        # The categories once more: they tell which shards to ask.
        categories = {"category": entered["category"]} if "category" in entered else {}
        branches = [{**point, **further_range} for point in points for further_range in further]
        return {**self.among, **categories, "$or": branches, **checks}


def walk_of(wanted: Wanted, order: str, *, every_category: Sequence[str]) -> Walk:
    """The walk for products in the order of this field. The index follows from the shape of the filter alone.

    Never left to the planner: it remembers a plan by the shape of a query, and the best for one category or word is
    the worst for another.
    """
    if wanted.words:
        return _searched(wanted, order)
    categories = wanted.categories if wanted.categories is not None else tuple(every_category)
    in_category = ("category", categories)
    checks = _price(wanted)
    if wanted.attributes:
        # The fewest values are the fewest branches to merge.
        first = min(wanted.attributes, key=lambda attribute: len(attribute.values))
        checks += [_has(attribute) for attribute in wanted.attributes if attribute is not first]
        entries = (in_category, ("facets", tuple(first.facets)))
        return Walk(listed(order, by="facets").name, entries, (*checks, *_in_stock(wanted), *_discounted(wanted)))
    if wanted.discounted:
        # Fewer than what is in stock, as a rule.
        index = listed(order, among=DISCOUNTED).name
        return Walk(index, (in_category,), (*checks, *_in_stock(wanted)), DISCOUNTED)
    if wanted.in_stock_in is not None:
        entries = (in_category, ("available_in", (wanted.in_stock_in,)))
        return Walk(listed(order, by="available_in").name, entries, tuple(checks))
    return Walk(listed(order).name, (in_category,), tuple(checks))


def _searched(wanted: Wanted, order: str) -> Walk:
    """By words every shard is asked, unless categories are wanted too: a word may be in any category."""
    first, others = _rarest(wanted.words)
    # In the order of time or name the matches are sorted: an index for each order would hold every term again.
    index = searched(by="price") if order == "price" else searched()
    checks = (has_word(word) for word in others)
    return Walk(index.name, entries_of(first), (*_whole(first), *checks, *_checks_beside_words(wanted)))


def walks_by_relevance(wanted: Wanted, *, by: str | None = None, among: Expression = ON_SALE) -> list[Walk]:
    """One walk per rank: every word says what the product is, then some of them, then none; in each the model first.

    Together they find each match exactly once.
    """
    first, others = _rarest(wanted.words)
    anywhere = [has_word(word) for word in others]
    in_name = [has_word(word.in_name) for word in wanted.words]
    beside = _checks_beside_words(wanted)

    def walk(word: Word, *checks: Expression) -> Walk:
        return Walk(searched(by=by, among=among).name, entries_of(word), (*_whole(word), *checks, *beside), among)

    every = [has_word(word.in_name) for word in others]
    classes = [
        (first.in_name, every),
        (first, [*anywhere, {"$or": in_name}, {"$nor": [{"$and": in_name}]}]),
        (first, [*anywhere, {"$nor": in_name}]),
    ]
    if not others:
        del classes[1]
    return [walk(word, *checks, *preferred) for word, checks in classes for preferred in _preferences(wanted)]


def _preferences(wanted: Wanted) -> list[tuple[Expression, ...]]:
    """Conditions that part the products of one class, the best first: the model asked for, then what is in stock."""
    models: list[Expression] = [{"terms": {"$in": list(word.glued)}} for word in wanted.words if word.glued]
    by_model: list[tuple[Expression, ...]] = [tuple(models), ({"$nor": [{"$and": models}]},)] if models else [()]
    if wanted.near is None or wanted.in_stock_in == wanted.near:
        return by_model
    by_stock: list[Expression] = [{"available_in": wanted.near}, {"available_in": {"$ne": wanted.near}}]
    return [(*model, stock) for model in by_model for stock in by_stock]


def walk_to(key: ProductKey, wanted: Wanted, further: Sequence[Expression]) -> Walk:
    """The walk to one product, if it is of the categories wanted and `further` conditions hold."""
    categories = [] if wanted.categories is None else [{"category": {"$in": list(wanted.categories)}}]
    entries = (("category", (key.category,)), ("_id", (key.id,)))
    return Walk(BY_CATEGORY_AND_ID.name, entries, (*categories, *further), {})


def _rarest(words: Sequence[Word]) -> tuple[Word, list[Word]]:
    """The word to enter the index by, and the others.

    By the vocabulary; among words that it does not know a long one is rarer than a short one, as a rule.
    """
    first = min(words, key=lambda word: (word.frequency, -len(word.entries[0])))
    return first, [word for word in words if word is not first]


def entries_of(word: Word) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Where to enter an index of terms to find all that has the word."""
    return (("terms", word.entries),)


def has_word(word: Word) -> Expression:
    """That a product has any of the terms, or all of a phrase."""
    terms: Expression = {"terms": {"$in": list(word.terms)}}
    phrases: list[Expression] = [{"terms": {"$all": list(phrase)}} for phrase in word.phrases]
    if not phrases:
        return terms
    return {"$or": [*([terms] if word.terms else []), *phrases]}


def _whole(word: Word) -> tuple[Expression, ...]:
    """What is left to check where a walk has entered by the word: a phrase is entered by one of its terms."""
    return (has_word(word),) if word.phrases else ()


def _checks_beside_words(wanted: Wanted) -> tuple[Expression, ...]:
    """The conditions that are left to check on the products of a term."""
    categories: list[Expression] = [] if wanted.categories is None else [{"category": _one_of(wanted.categories)}]
    if wanted.hidden:
        categories.append({"category": {"$nin": list(wanted.hidden)}})
    attributes = [_has(attribute) for attribute in wanted.attributes]
    return (*categories, *_price(wanted), *attributes, *_in_stock(wanted), *_discounted(wanted))


def _price(wanted: Wanted) -> list[Expression]:
    price = wanted.price_condition()
    return [price] if price else []


def _has(attribute: AnyOf) -> Expression:
    return {"facets": _one_of(attribute.facets)}


def _in_stock(wanted: Wanted) -> list[Expression]:
    return [] if wanted.in_stock_in is None else [{"available_in": wanted.in_stock_in}]


def _discounted(wanted: Wanted) -> list[Expression]:
    return [{"discount": DISCOUNTED["discount"]}] if wanted.discounted else []


def _one_of(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else {"$in": list(values)}
