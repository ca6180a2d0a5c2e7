"""One cell of the stock sheet: what was typed, saved as an adjustment against what was seen, and what came of it."""

import re
from enum import Enum
from typing import Any, NamedTuple

from admin_ext.stock.levels import level_shown, reserved_text
from catalog.documents import ProductDocument
from catalog.errors import StockChangedMeanwhile, UnknownProduct
from catalog.products.cards import PRODUCTS, keys_now
from catalog.stock.adjust import adjust_stock
from catalog.structure.names import geozone_name
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.domain.input import normal_key
from gateway.domain.texts import Text
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read, run
from gateway.staff.language import said, staff_language

# A quantity, or by how much it changes.
_TYPED = re.compile(r"([+\-−]?)([0-9]{1,9})")

NOT_A_NUMBER = Text(
    "Введите целое число; «+5» прибавит, «-5» вычтет.", 'Type a whole number; "+5" adds, "-5" takes away.'
)
BELOW_ZERO = Text("Получается меньше нуля.", "That would be below zero.")
OVERTAKEN = Text(
    "Пока вы правили, стало {now} (было {seen}). Ваше: {mine}.",
    "While you were editing it became {now} (it was {seen}). Yours: {mine}.",
)
REASON = Text("Лист остатков", "Stock sheet")


class CellState(Enum):
    SAVED = "saved"
    OVERTAKEN = "overtaken"
    """Somebody was faster: nothing is written, and the person chooses."""
    REFUSED = "refused"


class CellEdit(NamedTuple):
    product_id: str
    geozone: str
    typed: str
    seen: int
    reason: str
    key: str | None


class CellOutcome(NamedTuple):
    """What came of it, and what is there now."""

    state: CellState
    quantity: int
    reserved: int
    mark: str
    told: str = ""
    mine: int | None = None
    """What the person wanted, if it was a quantity."""

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "state": self.state.value, "reserved_text": reserved_text(self.reserved)}


class NotTyped(Exception):
    """What was typed is no quantity; tells why."""


def save_cell(edit: CellEdit, *, actor: Actor) -> CellOutcome:
    """Count the product anew in the geozone, if there is what was seen; else nothing changes. Once under one key."""
    try:
        wanted = quantity_typed(edit.typed, edit.seen)
    except NotTyped as mistake:
        return _as_it_is(edit, CellState.REFUSED, str(mistake))
    if wanted == edit.seen:
        return _as_it_is(edit, CellState.SAVED)
    try:
        adjusted = adjust_stock(
            edit.product_id,
            edit.geozone,
            quantity=wanted,
            expected_quantity=edit.seen,
            reason=edit.reason.strip() or said(REASON),
            idempotency_key=edit.key and f"sheet:{edit.key}",
            actor=actor,
        )
    except StockChangedMeanwhile:
        return _overtaken(edit, wanted)
    except DomainError as refusal:
        told = " ".join(reason.message(staff_language()) for reason in refusal)
        return _as_it_is(edit, CellState.REFUSED, told, wanted)
    return _outcome(adjusted.document, edit.geozone, CellState.SAVED)


def quantity_typed(text: str, seen: int) -> int:
    """The quantity that is meant: «12», or «+2» of what was seen."""
    found = _TYPED.fullmatch(normal_key(text).replace(" ", ""))
    if found is None:
        raise NotTyped(said(NOT_A_NUMBER))
    number = int(found[2])
    quantity = {"": number, "+": seen + number}.get(found[1], seen - number)
    if quantity < 0:
        raise NotTyped(said(BELOW_ZERO))
    return quantity


def _overtaken(edit: CellEdit, wanted: int) -> CellOutcome:
    now = _as_it_is(edit, CellState.OVERTAKEN, mine=wanted)
    if now.quantity == wanted:
        # The other one wanted the same.
        return now._replace(state=CellState.SAVED, mine=None)
    return now._replace(told=said(OVERTAKEN, now=now.quantity, seen=edit.seen, mine=wanted))


def _as_it_is(edit: CellEdit, state: CellState, told: str = "", mine: int | None = None) -> CellOutcome:
    """By the directory and one shard."""
    keys = run(keys_now([edit.product_id], STAFF_LIST))
    found = run(_product(keys[0].category, edit.product_id)) if keys else None
    if found is None:
        return CellOutcome(CellState.REFUSED, edit.seen, 0, "", UnknownProduct().message(staff_language()))
    return _outcome(found, edit.geozone, state)._replace(told=told, mine=mine)


def _product(category: str, product_id: str) -> Read[ProductDocument | None]:
    return Read(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where={"category": category, "_id": product_id},
        fields=("stock", "shelf"),
        result=lambda documents: documents[0] if documents else None,
    )


def _outcome(document: ProductDocument, geozone: str, state: CellState) -> CellOutcome:
    level = level_shown(document, geozone, geozone_name(geozone))
    return CellOutcome(state, level.quantity, level.reserved, level.mark)
