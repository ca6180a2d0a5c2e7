"""The category tree in the hands of merchandisers: add, rename, reorder, delete what is empty.

A slug stands in products and addresses and never changes; a category stays under the parent it was made under. Moving a
branch is left out on purpose: it would rewrite the path of everything below it.
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


def delete_category(slug: str, *, actor: Actor) -> None:
    """Delete the category; refused when something is in it or comes into it meanwhile."""
    edit_structure(lambda: _delete(slug, actor))


def is_empty(slug: str) -> bool:
    """Whether the category has neither subcategories nor products."""
    return not _has_children(slug) and not _has_products(slug)


def _add(slug: str, name: str, parent: str | None, position: int, actor: Actor) -> CategoryDocument:
    session = orm_connection().session
    path: list[str] = []
    if parent is not None:
        change_structure()
        above = _categories().find_one({"_id": parent}, session=session)
        if above is None:
            raise UnknownCategory("parent", category=parent)
        if _has_products(parent):
            raise CategoryHasProducts("parent", category=parent)
        path = [*above["path"], parent]
        if len(path) > MAX_DEPTH:
            raise TooDeep("parent", limit=MAX_DEPTH + 1)
    document: CategoryDocument = {"_id": slug, "name": name, "path": path, "position": position}
    try:
        _categories().insert_one(document, session=session)
    except DuplicateKeyError as error:
        raise CategoryExists("slug") from error
    record(Action.CATEGORY_ADDED, f"category:{slug}", actor=actor, changes=differences({}, _audited(document)))
    return document


def _edit(slug: str, name: str, position: int, actor: Actor, seen: Edition | None) -> CategoryDocument:
    session = orm_connection().session
    before = _categories().find_one({"_id": slug}, session=session)
    if before is None:
        raise UnknownCategory(category=slug)
    refuse_unless_seen(before, seen)
    after: CategoryDocument = {**before, "name": name, "position": position}
    if changes := differences(_audited(before), _audited(after)):
        _categories().update_one({"_id": slug}, {"$set": {"name": name, "position": position}}, session=session)
        record(Action.CATEGORY_CHANGED, f"category:{slug}", actor=actor, changes=changes)
    return after


def _delete(slug: str, actor: Actor) -> None:
    session = orm_connection().session
    change_structure()
    if not is_empty(slug):
        raise CategoryInUse
    before = _categories().find_one_and_delete({"_id": slug}, session=session)
    if before is None:
        raise UnknownCategory(category=slug)
    record(Action.CATEGORY_DELETED, f"category:{slug}", actor=actor, changes=differences(_audited(before), {}))


def _has_children(slug: str) -> bool:
    return _categories().find_one({"path": slug}, session=orm_connection().session) is not None


def _has_products(slug: str) -> bool:
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


def _categories() -> Collection[CategoryDocument]:
    """Small, and not sharded."""
    return collection_of(CATEGORIES_COLLECTION, CategoryDocument)
