"""Entries as lines that people read: who, from where, what, old → new, and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from django.urls import NoReverseMatch, reverse

from gateway.accounts.models import User
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.labels import ACTIONS, KINDS, PROGRAMS, SOURCES, Field, Form, Named, field_of
from gateway.audit.links import PROGRAMS as ALL_PROGRAMS
from gateway.audit.links import audit_url
from gateway.audit.names import Names
from gateway.audit.people import names_of
from gateway.audit.reading import Sought, entries
from gateway.audit.trail import Action
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.paging import Slice
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.times import time_text

READ_AUDIT = "audit.view_auditentry"
NOTHING = "—"
# A description may have thousands of letters; whoever wants all of it opens the product.
LONGEST = 200
YES, NO = Text("да", "yes"), Text("нет", "no")
REASON = Text("причина", "reason")
IMAGES = Text("{count} шт.", "{count}")
OTHER_IMAGES = Text("{count} шт., другие или в другом порядке", "{count}, others or in another order")
QUOTED = {Named.CATEGORY, Named.GEOZONE, Named.ROLE}
UNKNOWN_SOURCE = Text("источник не записан", "source not recorded")


class Change(NamedTuple):
    label: str
    before: str
    """Empty: there was nothing."""
    after: str

    def __str__(self) -> str:
        return f"{self.label} {self.before} → {self.after}" if self.before else f"{self.label} {self.after}"


@dataclass(frozen=True, slots=True)
class Line:
    """One entry in words."""

    at: datetime
    person: str
    person_address: str
    """The e-mail at that time; empty for a program."""
    person_url: str
    """Everything that they did."""
    source: str
    told: str
    """What was done, without the changes."""
    object: str
    object_url: str
    """The page of what was changed; empty where there is none, or the reader may not open it."""
    changes: tuple[Change, ...]
    reason: str
    step: str

    @property
    def moment(self) -> str:
        return time_text(self.at, seconds=True)

    @property
    def step_url(self) -> str:
        return audit_url(step=self.step) if self.step else ""

    def __str__(self) -> str:
        """The whole line: «Марина Товарова (админка): изменён товар PROD-1: цена 100,00 ₽ → 90,00 ₽; причина: …»."""
        changes = "; ".join(map(str, self.changes))
        told = f"{self.person} ({self.source}): {self.told}" + (f": {changes}" if changes else "")
        return f"{told}; {said(REASON)}: {self.reason}" if self.reason else told


def audit_of(target: str, limit: int = 20, *, reader: User) -> list[Line]:
    """What was done to an object lately, for a part of its page; nothing for those who may not read the audit."""
    if not reader.has_perm(READ_AUDIT):
        return []
    return lines_of(run(entries(Sought(target=target), Slice(limit))).documents, reader=reader)


def lines_of(found: Sequence[AuditEntryDocument], *, reader: User) -> list[Line]:
    """The entries in words, in the language of the page. Asks for each kind of name once."""
    people = run(names_of(entry["actor_id"] for entry in found))
    names = Names()
    for entry in found:
        _need(names, entry)
    names.read()
    opens = {kind for kind, declared in KINDS.items() if reader.has_perm(declared.permission)}
    return [_line(entry, names, people, opens) for entry in found]


def changes_in_words(kind: str, several: Sequence[Mapping[str, Sequence[Any]]]) -> list[list[Change]]:
    """Changes of objects of one kind, field → (before, after), in words. Asks for each kind of name once."""
    names = Names()
    for changes in several:
        _need_values(names, kind, changes)
    names.read()
    return [list(_changes(changes, kind, names)) for changes in several]


def _line(entry: AuditEntryDocument, names: Names, people: dict[str, str], opens: set[str]) -> Line:
    kind, _, object_id = entry["target"].partition(":")
    called = _object(names, kind, object_id)
    source = SOURCES.get(entry.get("source", ""), UNKNOWN_SOURCE)
    is_person = bool(entry["actor_id"])
    return Line(
        at=entry["at"],
        person=people.get(entry["actor_id"]) or entry["actor"] if is_person else program_name(entry["actor"]),
        person_address=entry["actor"] if is_person else "",
        person_url=audit_url(actor=entry["actor_id"] or ALL_PROGRAMS),
        source=said(source),
        told=_told(entry["action"], kind, called),
        object=called,
        object_url=_page_of(kind, object_id) if kind in opens else "",
        changes=tuple(_changes(entry["changes"], kind, names)),
        reason=entry["reason"],
        step=entry.get("step", ""),
    )


def _told(code: str, kind: str, called: str) -> str:
    """What was done. An action of another release, which is not declared, stands by its code."""
    declared = KINDS.get(kind)
    kind_name = said(declared.label) if declared else kind
    if code not in {action.value for action in Action}:
        return f"{code} {kind_name} {called}"
    return said(ACTIONS[Action(code)].line, object=called, kind=kind_name)


def _changes(changes: Mapping[str, Sequence[Any]], kind: str, names: Names) -> Iterable[Change]:
    for name, (before, after) in changes.items():
        field = field_of(kind, name)
        if field is None:
            yield Change(name, _text(before), _text(after) or NOTHING)
        elif field.shown is not Form.UNSAID:
            label = said(field.label)
            if part := name.partition(".")[2]:
                label = f"{label} ({names.get(Named.GEOZONE, part) or part})"
            yield Change(label, *_both(before, after, field, names))


def _both(before: Any, after: Any, field: Field, names: Names) -> tuple[str, str]:
    """Old and new in words; as many images as before are told to be others."""
    old, new = _shown(before, field, names), _shown(after, field, names) or NOTHING
    if field.shown is Form.IMAGES and old == new:
        new = said(OTHER_IMAGES, count=len(after))
    return old, new


def _shown(value: Any, field: Field, names: Names) -> str:
    """The value in words; empty for none."""
    if value is None or value in ("", [], {}):
        return ""
    match field.shown:
        case Named() as named:
            codes = value if isinstance(value, list) else [value]
            separator = " / " if named is Named.CATEGORY else ", "
            return separator.join(names.get(named, str(code)) or str(code) for code in codes)
        case Form.MONEY:
            return _money(value)
        case Form.FLAG:
            return said(YES if value else NO)
        case Form.MOMENT:
            return time_text(value)
        case Form.IMAGES:
            return said(IMAGES, count=len(value))
    return _text(value)


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case dict():
            text = ", ".join(f"{name}: {_text(inner)}" for name, inner in value.items())
        case list():
            text = ", ".join(_text(inner) for inner in value)
        case bool():
            text = said(YES if value else NO)
        case _:
            text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _money(value: Any) -> str:
    try:
        return money_text(Decimal(str(value)))
    except InvalidOperation:
        return _text(value)


def _object(names: Names, kind: str, object_id: str) -> str:
    declared = KINDS.get(kind)
    name = names.get(declared.named, object_id) if declared and declared.named else None
    if not declared or not name:
        return object_id
    return f"«{name}»" if declared.named in QUOTED else name


def program_name(name: str) -> str:
    return said(PROGRAMS[name]) if name in PROGRAMS else name


def _page_of(kind: str, object_id: str) -> str:
    if not KINDS[kind].is_opened:
        return ""
    try:
        return reverse(f"admin:{KINDS[kind].page}_change", args=[object_id])
    except NoReverseMatch:
        return ""


def _need(names: Names, entry: AuditEntryDocument) -> None:
    kind, _, object_id = entry["target"].partition(":")
    declared = KINDS.get(kind)
    if declared and declared.named:
        names.need(declared.named, object_id)
    _need_values(names, kind, entry["changes"])


def _need_values(names: Names, kind: str, changes: Mapping[str, Sequence[Any]]) -> None:
    for name, values in changes.items():
        if part := name.partition(".")[2]:
            names.need(Named.GEOZONE, part)
        field = field_of(kind, name)
        if field and isinstance(field.shown, Named):
            for value in values:
                for code in value if isinstance(value, list) else [value]:
                    if code is not None:
                        names.need(field.shown, str(code))
