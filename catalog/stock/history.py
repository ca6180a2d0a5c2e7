"""The history of a product's stock: what orders did, from the book, and what people and files did, from the audit.

Each entry tells the change and what there was afterwards, as the write itself measured it; nothing is computed back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from catalog.documents import MovementDocument
from catalog.products.cards import ProductKey
from catalog.stock.book import movements_of, movements_to_enter
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.reading import Sought, entries
from gateway.mongo.reads import run
from gateway.paging import Position, Slice

# Entries of the audit about the product, read at a time: many tell of prices and texts.
STEP = 100
# After so many steps without enough that tells of stock the page ends; the next one goes on from there.
STEPS = 5
# Fields of the audit: «stock.msk», «reserved.msk».
QUANTITY, RESERVED = "stock.", "reserved."
# Of one moment the lines of the book come first, on every page.
BOOKED, AUDITED = "book:", "audit:"
_LAST_OBJECT_ID = "f" * 24


class LevelChange(NamedTuple):
    """What happened in one geozone."""

    geozone: str
    counted: int
    """By how many pieces the quantity changed."""
    reserved: int
    left: int | None
    """The quantity afterwards; None: it was not told."""


class HistoryEntry(NamedTuple):
    position: Position
    levels: tuple[LevelChange, ...]
    order_id: str = ""
    audit: AuditEntryDocument | None = None
    """None: an order did it."""

    @property
    def at(self) -> datetime:
        moment: datetime = self.position.value
        return moment


class HistoryPart(NamedTuple):
    entries: list[HistoryEntry]
    beyond: Position | None
    """Where the next part begins; None: there is none."""


def stock_history(key: ProductKey, size: int, beyond: Position | None = None) -> HistoryPart:
    """A part of the history, newest first: `size` entries, or what a bounded look into the audit gives."""
    # In this order: what is entered into the book between the two reads is found by both, and shown once.
    standing = run(movements_to_enter(key))
    booked = run(movements_of(key.id, Slice(size + 1, beyond=_in_book(beyond))))
    audited, horizon = _from_audit(key.id, size + 1, beyond)
    found = {entry.position: entry for entry in (*map(_of_line, (*standing, *booked)), *audited)}
    shown = sorted(
        entry
        for entry in found.values()
        if (beyond is None or entry.position < _naive(beyond)) and (horizon is None or entry.position >= horizon)
    )[::-1]
    if len(shown) > size:
        return HistoryPart(shown[:size], shown[size - 1].position)
    return HistoryPart(shown, horizon)


def _from_audit(product_id: str, wanted: int, beyond: Position | None) -> tuple[list[HistoryEntry], Position | None]:
    """Entries about stock, and the position up to which the audit was looked through; None: to its end."""
    found: list[HistoryEntry] = []
    part = Slice(STEP, beyond=_in_audit(beyond))
    for _ in range(STEPS):
        page = run(entries(Sought(target=f"product:{product_id}"), part))
        found += [told for placed in page.placed if (told := _of_audit(placed.document))]
        if not page.has_next:
            return found, None
        last = page.placed[-1].position
        if len(found) >= wanted:
            break
        part = replace(part, beyond=last)
    return found, Position(last.value, f"{AUDITED}{last.id}")


def _of_line(line: MovementDocument) -> HistoryEntry:
    level = LevelChange(line["geozone"], line["counted"], line["reserved"], line["left"])
    return HistoryEntry(Position(line["at"], f"{BOOKED}{line['_id']}"), (level,), order_id=line["order_id"])


def _of_audit(entry: AuditEntryDocument) -> HistoryEntry | None:
    levels = tuple(_levels(entry["changes"]))
    return HistoryEntry(Position(entry["at"], f"{AUDITED}{entry['_id']}"), levels, audit=entry) if levels else None


def _levels(changes: Mapping[str, Sequence[Any]]) -> Iterator[LevelChange]:
    for field, (before, after) in changes.items():
        difference = (after or 0) - (before or 0) if field.startswith((QUANTITY, RESERVED)) else 0
        if field.startswith(QUANTITY):
            yield LevelChange(field.removeprefix(QUANTITY), difference, 0, after or 0)
        elif field.startswith(RESERVED):
            yield LevelChange(field.removeprefix(RESERVED), 0, difference, None)


def _in_book(beyond: Position | None) -> Position | None:
    if beyond is None:
        return None
    # Whatever is in the book at that moment was before the audit's entry: nothing is smaller than an empty id.
    return Position(beyond.value, beyond.id.removeprefix(BOOKED) if beyond.id.startswith(BOOKED) else "")


def _in_audit(beyond: Position | None) -> Position | None:
    if beyond is None:
        return None
    return Position(beyond.value, beyond.id.removeprefix(AUDITED) if beyond.id.startswith(AUDITED) else _LAST_OBJECT_ID)


def _naive(position: Position) -> Position:
    """With the moment as documents have it."""
    moment: datetime = position.value
    return position._replace(value=moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment)
