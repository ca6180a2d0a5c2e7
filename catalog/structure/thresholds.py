"""From how many pieces on the products of a category run low: its own threshold, or that of the nearest above it.

Each product has a copy, so that every write of stock tells by itself what runs low (catalog/products/derived.py). When
the threshold of a branch changes, a mark in its category says that the products are owed the new one: `bring_in_line`
pays, batch by batch, with the threshold that is true when it runs.
"""

from collections.abc import Mapping
from typing import NamedTuple

from pymongo.collection import Collection

from catalog.documents import CategoryDocument, Owed, ProductDocument
from catalog.errors import BadThreshold, StructureChangedMeanwhile, UnknownCategory
from catalog.models import Product
from catalog.products.derived import DEFAULT_LOW_AT, SHELF
from catalog.products.drafts import MAX_QUANTITY
from catalog.structure.categories import categories
from catalog.structure.category_tree import CategoryNode, CategoryTree, whole_tree
from catalog.structure.guard import change_structure, edit_structure, low_at_in, place_in, use_structure
from gateway.audit.trail import Action, Actor, record
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.reads import run

Thresholds = Mapping[str, int]
"""Of every category, by slug."""


def threshold_of(tree: CategoryTree, node: CategoryNode) -> int:
    """The threshold that products of the category have."""
    own = (each.low_at for each in reversed((*tree.ancestors(node), node)))
    return next((low_at for low_at in own if low_at is not None), DEFAULT_LOW_AT)


def all_thresholds() -> dict[str, int]:
    """The threshold of every category, read anew."""
    tree = run(whole_tree())
    return {slug: threshold_of(tree, node) for slug, node in tree.nodes.items()}


class Own(NamedTuple):
    """The own threshold of a category as an editor saw it; None: it has none."""

    low_at: int | None


def set_threshold(slug: str, low_at: int | None, *, actor: Actor, seen: Own | None = None) -> bool:
    """Give the category this threshold; None: that of the category above it. Refused when it was not what was seen.

    Returns whether products are owed another one, see `bring_in_line`.
    """
    if low_at is not None and not 0 <= low_at <= MAX_QUANTITY:
        raise BadThreshold("low_at", limit=MAX_QUANTITY)
    return edit_structure(lambda: _set(slug, low_at, actor, seen))


def _set(slug: str, low_at: int | None, actor: Actor, seen: Own | None) -> bool:
    change_structure()
    session = orm_connection().session
    category = categories().find_one({"_id": slug}, session=session)
    if category is None:
        raise UnknownCategory(category=slug)
    was = category.get("low_at")
    if seen not in (None, Own(was)):
        raise StructureChangedMeanwhile("low_at")
    if was == low_at:
        return False
    before = thresholds_now()
    categories().update_one({"_id": slug}, {"$set": {"low_at": low_at}}, session=session)
    record(Action.CATEGORY_CHANGED, f"category:{slug}", actor=actor, changes={"low_at": (was, low_at)})
    return owe_thresholds(before, slug, actor=actor)


def thresholds_now() -> Thresholds:
    """All thresholds as the running transaction sees them."""
    found = {each["_id"]: each for each in categories().find({}, session=orm_connection().session)}
    return {slug: _nearest(each, found) for slug, each in found.items()}


def owe_thresholds(before: Thresholds, slug: str, *, actor: Actor, more: bool = False) -> bool:
    """Note in the category, in the running transaction, whether products below it have another threshold by now.

    `more`: they were owed one in any case.
    """
    after = thresholds_now()
    if not more and all(after[each] == low_at for each, low_at in before.items() if each in after):
        return False
    mark = {"$set": {"thresholds_due": owed_by(actor)}}
    categories().update_one({"_id": slug}, mark, session=orm_connection().session)
    return True


def owed_by(actor: Actor) -> Owed:
    """A mark of work that this person's change has left to be done."""
    return {"token": str(uuid7()), "actor_id": actor.id, "actor": actor.name}


def owing_thresholds() -> list[CategoryDocument]:
    """Categories whose products are owed another threshold. The collection is small and not sharded."""
    return list(categories().find({"thresholds_due": {"$exists": True}}))


class InLine(NamedTuple):
    """Some products of a category that have its threshold now."""

    products: int
    last: str | None
    """The id of the last of them; None: there are no more."""


def bring_in_line(category: str, *, after: str, limit: int) -> InLine:
    """Give the next products of the category its threshold, in the running transaction.

    In the order of their ids, from beyond `after`.
    """
    use_structure()
    low_at = place_in(category).low_at
    session = orm_connection().session
    found = _products().find({"category": category, "_id": {"$gt": after}}, ["_id"], session=session)
    ids = [each["_id"] for each in found.sort("_id", 1).limit(limit)]
    if ids:
        _products().update_many(
            {"category": category, "_id": {"$in": ids}, "low_at": {"$ne": low_at}},
            [{"$set": {"low_at": low_at}}, {"$set": {"shelf": SHELF}}],
            session=session,
        )
    return InLine(len(ids), ids[-1] if len(ids) == limit else None)


def pay_thresholds(slug: str, token: str) -> None:
    """Take the mark away, in the running transaction, unless a later change has left another."""
    categories().update_one(
        {"_id": slug, "thresholds_due.token": token},
        {"$unset": {"thresholds_due": ""}},
        session=orm_connection().session,
    )


def _nearest(category: CategoryDocument, found: Mapping[str, CategoryDocument]) -> int:
    return low_at_in([*(found[slug] for slug in category["path"] if slug in found), category])


def _products() -> Collection[ProductDocument]:
    return collection_of(Product._meta.db_table, ProductDocument)
