"""A category is moved with everything below it: among its siblings, or to another parent.

Slugs stay, so that no product changes its shard and no address its target; the paths of the whole branch are rewritten
in one transaction, which holds off everybody else who changes the tree.
"""

from typing import NamedTuple

from catalog.documents import CategoryDocument
from catalog.errors import MovedMeanwhile, TooDeep, UnknownCategory, WithinItself
from catalog.structure.categories import MAX_DEPTH, categories, name_now, refuse_children
from catalog.structure.guard import change_structure, edit_structure
from catalog.structure.thresholds import owe_thresholds, thresholds_now
from gateway.audit.trail import Action, Actor, differences, record
from gateway.mongo.client import Expression, orm_connection

# Between neighbours, so that the next one to come between them moves nobody else.
GAP = 10


class Standing(NamedTuple):
    """Where a category stands, as an editor saw it."""

    path: tuple[str, ...]
    position: int


def move_category(
    slug: str, *, parent: str | None, before: str | None = None, actor: Actor, seen: Standing | None = None
) -> bool:
    """Put the category with all that is below it into `parent`, right before this sibling or last.

    None as the parent: among the roots. `seen`: where the editor saw it; moved meanwhile, it is refused. Returns
    whether anything changed. Thresholds may be inherited from elsewhere afterwards, see thresholds.py.
    """
    return edit_structure(lambda: _move(slug, parent, before, actor, seen))


def attach_children(slug: str, into: CategoryDocument, *, actor: Actor) -> None:
    """Put all that is right below the category last into another, in the running transaction."""
    for child in _children(slug):
        _put(child, [*into["path"], into["_id"]], None, actor)


def _move(slug: str, parent: str | None, before: str | None, actor: Actor, seen: Standing | None) -> bool:
    change_structure()
    session = orm_connection().session
    category = categories().find_one({"_id": slug}, session=session)
    if category is None:
        raise UnknownCategory(category=slug)
    if seen not in (None, Standing(tuple(category["path"]), category["position"])):
        raise MovedMeanwhile(category=category["name"])
    path: list[str] = []
    if parent is not None:
        above = categories().find_one({"_id": parent}, session=session)
        if above is None:
            raise UnknownCategory("parent", category=parent)
        path = [*above["path"], parent]
        if slug in path:
            raise WithinItself("parent", category=category["name"])
        if path != category["path"]:
            refuse_children(parent, "parent")
    thresholds = thresholds_now()
    moved = _put(category, path, before, actor)
    owe_thresholds(thresholds, slug, actor=actor)
    return moved


def _put(category: CategoryDocument, path: list[str], before: str | None, actor: Actor) -> bool:
    session = orm_connection().session
    slug = category["_id"]
    if path != category["path"]:
        deepest = max((len(below["path"]) for below in categories().find({"path": slug}, session=session)), default=0)
        height = max(0, deepest - len(category["path"]))
        if len(path) + height > MAX_DEPTH:
            raise TooDeep("parent", limit=MAX_DEPTH + 1)
    position = _position(category, path, before, actor)
    changes = differences(
        {"path": category["path"], "position": category["position"]}, {"path": path, "position": position}
    )
    if not changes:
        return False
    categories().update_one({"_id": slug}, {"$set": {"path": path, "position": position}}, session=session)
    if path != category["path"]:
        # What stands in a path from this category on stays as it is.
        rest = {"$slice": ["$path", {"$indexOfArray": ["$path", {"$literal": slug}]}, MAX_DEPTH]}
        categories().update_many(
            {"path": slug}, [{"$set": {"path": {"$concatArrays": [{"$literal": path}, rest]}}}], session=session
        )
    record(Action.CATEGORY_CHANGED, f"category:{slug}", actor=actor, changes=changes)
    return True


def _position(category: CategoryDocument, path: list[str], before: str | None, actor: Actor) -> int:
    """A position between its new neighbours; if there is none left, all siblings are numbered anew."""
    siblings = [each for each in _children(path[-1] if path else None) if each["_id"] != category["_id"]]
    index = next((index for index, each in enumerate(siblings) if each["_id"] == before), len(siblings))
    if before is not None and index == len(siblings):
        raise MovedMeanwhile("before", category=name_now(before))
    low = siblings[index - 1]["position"] if index else 0
    if index == len(siblings):
        return category["position"] if path == category["path"] and category["position"] > low else low + GAP
    high = siblings[index]["position"]
    if path == category["path"] and low < category["position"] < high:
        return category["position"]
    if high - low > 1:
        return (low + high) // 2
    for number, sibling in enumerate(siblings):
        _renumber(sibling, (number + 1 + (number >= index)) * GAP, actor)
    return (index + 1) * GAP


def _renumber(category: CategoryDocument, position: int, actor: Actor) -> None:
    if position == category["position"]:
        return
    slug = category["_id"]
    categories().update_one({"_id": slug}, {"$set": {"position": position}}, session=orm_connection().session)
    changes = {"position": (category["position"], position)}
    record(Action.CATEGORY_CHANGED, f"category:{slug}", actor=actor, changes=changes)


def _children(parent: str | None) -> list[CategoryDocument]:
    """The categories right below this one, or the roots, in their order."""
    below: Expression = {"path": []} if parent is None else {"path": parent}
    found = categories().find(below, session=orm_connection().session).sort([("position", 1), ("_id", 1)])
    return [each for each in found if (each["path"][-1] if each["path"] else None) == parent]
