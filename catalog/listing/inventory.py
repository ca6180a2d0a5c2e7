"""All products as staff list them: withdrawn ones too, as they are now. Words, category and state are one walk."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from catalog.documents import ProductDocument
from catalog.listing.filters import Walk, Wanted, walk_by_id, walk_of, walk_of_withdrawn, walk_to, walks_by_relevance
from catalog.listing.pages import COUNT_LIMIT, PRODUCTS, by_field, by_rank
from catalog.models import ON_SALE, WITHDRAWN
from catalog.products.cards import ProductKey
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Aggregation, Read, Steps, count_up_to
from gateway.paging import Page, Placed, Slice, SortKey, page_of

LISTED = (
    *("category", "name", "price", "prices", "available_in", "withdrawn"),
    *("created_at", "updated_at", "sort_name"),
)


class State(Enum):
    ANY = ""
    ON_SALE = "on_sale"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """Which products, in which order."""

    wanted: Wanted
    state: State = State.ANY
    order: SortKey | None = None
    """None: by id; by words, those with them in their names first, those withdrawn last."""
    every_category: Sequence[str] = ()
    only: ProductKey | None = None
    """This one, if it is among them."""

    @property
    def served_order(self) -> SortKey | None:
        """The order in which an index gives them. One by a field holds those for sale only, and is left out else."""
        if self.order is None or self.only or self.state is State.WITHDRAWN:
            return None
        # Words have an index in the order of the price alone.
        return self.order if not self.wanted.words or self.order.field == "price" else None

    @property
    def served_state(self) -> State:
        """Those for sale only, where the order has no others."""
        return State.ON_SALE if self.served_order else self.state


STATES = {State.ANY: (), State.ON_SALE: (ON_SALE,), State.WITHDRAWN: (WITHDRAWN,)}


def page(inventory: Inventory, part: Slice) -> Steps[Page[ProductDocument]]:
    """One more than asked is read, to know whether there are more."""
    found: list[Placed[ProductDocument]] = []
    if not inventory.wanted.impossible:
        found = yield from _for_staff(_found(inventory, part))
    return page_of(found, part)


def count(inventory: Inventory) -> Steps[int | None]:
    """How many there are; None beyond the limit."""
    total = 0
    if inventory.wanted.impossible:
        return total
    for walk in _walks_to_count(inventory):
        read = Read(
            collection=PRODUCTS,
            policy=STAFF_LIST,
            where=walk.where(),
            hint=walk.index,
            result=lambda documents: documents,
        )
        counted: int | None = yield count_up_to(COUNT_LIMIT, read)
        if counted is None:
            return None
        total += counted
    return total if total <= COUNT_LIMIT else None


def _found(inventory: Inventory, part: Slice) -> Steps[list[Placed[ProductDocument]]]:
    if order := inventory.served_order:
        found: list[Placed[ProductDocument]] = yield by_field(
            inventory.wanted, order, part, every_category=inventory.every_category
        )
        return found
    return (yield from by_rank(_walks(inventory), part))


def _walks(inventory: Inventory) -> list[Walk]:
    wanted, state = inventory.wanted, inventory.state
    if inventory.only:
        return [walk_to(inventory.only, wanted, STATES[state])]
    if state is State.WITHDRAWN:
        return [walk_of_withdrawn(wanted)]
    if not wanted.words:
        return [walk_by_id(wanted, on_sale=state is State.ON_SALE)]
    on_sale = walks_by_relevance(wanted)
    return on_sale if state is State.ON_SALE else [*on_sale, walk_of_withdrawn(wanted)]


def _walks_to_count(inventory: Inventory) -> list[Walk]:
    wanted, state = inventory.wanted, inventory.served_state
    if state is State.ANY and not wanted.words:
        return [walk_by_id(wanted, on_sale=False)]
    # The index of the price has no other products than those for sale, and needs none of them fetched.
    on_sale = walk_of(wanted, "price", every_category=inventory.every_category)
    return {
        State.ON_SALE: [on_sale],
        State.WITHDRAWN: [walk_of_withdrawn(wanted)],
        State.ANY: [on_sale, walk_of_withdrawn(wanted)],
    }[state]


def _for_staff(steps: Steps[Any]) -> Steps[Any]:
    """The same reads of the newest state, and of the fields that a list shows."""
    answer = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as end:
            return end.value
        assert not isinstance(read, Aggregation)  # noqa: S101 - pages are finds
        answer = yield replace(read, policy=STAFF_LIST, fields=LISTED)
