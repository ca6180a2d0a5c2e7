"""One cell of the stock sheet: what was typed, saved as an adjustment against what was seen, and what came of it."""

from enum import Enum
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError

from admin_ext.stock.levels import level_shown, reserved_text
from catalog.admin.product_form.stock import NO_NUMBER, Move, StockField
from catalog.documents import ProductDocument
from catalog.errors import StockChangedMeanwhile, UnknownProduct
from catalog.products.cards import PRODUCTS, keys_now
from catalog.stock.adjust import adjust_stock
from catalog.structure.names import geozone_name
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read, run
from gateway.staff.language import said, staff_language

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


def save_cell(edit: CellEdit, *, actor: Actor) -> CellOutcome:
    """Count the product anew in the geozone, if there is what was seen, or add to whatever is there.

    Once under one key. Whatever is refused has changed nothing.
    """
    try:
        wanted = StockField(level=None).to_python(edit.typed)
    except ValidationError as mistake:
        return _as_it_is(edit, CellState.REFUSED, " ".join(mistake.messages))
    if wanted is None:
        return _as_it_is(edit, CellState.REFUSED, said(NO_NUMBER))
    if wanted in (edit.seen, Move(0)):
        return _as_it_is(edit, CellState.SAVED)
    by = wanted.pieces if isinstance(wanted, Move) else None
    quantity = None if isinstance(wanted, Move) else wanted
    try:
        adjusted = adjust_stock(
            edit.product_id,
            edit.geozone,
            delta=by,
            quantity=quantity,
            expected_quantity=None if quantity is None else edit.seen,
            reason=edit.reason.strip() or said(REASON),
            idempotency_key=edit.key and f"sheet:{edit.key}",
            actor=actor,
        )
    except StockChangedMeanwhile:
        return _overtaken(edit, quantity or 0)
    except DomainError as refusal:
        told = " ".join(reason.message(staff_language()) for reason in refusal)
        return _as_it_is(edit, CellState.REFUSED, told, quantity)
    return _outcome(adjusted.document, edit.geozone, CellState.SAVED)


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
