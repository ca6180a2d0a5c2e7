"""All products as staff list them: withdrawn ones too, as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bson import Decimal128

from catalog.documents import ProductDocument
from catalog.listing.filters import Walk, walk_to, walks_by_relevance
from catalog.listing.pages import COUNT_LIMIT, by_rank, read_part
from catalog.listing.routes import Filter, State, checks_of, read_of, route_of, route_to_count
from catalog.models import WITHDRAWN
from catalog.products.cards import ProductKey
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Aggregation, Steps, count_up_to
from gateway.paging import Page, Placed, Slice, SortKey, page_of, reading_direction

LISTED = (
    *("category", "name", "price", "prices", "discount", "stock", "images", "withdrawn", "missing"),
    *("created_at", "updated_at", "edited_at", "edited_by", "sort_name", "version"),
)
BY_ID = SortKey("_id", 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """Which products, in which order."""

    asked: Filter
    order: SortKey | None = None
    """None: that of what is asked for, see `served_order`."""
    every_category: Sequence[str] = ()
    only: ProductKey | None = None
    """This one, if it is among them."""

    @property
    def is_ranked(self) -> bool:
        """Whether words alone decide the order: those with them in their names first, those withdrawn last."""
        plain = Filter(wanted=replace(self.asked.wanted, attributes=(), in_stock_in=None), state=self.asked.state)
        return bool(self.asked.wanted.words) and self.order is None and self.asked == plain

    @property
    def served_order(self) -> SortKey:
        """The order in which they are shown: what is asked for from some value on begins with the most of it."""
        if self.order is not None:
            return self.order
        if self.asked.edited_since is not None:
            return SortKey("edited_at", -1)
        if self.asked.discount_min is not None:
            return SortKey("discount", -1)
        return SortKey("price", 1) if self.asked.wanted.price_condition() else BY_ID


def page(inventory: Inventory, part: Slice, *, fields: tuple[str, ...] = LISTED) -> Steps[Page[ProductDocument]]:
    """These fields of a part of the products. One more than asked is read, to know whether there are more."""
    found: list[Placed[ProductDocument]] = []
    if not inventory.asked.wanted.impossible:
        found = yield from _for_staff(_found(inventory, part), fields)
    return page_of(found, part)


def count(inventory: Inventory, limit: int | None = None) -> Steps[int | None]:
    """How many there are; None beyond the limit, COUNT_LIMIT unless given."""
    limit = COUNT_LIMIT if limit is None else limit
    total = 0
    if inventory.asked.wanted.impossible:
        return total
    for walk in (yield from _walks_to_count(inventory)):
        counted: int | None = yield count_up_to(limit, read_of(walk))
        if counted is None or (total := total + counted) > limit:
            return None
    return total


def _found(inventory: Inventory, part: Slice) -> Steps[list[Placed[ProductDocument]]]:
    if inventory.only:
        return (yield from by_rank(_walk_to_one(inventory), part))
    if inventory.is_ranked:
        return (yield from by_rank(_ranks(inventory.asked), part))
    order = inventory.served_order
    route = yield from route_of(inventory.asked, order.field, every_category=inventory.every_category)
    found: list[Placed[ProductDocument]] = []
    for walk in route.walks:
        found += yield read_part(walk, order, part, partial(_value, order.field))
    found.sort(key=_place, reverse=reading_direction(order, part) < 0)
    return found[: part.size + 1]


def _walk_to_one(inventory: Inventory) -> list[Walk]:
    assert inventory.only  # noqa: S101 - asked by the callers
    return [walk_to(inventory.only, inventory.asked.wanted, checks_of(inventory.asked))]


def _ranks(asked: Filter) -> list[Walk]:
    ranks = {
        State.ON_SALE: walks_by_relevance(asked.wanted),
        State.WITHDRAWN: walks_by_relevance(asked.wanted, among=WITHDRAWN),
    }
    return [*ranks[State.ON_SALE], *ranks[State.WITHDRAWN]] if asked.state is State.ANY else ranks[asked.state]


def _walks_to_count(inventory: Inventory) -> Steps[Sequence[Walk]]:
    if inventory.only:
        return _walk_to_one(inventory)
    route = yield from route_to_count(inventory.asked, every_category=inventory.every_category)
    return route.walks


def _value(field: str, product: Any) -> Any:
    return product.get(field)


def _place(placed: Placed[ProductDocument]) -> tuple[bool, Any, str]:
    value, id_ = placed.position
    # What a document of an earlier release lacks comes first, as the server sorts it.
    return value is not None, value.to_decimal() if isinstance(value, Decimal128) else value, id_


def _for_staff(steps: Steps[Any], fields: tuple[str, ...]) -> Steps[Any]:
    """The same reads of the newest state, and of these fields."""
    answer = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as end:
            return end.value
        if isinstance(read, Aggregation):
            answer = yield read
        else:
            answer = yield replace(read, policy=STAFF_LIST, fields=fields)
