"""The attributes that products of a category are expected to have, in a category's own hands or from those above it.

A product may have others too, and may lack some of these: they are for suggestions, for the order in which attributes
are shown, and for facets. Values stand in products as text, whatever the type.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from pymongo.collection import Collection

from catalog.documents import AttributeDocument, CategoryDocument
from catalog.errors import (
    BadAttributeName,
    BadPosition,
    NamedTwice,
    StructureChangedMeanwhile,
    TooMany,
    UnknownCategory,
)
from catalog.products.drafts import MAX_ATTRIBUTE_NAME, MAX_ATTRIBUTES
from catalog.structure.category_tree import CATEGORIES, CATEGORIES_COLLECTION
from catalog.structure.guard import edit_structure
from gateway.audit.trail import Action, Actor, record
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import text_errors
from gateway.mongo.client import collection_of, orm_connection

MAX_UNIT = 16
MAX_POSITION = 1_000_000


class AttributeType(Enum):
    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    """Yes or no."""


class CategoryAttribute(NamedTuple):
    name: str
    type: AttributeType = AttributeType.TEXT
    unit: str = ""
    position: int = 100
    filterable: bool = True

    @classmethod
    def from_document(cls, document: AttributeDocument) -> "CategoryAttribute":
        return cls(
            document["name"],
            AttributeType(document["type"]),
            document["unit"],
            document["position"],
            document["filterable"],
        )

    def to_document(self) -> AttributeDocument:
        return {
            "name": self.name,
            "type": self.type.value,
            "unit": self.unit,
            "position": self.position,
            "filterable": self.filterable,
        }


def own_attributes(category: str) -> list[CategoryAttribute]:
    """The category's own, in their order; none for a category that is not there."""
    node = CATEGORIES.get().get(category)
    return _in_order(map(CategoryAttribute.from_document, node.attributes)) if node else []


def attributes_of(category: str) -> list[CategoryAttribute]:
    """Own and inherited ones, in their order; where two have one name, that of the nearest category counts."""
    tree = CATEGORIES.get()
    node = tree.get(category)
    if node is None:
        return []
    by_name = {
        attribute["name"]: CategoryAttribute.from_document(attribute)
        for each in (*tree.ancestors(node), node)
        for attribute in each.attributes
    }
    return _in_order(by_name.values())


def set_attributes(
    category: str,
    wanted: Sequence[CategoryAttribute],
    *,
    actor: Actor,
    seen: Sequence[CategoryAttribute] | None = None,
) -> None:
    """Give the category these attributes instead of its own; refused when they are not those that the editor saw."""
    trimmed = [each._replace(name=each.name.strip(), unit=each.unit.strip()) for each in wanted]
    if errors := list(_errors(trimmed)):
        raise Refused(errors)
    edit_structure(lambda: _set(category, _in_order(trimmed), actor, None if seen is None else _in_order(seen)))


def _set(category: str, wanted: list[CategoryAttribute], actor: Actor, seen: list[CategoryAttribute] | None) -> None:
    session = orm_connection().session
    found = _categories().find_one({"_id": category}, session=session)
    if found is None:
        raise UnknownCategory(category=category)
    before = _in_order(map(CategoryAttribute.from_document, found.get("attributes") or ()))
    if seen not in (None, before):
        raise StructureChangedMeanwhile
    if before == wanted:
        return
    _categories().update_one(
        {"_id": category}, {"$set": {"attributes": [each.to_document() for each in wanted]}}, session=session
    )
    was, becomes = {each.name: told(each) for each in before}, {each.name: told(each) for each in wanted}
    changes = {
        f"attributes.{name}": (was.get(name), becomes.get(name))
        for name in {**was, **becomes}
        if was.get(name) != becomes.get(name)
    }
    record(Action.CATEGORY_CHANGED, f"category:{category}", actor=actor, changes=changes)


def told(attribute: CategoryAttribute) -> str:
    """All of the attribute but its name in one line, as the audit keeps it."""
    parts = (attribute.type.value, attribute.unit, str(attribute.position), "" if attribute.filterable else "-filter")
    return ", ".join(part for part in parts if part)


def _in_order(attributes: Iterable[CategoryAttribute]) -> list[CategoryAttribute]:
    return sorted(attributes, key=lambda each: (each.position, each.name))


def _errors(wanted: Sequence[CategoryAttribute]) -> Iterator[DomainError]:
    if len(wanted) > MAX_ATTRIBUTES:
        yield TooMany("attributes", limit=MAX_ATTRIBUTES)
        return
    names: set[str] = set()
    for index, attribute in enumerate(wanted):
        yield from text_errors(attribute.name, MAX_ATTRIBUTE_NAME, "attributes", index, "name")
        if attribute.name.startswith("$") or "." in attribute.name or "=" in attribute.name:
            yield BadAttributeName("attributes", index, "name")
        if attribute.name in names:
            yield NamedTwice("attributes", index, "name", name=attribute.name)
        names.add(attribute.name)
        yield from text_errors(attribute.unit, MAX_UNIT, "attributes", index, "unit", required=False)
        if not 0 <= attribute.position <= MAX_POSITION:
            yield BadPosition("attributes", index, "position", limit=MAX_POSITION)


def _categories() -> Collection[CategoryDocument]:
    return collection_of(CATEGORIES_COLLECTION, CategoryDocument)
