"""What is done to a category right in the tree: put elsewhere, renamed, hidden or shown.

The page sends one line of JSON, the value of a button or what a script made of a drag.
"""

import json
from typing import Any

from admin_ext.structure.jobs import submit_owed
from catalog.errors import StructureChangedMeanwhile, UnknownCategory
from catalog.structure.branches import Standing, move_category
from catalog.structure.categories import categories, edit_category, hide_category, name_now
from catalog.structure.edition import Edition
from gateway.audit.trail import Actor
from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text
from gateway.staff.language import said

MOVED = Text("Категория «{name}» перенесена.", "Category “{name}” is moved.")
RENAMED = Text("Категория переименована: «{name}».", "The category is renamed: “{name}”.")
HIDDEN = Text(
    "Категория «{name}» скрыта от покупателей со всем, что в ней.",
    "Category “{name}” is hidden from buyers with all that is in it.",
)
SHOWN = Text("Категория «{name}» снова видна покупателям.", "Buyers see category “{name}” again.")
AS_IT_WAS = Text("Ничего не изменено.", "Nothing was changed.")


class BadEdit(DomainError):
    code = Code.INVALID
    text = Text("Непонятно, что сделать с категорией.", "It is not clear what to do to the category.")


def edit_tree(asked: str, *, actor: Actor) -> str:
    """Do what the line of JSON asks for, and return what the person is told. Raises DomainError."""
    given = _parsed(asked)
    slug = _text(given, "slug")
    match given.get("do"):
        case "place":
            return _place(slug, given, actor)
        case "rename":
            return _rename(slug, given, actor)
        case "hide" | "show" as what:
            hide_category(slug, hidden=what == "hide", actor=actor)
            return said(HIDDEN if what == "hide" else SHOWN, name=name_now(slug))
    raise BadEdit


def _place(slug: str, given: dict[str, Any], actor: Actor) -> str:
    path, position = given.get("path"), given.get("position")
    if not isinstance(path, list) or not isinstance(position, int):
        raise BadEdit
    moved = move_category(
        slug,
        parent=_text(given, "parent") or None,
        before=_text(given, "before") or None,
        actor=actor,
        seen=Standing(tuple(map(str, path)), position),
    )
    submit_owed()
    return said(MOVED, name=name_now(slug)) if moved else said(AS_IT_WAS)


def _rename(slug: str, given: dict[str, Any], actor: Actor) -> str:
    name, seen = _text(given, "name").strip(), _text(given, "seen")
    now = categories().find_one({"_id": slug}, ["name", "position"])
    if now is None:
        raise UnknownCategory(category=slug)
    if name == now["name"]:
        return said(AS_IT_WAS)
    if now["name"] != seen:
        raise StructureChangedMeanwhile
    position = now["position"]
    edit_category(slug, name=name, position=position, actor=actor, seen=Edition(seen, position))
    return said(RENAMED, name=name)


def _parsed(asked: str) -> dict[str, Any]:
    try:
        given = json.loads(asked)
    except ValueError:
        raise BadEdit from None
    if not isinstance(given, dict):
        raise BadEdit
    return given


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name) or ""
    if not isinstance(value, str):
        raise BadEdit
    return value
