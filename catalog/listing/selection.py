"""Products that staff have chosen for a change or an export: by their ids, or by what the list was asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NotRequired, Self, TypedDict

from pymongo.errors import ExecutionTimeout

from catalog.listing import inventory
from catalog.listing.inventory import BY_ID, Inventory
from catalog.listing.parameters import SEARCH, frozen, inventory_of
from catalog.products.cards import ProductKey, keys_now
from catalog.structure.category_tree import CATEGORIES
from gateway import deadline
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import run, run_steps
from gateway.paging import Position, Slice

IDS = "ids"
# Ids stand in an address, which proxies cut at some kilobytes.
MAX_IDS = 200
# Counting a million takes a second; who waits longer would rather not know.
COUNT_SECONDS = 3.0
# More than any catalog holds.
UNBOUNDED = 10**9


class SelectionDocument(TypedDict):
    """A selection as a job keeps it."""

    ids: NotRequired[list[str]]
    filters: NotRequired[dict[str, str]]
    search: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Selection:
    ids: tuple[str, ...] = ()
    """These products; when there are any, neither filters nor search say anything."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the list's address, see catalog/listing/parameters.py."""
    search: str = ""

    def to_document(self) -> SelectionDocument:
        if self.ids:
            return {"ids": list(self.ids)}
        return {"filters": dict(self.filters), "search": self.search}

    @classmethod
    def from_document(cls, document: SelectionDocument) -> Self:
        return cls(tuple(document.get("ids", ())), document.get("filters", {}), document.get("search", ""))

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The selection in an address: `?ids=a,b` or the list's own parameters. Raises Refused for what is no filter.

        What counts from now («7d») is kept as of this moment, so that it stays the same however long a job takes.
        """
        if ids := [id_ for id_ in query.get(IDS, "").split(",") if id_]:
            return cls(tuple(dict.fromkeys(ids))[:MAX_IDS])
        return cls((), frozen(query), query.get(SEARCH, "").strip())


def keys_after(selection: Selection, after: ProductKey | None, limit: int) -> list[ProductKey]:
    """The next of the selected products, all of one category, in the order of category and id; none: that was all.

    Each read is a walk of an index from where the last ended, or a few thousand keys.
    """
    if selection.ids:
        further = [key for key in _chosen(selection) if after is None or key > after]
        return [key for key in further if key.category == further[0].category][:limit]
    asked = inventory_of(selection.filters, selection.search, BY_ID)
    if asked.only:
        return [key for key in _keys(asked, Slice(1)) if after is None or key > after]
    for category in _categories(asked):
        if after and category < after.category:
            continue
        beyond = Position(after.id, after.id) if after and category == after.category else None
        if keys := _keys(_within(asked, category), Slice(limit, beyond=beyond)):
            return keys
    return []


def count(selection: Selection) -> int | None:
    """How many are selected; None when that takes too long to tell."""
    if selection.ids:
        return len(_chosen(selection))
    try:
        with deadline.within(COUNT_SECONDS):
            return run_steps(inventory.count(inventory_of(selection.filters, selection.search), UNBOUNDED))
    except ExecutionTimeout:
        return None


def categories_of(selection: Selection) -> tuple[str, ...] | None:
    """The categories in which selected products may be; None: any."""
    if selection.ids:
        return tuple(sorted({key.category for key in _chosen(selection)}))
    asked = inventory_of(selection.filters, selection.search)
    if asked.only:
        return (asked.only.category,)
    within = asked.asked.wanted.categories
    return None if within is None else tuple(sorted(within))


def _chosen(selection: Selection) -> list[ProductKey]:
    found = run(keys_now(selection.ids, STAFF_LIST))
    return sorted(found)


def _keys(asked: Inventory, part: Slice) -> list[ProductKey]:
    found = run_steps(inventory.page(asked, part, fields=("category",))).documents
    return [ProductKey(each["category"], each["_id"]) for each in found]


def _categories(asked: Inventory) -> list[str]:
    """Where to look, in order."""
    wanted = asked.asked.wanted
    return sorted(CATEGORIES.get().nodes if wanted.categories is None else wanted.categories)


def _within(asked: Inventory, category: str) -> Inventory:
    wanted = replace(asked.asked.wanted, categories=(category,))
    return replace(asked, asked=replace(asked.asked, wanted=wanted))
