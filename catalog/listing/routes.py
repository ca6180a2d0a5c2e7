"""Which index finds what staff ask for, in the order they ask for.

Where one index has both, it is walked. Else each condition is tried for how much it finds: what finds little is read
and sorted; when all find much, the index of the order is walked and the conditions are checked on the way, which soon
fills a page. So a page costs what it shows, or a few thousand keys, whatever is combined.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from catalog.documents import Part
from catalog.listing.filters import BY_ID, AnyOf, Walk, Wanted, entries_of, has_word
from catalog.models import (
    BY_CATEGORY_AND_ID,
    BY_DISCOUNT,
    BY_EDITED,
    BY_MISSING,
    BY_SHELF,
    INCOMPLETE,
    ON_SALE,
    WITHDRAWN,
    WITHDRAWN_BY_ID,
    Product,
    listed,
    searched,
)
from catalog.search.query import Word
from gateway.mongo.client import Expression
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read, Steps, count_up_to

PRODUCTS = Product._meta.db_table
Entries = tuple[tuple[str, tuple[Any, ...]], ...]
# What is read and sorted for a page, at most: some tens of milliseconds. Of what finds more, one in a thousand of a
# million products, a walk in the order asked for meets a page within a few thousand.
FEW = 5_000
# Two conditions that many meet may be met by few together: a walk in another order would look for them long. Rather so
# many times more are read and sorted, in a tenth of a second.
TOGETHER = 4


class State(Enum):
    ANY = ""
    ON_SALE = "on_sale"
    WITHDRAWN = "withdrawn"


class Level(Enum):
    """How much of a product can be bought in a geozone."""

    NONE = "none"
    LOW = "low"
    SOME = "some"


class Shelf(NamedTuple):
    geozone: str
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which products staff want: what buyers may ask for, and more."""

    wanted: Wanted
    state: State = State.ANY
    discount_min: int | None = None
    edited_since: datetime | None = None
    missing: Part | None = None
    shelf: Shelf | None = None
    """None or low; some is `wanted.in_stock_in`."""


class Route(NamedTuple):
    """Walks that together find each product once."""

    walks: tuple[Walk, ...]
    order: str
    """The field in whose order each walk goes."""
    beside: tuple[Expression, ...] = ()
    """What the walks leave to be checked beside the condition that they serve."""
    has_state: bool = True
    """Whether the walks hold no products but those of the state asked for."""


class _Condition(NamedTuple):
    check: Expression
    route: Route


def route_of(asked: Filter, order: str, *, every_category: Sequence[str]) -> Steps[Route]:
    """The walks to read for a page in the order of this field; if they go in another, they find few, to be sorted."""
    ways = _Ways(asked, every_category)
    conditions = ways.conditions(order)
    chosen = next((each for each in conditions if each.route.order == order), None)
    route = chosen.route if chosen else ways.in_order(order)
    if asked.state is State.WITHDRAWN and not route.has_state:
        conditions.append(_Condition(WITHDRAWN, ways.withdrawn()))
    if others := [each for each in conditions if each is not chosen]:
        chosen = (yield from _rarest(conditions, FEW * TOGETHER if len(others) > 1 else FEW)) or chosen
        route = chosen.route if chosen else route
    return _complete(route, asked, [each.check for each in conditions if each is not chosen])


def route_to_count(asked: Filter, *, every_category: Sequence[str]) -> Steps[Route]:
    """The walks by which what is wanted is counted, in no order."""
    ways = _Ways(asked, every_category)
    conditions = ways.conditions("price")
    if not conditions:
        # By price those for sale, and those of a category, need not be fetched.
        is_whole = asked.state is State.ANY or (asked.state is State.WITHDRAWN and asked.wanted.categories is None)
        return _complete(ways.in_order("_id" if is_whole else "price"), asked, [])
    chosen = ((yield from _rarest(conditions, FEW)) if len(conditions) > 1 else None) or conditions[0]
    return _complete(chosen.route, asked, [each.check for each in conditions if each is not chosen])


def checks_of(asked: Filter) -> list[Expression]:
    """All that must hold of a product beside its category."""
    conditions = _Ways(asked, ()).conditions("_id")
    return [*(each.check for each in conditions), *([STATES[asked.state]] if asked.state is not State.ANY else [])]


def _rarest(conditions: Sequence[_Condition], least: int) -> Steps[_Condition | None]:
    """The condition that the fewest products meet; None when more than `least` meet each."""
    rarest = None
    for condition in conditions:
        found = yield from _count(condition.route, least)
        if found is not None and (rarest is None or found < least):
            rarest, least = condition, found
    return rarest


def _count(route: Route, limit: int) -> Steps[int | None]:
    """How many the walks find; None beyond the limit."""
    total = 0
    for walk in route.walks:
        found: int | None = yield count_up_to(limit, read_of(walk))
        if found is None or (total := total + found) > limit:
            return None
    return total


def _complete(route: Route, asked: Filter, others: Sequence[Expression]) -> Route:
    state = [] if route.has_state or asked.state is State.ANY else [STATES[asked.state]]
    checks = (*route.beside, *others, *state)
    return route._replace(walks=tuple(replace(walk, checks=(*walk.checks, *checks)) for walk in route.walks))


def read_of(walk: Walk) -> Read[object]:
    """All that the walk finds, to be counted."""
    return Read(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where=walk.where(),
        hint=walk.index,
        result=lambda documents: documents,
    )


STATES: dict[State, Expression] = {State.ANY: {}, State.ON_SALE: ON_SALE, State.WITHDRAWN: WITHDRAWN}


class _Ways:
    """The routes that there are for what is asked."""

    def __init__(self, asked: Filter, every_category: Sequence[str]) -> None:
        self._asked = asked
        wanted = asked.wanted
        self._some_categories = wanted.categories is not None
        self._in_category = ("category", tuple(every_category) if wanted.categories is None else wanted.categories)

    def conditions(self, order: str) -> list[_Condition]:
        """What must hold beside category and state, each with the walks that find it, in this order if any can."""
        asked, wanted = self._asked, self._asked.wanted
        found = [self._word(word, order) for word in sorted(wanted.words, key=lambda word: -len(word.entries[0]))]
        if wanted.words and self._some_categories:
            found.append(_Condition(self._category_check(), self._full(BY_CATEGORY_AND_ID.name, "_id")))
        if asked.missing is not None:
            found.append(self._array("missing", asked.missing, BY_MISSING.name, INCOMPLETE))
        if asked.shelf is not None:
            value = f"{asked.shelf.geozone}:{asked.shelf.level.value}"
            found.append(self._array("shelf", value, BY_SHELF.name, {}))
        found += [self._attribute(attribute, order) for attribute in wanted.attributes]
        if wanted.in_stock_in is not None:
            found.append(self._in_stock(wanted.in_stock_in, order))
        if asked.edited_since is not None:
            found.append(self._from("edited_at", asked.edited_since, BY_EDITED.name))
        if asked.discount_min is not None:
            found.append(self._from("discount", asked.discount_min, BY_DISCOUNT.name))
        if price := wanted.price_condition():
            found.append(_Condition(price, self._split("price", (self._in_category,), checks=(price,))))
        return found

    def in_order(self, order: str) -> Route:
        """All products of the categories in the order of this field."""
        if order == "discount":
            return self._full(BY_DISCOUNT.name, order)
        if order == "edited_at":
            return self._full(BY_EDITED.name, order)
        if order != "_id":
            return self._split(order, (self._in_category,))
        if self._asked.state is State.WITHDRAWN:
            return self.withdrawn()
        if self._some_categories:
            return self._full(BY_CATEGORY_AND_ID.name, order)
        return Route((Walk(BY_ID, (), (), {}),), order, has_state=False)

    def withdrawn(self) -> Route:
        categories = (self._category_check(),) if self._some_categories else ()
        walk = Walk(WITHDRAWN_BY_ID.name, (("withdrawn", (True,)),), (), {})
        return Route((walk,), "_id", beside=categories)

    def _word(self, word: Word, order: str) -> _Condition:
        by = "price" if order == "price" else None
        check = has_word(word)
        beside = (check,) if word.phrases else ()
        entries = entries_of(word)
        for_sale = Walk(searched(by=by).name, entries, (), ON_SALE)
        withdrawn = Walk(searched(among=WITHDRAWN).name, entries, (), WITHDRAWN)
        return _Condition(check, Route(self._of_state(for_sale, withdrawn), by or "_id", beside=beside))

    def _array(self, field: str, value: str, index: str, among: Expression) -> _Condition:
        walk = Walk(index, ((field, (value,)), self._in_category), (), among)
        return _Condition({field: value}, Route((walk,), "_id", has_state=False))

    def _attribute(self, attribute: AnyOf, order: str) -> _Condition:
        entries = (self._in_category, ("facets", tuple(attribute.facets)))
        return _Condition({"facets": {"$in": attribute.facets}}, self._split(_indexed(order), entries, by="facets"))

    def _in_stock(self, geozone: str, order: str) -> _Condition:
        """Nearly all that are for sale, as a rule; of those withdrawn it is checked."""
        field = _indexed(order)
        check = {"available_in": geozone}
        entries = (self._in_category, ("available_in", (geozone,)))
        for_sale = Walk(listed(field, by="available_in").name, entries, (), ON_SALE)
        withdrawn = Walk(listed(field, among=WITHDRAWN).name, (self._in_category,), (), WITHDRAWN)
        return _Condition(check, Route(self._of_state(for_sale, withdrawn), field, beside=(check,)))

    def _from(self, field: str, least: object, index: str) -> _Condition:
        check = {field: {"$gte": least}}
        return _Condition(check, self._full(index, field, checks=(check,)))

    def _full(self, index: str, order: str, *, checks: tuple[Expression, ...] = ()) -> Route:
        return Route((Walk(index, (self._in_category,), checks, {}),), order, has_state=False)

    def _split(
        self, order: str, entries: Entries, *, by: str | None = None, checks: tuple[Expression, ...] = ()
    ) -> Route:
        """A walk of those for sale and one of those withdrawn, which have indexes of their own."""
        for_sale, withdrawn = (
            Walk(listed(order, by=by, among=among).name, entries, checks, among) for among in (ON_SALE, WITHDRAWN)
        )
        return Route(self._of_state(for_sale, withdrawn), order)

    def _of_state(self, for_sale: Walk, withdrawn: Walk) -> tuple[Walk, ...]:
        walks = {State.ON_SALE: (for_sale,), State.WITHDRAWN: (withdrawn,), State.ANY: (for_sale, withdrawn)}
        return walks[self._asked.state]

    def _category_check(self) -> Expression:
        return {"category": {"$in": list(self._in_category[1])}}


def _indexed(order: str) -> str:
    """The order in which an index goes that begins with another condition: this one, if there is such an index."""
    return order if order in ("price", "sort_name") else "price"
