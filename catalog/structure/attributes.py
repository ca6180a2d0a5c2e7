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
    OptionsOfNoChoice,
    StructureChangedMeanwhile,
    TooMany,
    UnknownCategory,
)
from catalog.products.drafts import MAX_ATTRIBUTE_NAME, MAX_ATTRIBUTE_VALUE, MAX_ATTRIBUTES
from catalog.structure.category_tree import CATEGORIES, CATEGORIES_COLLECTION, CategoryTree
from catalog.structure.guard import edit_structure
from gateway.audit.trail import Action, Actor, record
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import Missing, text_errors
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of, orm_connection

MAX_UNIT = 16
# More are no choice but a text.
MAX_OPTIONS = 50
MAX_POSITION = 1_000_000


class AttributeType(Enum):
    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    """Yes or no."""
    CHOICE = "choice"
    """One of its options."""


TYPE_NAMES = {
    AttributeType.TEXT: Text("текст", "text"),
    AttributeType.NUMBER: Text("число", "number"),
    AttributeType.FLAG: Text("да / нет", "yes / no"),
    AttributeType.CHOICE: Text("выбор", "choice"),
}


class CategoryAttribute(NamedTuple):
    name: str
    type: AttributeType = AttributeType.TEXT
    unit: str = ""
    position: int = 100
    filterable: bool = True
    options: tuple[str, ...] = ()
    """What there is to choose from, in the order in which it is offered; only of a CHOICE."""

    @classmethod
    def from_document(cls, document: AttributeDocument) -> "CategoryAttribute":
        return cls(
            document["name"],
            AttributeType(document["type"]),
            document["unit"],
            document["position"],
            document["filterable"],
            tuple(document.get("options") or ()),
        )

    def to_document(self) -> AttributeDocument:
        document: AttributeDocument = {
            "name": self.name,
            "type": self.type.value,
            "unit": self.unit,
            "position": self.position,
            "filterable": self.filterable,
        }
        return {**document, "options": list(self.options)} if self.options else document


def own_attributes(category: str) -> list[CategoryAttribute]:
    """The category's own, in their order; none for a category that is not there."""
    node = CATEGORIES.get().get(category)
    return _in_order(map(CategoryAttribute.from_document, node.attributes)) if node else []


def attributes_of(category: str) -> list[CategoryAttribute]:
    """Own and inherited ones, in their order; where two have one name, that of the nearest category counts."""
    return _declared_for(CATEGORIES.get(), category)


def declared_within(tree: CategoryTree, category: str | None) -> list[CategoryAttribute]:
    """Attributes of the category in their order, then those of the categories below it; None: of the whole tree.

    Where categories below disagree on what a name means, it is a text without a unit: their values cannot be compared.
    """
    by_name = {each.name: each for each in (_declared_for(tree, category) if category else [])}
    below: dict[str, CategoryAttribute] = {}
    for slug in tree.nodes if category is None else tree.within(category):
        for document in tree.nodes[slug].attributes:
            if document["name"] not in by_name:
                found = CategoryAttribute.from_document(document)
                known = below.setdefault(found.name, found)
                if (known.type, known.unit) != (found.type, found.unit):
                    below[found.name] = known._replace(type=AttributeType.TEXT, unit="", options=())
    return [*by_name.values(), *_in_order(below.values())]


def _declared_for(tree: CategoryTree, category: str) -> list[CategoryAttribute]:
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
    trimmed = [_trimmed(each) for each in wanted]
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
    filtered = "" if attribute.filterable else "без фильтра"
    options = " / ".join(attribute.options)
    parts = (TYPE_NAMES[attribute.type].ru, attribute.unit, options, filtered, f"порядок {attribute.position}")
    return ", ".join(part for part in parts if part)


def _trimmed(attribute: CategoryAttribute) -> CategoryAttribute:
    options = (option.strip() for option in attribute.options)
    return attribute._replace(
        name=attribute.name.strip(), unit=attribute.unit.strip(), options=tuple(filter(None, options))
    )


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
        yield from _option_errors(attribute, "attributes", index, "options")


def _option_errors(attribute: CategoryAttribute, *path: str | int) -> Iterator[DomainError]:
    options = attribute.options
    if attribute.type is not AttributeType.CHOICE:
        if options:
            yield OptionsOfNoChoice(*path)
        return
    if not options:
        yield Missing(*path)
    elif len(options) > MAX_OPTIONS:
        yield TooMany(*path, limit=MAX_OPTIONS)
    elif twice := next((option for option in options if options.count(option) > 1), None):
        yield NamedTwice(*path, name=twice)
    else:
        yield from (error for option in options for error in text_errors(option, MAX_ATTRIBUTE_VALUE, *path))


def _categories() -> Collection[CategoryDocument]:
    return collection_of(CATEGORIES_COLLECTION, CategoryDocument)
