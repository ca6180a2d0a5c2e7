"""One timeline of an order, oldest first: moves, money, letters, notes and edits, each in a line that people read."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from catalog.structure.names import geozone_name
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.trail import Action
from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.times import time_text
from ordering.admin.words import CHANGED_FIELDS, EDITS, Label, actor_name, event_words, letter_label
from ordering.documents import OrderDocument, OrderEvent, OrderLetter, OrderNote
from ordering.events import EventType
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Entry

NOTE = Text("Заметка", "Note")
LETTER = Text("Письмо: {about}", "Letter: {about}")
RESENT = Text("Письмо ещё раз: {about}", "Letter once more: {about}")
TO = Text("на {address}", "to {address}")
# The events that the audit tells in more words.
EDITED = {
    EventType.DETAILS_CHANGED.value: Action.ORDER_DETAILS_CHANGED.value,
    EventType.GEOZONE_CHANGED.value: Action.ORDER_GEOZONE_CHANGED.value,
    EventType.TRACKED.value: Action.ORDER_TRACKED.value,
}
ICONS = {
    EventType.CREATED.value: "shopping_cart",
    EventType.MOVED.value: "arrow_forward",
    EventType.CLAIMED.value: "person",
}
MONEY_ICON = "payments"
EDIT_ICON = "edit"
LETTER_ICON = "mail"
NOTE_ICON = "sticky_note_2"


class Happened(NamedTuple):
    """One line of the timeline."""

    at: datetime
    icon: str
    title: str
    actor: str
    details: Sequence[str] = ()
    label: Label | None = None
    event: str = ""
    """Of a letter: the event that it tells of, by which it can be sent again."""

    @property
    def time(self) -> str:
        return time_text(self.at)


class Reader(NamedTuple):
    """For whom the timeline is told."""

    names: Mapping[str, str]
    """Names of staff by e-mail."""
    show_address: Any
    """How an e-mail address is shown."""

    def name(self, actor: str) -> str:
        return actor_name(actor, self.names)


def timeline_of(
    order: OrderDocument, events: Sequence[OrderEvent], edits: Sequence[AuditEntryDocument], reader: Reader
) -> list[Happened]:
    """Everything that happened to the order, oldest first. `edits`: what the audit has of it, oldest first."""
    told = [
        *_events(order, events, edits, reader),
        *(_letter(letter, events, reader) for letter in order.get("letters") or ()),
        *(_note(note, reader) for note in order.get("notes") or ()),
    ]
    return sorted(told, key=lambda happened: happened.at.replace(tzinfo=UTC))


def people_in(order: OrderDocument, events: Sequence[OrderEvent], edits: Sequence[AuditEntryDocument]) -> set[str]:
    """E-mails of all staff who stand in the timeline or the ledger."""
    actors = {event["actor"] for event in events} | {entry.actor for entry in ledger_of(order)}
    actors |= {note["actor"] for note in order.get("notes") or ()}
    actors |= {letter["by"] for letter in order.get("letters") or () if letter.get("by")}
    return {actor for actor in actors | {edit["actor"] for edit in edits} if "@" in actor}


def _events(
    order: OrderDocument, events: Sequence[OrderEvent], edits: Sequence[AuditEntryDocument], reader: Reader
) -> Iterator[Happened]:
    entries = {entry.id: entry for entry in ledger_of(order)}
    # An edit and its event were written together: the first of a kind tells of the first.
    audited = {action: iter([edit for edit in edits if edit["action"] == action]) for action in EDITED.values()}
    for event in events:
        if edited := EDITED.get(event["type"]):
            yield _edit(event, edited, next(audited[edited], None), reader)
        else:
            yield _event(event, entries.get(event.get("entry") or ""), reader)


def _event(event: OrderEvent, entry: Entry | None, reader: Reader) -> Happened:
    amount = [money_text(entry.amount)] if entry else []
    return Happened(
        at=event["at"],
        icon=ICONS.get(event["type"], MONEY_ICON) if not entry else MONEY_ICON,
        title=event_words(event["type"], event["status"]),
        actor=reader.name(event["actor"]),
        details=[*amount, *([event["note"]] if event["note"] else [])],
    )


def _edit(event: OrderEvent, action: str, edit: AuditEntryDocument | None, reader: Reader) -> Happened:
    changes = edit["changes"] if edit else {}
    details = [_changed(field, *both) for field, both in changes.items() if field in CHANGED_FIELDS]
    reason = edit["reason"] if edit else event["note"]
    return Happened(
        at=event["at"],
        icon=EDIT_ICON,
        title=said(EDITS[action]),
        actor=reader.name(event["actor"]),
        details=[*details, *([reason] if reason else [])],
    )


def _changed(field: str, before: Any, after: Any) -> str:
    name = geozone_name if field == "geozone" else lambda value: str(value) if value else "—"
    return f"{said(CHANGED_FIELDS[field])}: {name(before)} → {name(after)}"


def _letter(letter: OrderLetter, events: Sequence[OrderEvent], reader: Reader) -> Happened:
    told = next((event for event in events if event["id"] == letter["event"]), None)
    about = event_words(told["type"], told["status"]) if told else letter["event"]
    by = letter.get("by")
    return Happened(
        at=letter["at"],
        icon=LETTER_ICON,
        title=said(RESENT if by else LETTER, about=about),
        actor=reader.name(by) if by else "",
        details=[said(TO, address=reader.show_address(letter["to"]))] if letter["to"] else [],
        label=letter_label(letter["state"]),
        event=letter["event"],
    )


def _note(note: OrderNote, reader: Reader) -> Happened:
    return Happened(note["at"], NOTE_ICON, said(NOTE), reader.name(note["actor"]), [note["text"]])
