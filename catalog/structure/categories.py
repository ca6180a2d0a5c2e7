"""The category tree in the hands of merchandisers: add, rename, hide, delete what is empty.

A slug stands in products and addresses and never changes. Branches are moved in branches.py, merged in merges.py.
"""

import re
from typing import Any

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from catalog.documents import CategoryDocument, ProductDocument
from catalog.errors import (
    BadPosition,
    BadSlug,
    CategoryExists,
    CategoryHasProducts,
    CategoryInUse,
    IsMerging,
    TooDeep,
    UnknownCategory,
)
from catalog.models import Product
from catalog.structure.category_tree import CATEGORIES_COLLECTION
from catalog.structure.edition import Edition, refuse_unless_seen
from catalog.structure.guard import change_structure, edit_structure
from gateway.audit.trail import Action, Actor, differences, record
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import Missing, text_errors
from gateway.mongo.client import collection_of, orm_connection

MAX_NAME = 100
MAX_POSITION = 1_000_000
SLUG = re.compile(r"\A[a-z0-9][a-z0-9-]{0,63}\Z")
# The path of a category holds its ancestors; a buyer is lost long before.
MAX_DEPTH = 8


def add_category(
    slug: str, name: str, *, actor: Actor, parent: str | None = None, position: int = 100
) -> CategoryDocument:
    """Add a category and return it. A parent that holds products is refused: they would no longer be in a leaf."""
    slug, name = slug.strip(), name.strip()
    if errors := [*_slug_errors(slug), *_errors(name, position)]:
        raise Refused(errors)
    return edit_structure(lambda: _add(slug, name, parent, position, actor))


def edit_category(
    slug: str, *, name: str, position: int, actor: Actor, seen: Edition | None = None
) -> CategoryDocument:
    """Give the category this name and position, and return it; refused when it is not what the editor saw."""
    name = name.strip()
    if errors := _errors(name, position):
        raise Refused(errors)
    return edit_structure(lambda: _edit(slug, name, position, actor, seen))


def hide_category(slug: str, *, hidden: bool, actor: Actor) -> None:
    """Take the category with all that is below it out of buyers' sight, or show it again.

    No product is changed: whoever shows or sells one asks the remembered tree, and knows within `REMEMBER_SECONDS`.
    """
    edit_structure(lambda: _hide(slug, hidden, actor))


def delete_category(slug: str, *, actor: Actor) -> None:
    """Delete the category; refused when something is in it or comes into it meanwhile."""
    edit_structure(lambda: _delete(slug, actor))


def is_empty(slug: str) -> bool:
    """Whether the category has neither subcategories nor products."""
    return not has_children(slug) and not has_products(slug)


def _add(slug: str, name: str, parent: str | None, position: int, actor: Actor) -> CategoryDocument:
    session = orm_connection().session
    path: list[str] = []
    if parent is not None:
        change_structure()
        above = categories().find_one({"_id": parent}, session=session)
        if above is None:
            raise UnknownCategory("parent", category=parent)
        refuse_children(parent, "parent")
        path = [*above["path"], parent]
        if len(path) > MAX_DEPTH:
            raise TooDeep("parent", limit=MAX_DEPTH + 1)
    document: CategoryDocument = {"_id": slug, "name": name, "path": path, "position": position}
    try:
        categories().insert_one(document, session=session)
    except DuplicateKeyError as error:
        raise CategoryExists("slug") from error
    record(Action.CATEGORY_ADDED, f"category:{slug}", actor=actor, changes=differences({}, _audited(document)))
    return document


def _edit(slug: str, name: str, position: int, actor: Actor, seen: Edition | None) -> CategoryDocument:
    session = orm_connection().session
    before = categories().find_one({"_id": slug}, session=session)
    if before is None:
        raise UnknownCategory(category=slug)
    refuse_unless_seen(before, seen)
    after: CategoryDocument = {**before, "name": name, "position": position}
    if changes := differences(_audited(before), _audited(after)):
        categories().update_one({"_id": slug}, {"$set": {"name": name, "position": position}}, session=session)
        record(Action.CATEGORY_CHANGED, f"category:{slug}", actor=actor, changes=changes)
    return after


def _hide(slug: str, hidden: bool, actor: Actor) -> None:
    before = categories().find_one_and_update(
        {"_id": slug}, {"$set": {"hidden": hidden}}, session=orm_connection().session
    )
    if before is None:
        raise UnknownCategory(category=slug)
    if (was := before.get("hidden", False)) != hidden:
        record(Action.CATEGORY_CHANGED, f"category:{slug}", actor=actor, changes={"hidden": (was, hidden)})


def _delete(slug: str, actor: Actor) -> None:
    session = orm_connection().session
    change_structure()
    if not is_empty(slug):
        raise CategoryInUse
    refuse_while_merging(slug)
    before = categories().find_one({"_id": slug}, session=session)
    if before is None:
        raise UnknownCategory(category=slug)
    remove_category(before, actor=actor)


def remove_category(category: CategoryDocument, *, actor: Actor, merged_into: str | None = None) -> None:
    """Delete the category in the running transaction; the caller has seen to it that nothing is in it."""
    slug = category["_id"]
    categories().delete_one({"_id": slug}, session=orm_connection().session)
    changes = differences(_audited(category), {"merged_into": merged_into} if merged_into else {})
    record(Action.CATEGORY_DELETED, f"category:{slug}", actor=actor, changes=changes)


def branch_of(slug: str) -> list[str]:
    """The category and all below it as they are now, in the running transaction if there is one; by slug."""
    found = categories().find({"$or": [{"_id": slug}, {"path": slug}]}, ["_id"], session=orm_connection().session)
    return sorted(each["_id"] for each in found)


def name_now(slug: str) -> str:
    """The name as it is now; the slug of one that is gone."""
    found = categories().find_one({"_id": slug}, ["name"])
    return found["name"] if found else slug


def refuse_children(slug: str, *path: str) -> None:
    """Raise what keeps the category from having subcategories: products in it, or on their way into it."""
    if has_products(slug):
        raise CategoryHasProducts(*path, category=name_now(slug))
    refuse_while_merging(slug, *path)


def refuse_while_merging(slug: str, *path: str) -> None:
    """Raise IsMerging while the category is taken into another, or another into it."""
    either = {"$or": [{"_id": slug, "merging": {"$exists": True}}, {"merging.into": slug}]}
    if categories().find_one(either, session=orm_connection().session):
        raise IsMerging(*path, category=name_now(slug))


def has_children(slug: str) -> bool:
    return categories().find_one({"path": slug}, session=orm_connection().session) is not None


def has_products(slug: str) -> bool:
    products = collection_of(Product._meta.db_table, ProductDocument)
    return products.find_one({"category": slug}, projection=["_id"], session=orm_connection().session) is not None


def _audited(document: CategoryDocument) -> dict[str, Any]:
    return {"name": document["name"], "path": document["path"], "position": document["position"]}


def _slug_errors(slug: str) -> list[DomainError]:
    if not slug:
        return [Missing("slug")]
    return [] if SLUG.match(slug) else [BadSlug("slug")]


def _errors(name: str, position: int) -> list[DomainError]:
    errors = text_errors(name, MAX_NAME, "name")
    return errors if 0 <= position <= MAX_POSITION else [*errors, BadPosition("position", limit=MAX_POSITION)]


def categories() -> Collection[CategoryDocument]:
    """Small, and not sharded."""
    return collection_of(CATEGORIES_COLLECTION, CategoryDocument)
