"""One category is taken into another: its products move, each to another shard key, and then it goes.

Its products sell all the while, from wherever they are: whoever holds the old category of one finds it through the
directory. It takes no others meanwhile. The pieces are the caller's: `merge_some` again and again, until it says that
it is finished. What has moved stays moved when the merge is given up.
"""

from collections.abc import Sequence
from typing import NamedTuple

from catalog.changes.batch import Outcome, Wanted, change_products
from catalog.documents import CategoryDocument, Merging, ProductDocument
from catalog.errors import IsMerging, NotALeaf, NotMerging, UnknownCategory, WithinItself
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.structure.branches import attach_children
from catalog.structure.categories import (
    categories,
    has_children,
    has_products,
    refuse_children,
    refuse_while_merging,
    remove_category,
)
from catalog.structure.guard import change_structure, edit_structure
from catalog.structure.thresholds import owe_thresholds, owed_by, thresholds_now
from gateway.audit.trail import Action, Actor, record
from gateway.mongo.client import collection_of, orm_connection


class Merged(NamedTuple):
    """What one piece of a merge did."""

    outcomes: Sequence[Outcome]
    after: str
    """The last product that it looked at."""
    is_finished: bool = False
    is_gone: bool = False
    """Finished, and the category is deleted: no product had to stay in it."""


def begin_merge(slug: str, into: str, *, actor: Actor) -> bool:
    """Take the category into another. False: it is done already; True: its products have to be moved yet.

    Subcategories move at once, for no product changes with them. A category without products is deleted at once.
    """
    return edit_structure(lambda: _begin(slug, into, actor))


def merging() -> list[CategoryDocument]:
    """Categories that are being taken into others. The collection is small and not sharded."""
    return list(categories().find({"merging": {"$exists": True}}))


def merge_some(slug: str, token: str, *, after: str, limit: int, actor: Actor, reason: str) -> Merged:
    """Move the next products, in the running transaction; when there are no more, delete the category.

    In the order of their ids, from beyond `after`. One that is refused stays, and the category with it.
    """
    category = _merging(slug, token)
    session = orm_connection().session
    products = collection_of(PRODUCTS, ProductDocument)
    found = products.find({"category": slug, "_id": {"$gt": after}}, ["_id"], session=session).sort("_id", 1)
    keys = [ProductKey(slug, each["_id"]) for each in found.limit(limit)]
    if not keys:
        return _finish(category, after, actor)
    wanted = Wanted({"category": category["merging"]["into"]})
    return Merged(change_products(keys, lambda _: wanted, actor=actor, reason=reason), keys[-1].id)


def give_up_merge(slug: str, *, actor: Actor) -> None:
    """Let the category be, with the products that it still has."""
    edit_structure(lambda: _give_up(slug, actor))


def _begin(slug: str, into: str, actor: Actor) -> bool:
    change_structure()
    session = orm_connection().session
    found = {each["_id"]: each for each in categories().find({"_id": {"$in": [slug, into]}}, session=session)}
    if slug not in found:
        raise UnknownCategory(category=slug)
    if into not in found:
        raise UnknownCategory("into", category=into)
    category, target = found[slug], found[into]
    if slug == into or slug in target["path"]:
        raise WithinItself("into", category=category["name"])
    refuse_while_merging(slug)
    if "merging" in target:
        raise IsMerging("into", category=target["name"])
    if has_children(slug):
        return _take_children(category, target, actor)
    if not has_products(slug):
        remove_category(category, actor=actor, merged_into=into)
        return False
    if has_children(into):
        raise NotALeaf("into", category=target["name"])
    mark: Merging = {**owed_by(actor), "into": into}
    categories().update_one({"_id": slug}, {"$set": {"merging": mark}}, session=session)
    _record(slug, (None, into), actor)
    return True


def _take_children(category: CategoryDocument, target: CategoryDocument, actor: Actor) -> bool:
    if category["path"][-1:] != [target["_id"]]:
        refuse_children(target["_id"], "into")
    before = thresholds_now()
    attach_children(category["_id"], target, actor=actor)
    remove_category(category, actor=actor, merged_into=target["_id"])
    owe_thresholds(before, target["_id"], actor=actor, more="thresholds_due" in category)
    return False


def _finish(category: CategoryDocument, after: str, actor: Actor) -> Merged:
    change_structure()
    slug = category["_id"]
    if has_products(slug):
        _give_up(slug, actor)
        return Merged((), after, is_finished=True)
    remove_category(category, actor=actor, merged_into=category["merging"]["into"])
    return Merged((), after, is_finished=True, is_gone=True)


def _give_up(slug: str, actor: Actor) -> None:
    before = categories().find_one_and_update(
        {"_id": slug, "merging": {"$exists": True}}, {"$unset": {"merging": ""}}, session=orm_connection().session
    )
    if before is None:
        raise NotMerging(category=slug)
    _record(slug, (before["merging"]["into"], None), actor)


def _merging(slug: str, token: str) -> CategoryDocument:
    found = categories().find_one({"_id": slug, "merging.token": token}, session=orm_connection().session)
    if found is None:
        raise NotMerging(category=slug)
    return found


def _record(slug: str, into: tuple[str | None, str | None], actor: Actor) -> None:
    record(Action.CATEGORY_CHANGED, f"category:{slug}", actor=actor, changes={"merging_into": into})
