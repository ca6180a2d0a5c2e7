"""What loading a row would do to the shop: made, changed from what to what, left as it is, or not taken, and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import Any

from catalog.changes.batch import Wanted, preview
from catalog.changes.values import ATTRIBUTE, QUANTITY, Values, attributes_in, draft_of, quantities_in, values_of
from catalog.documents import ProductDocument
from catalog.exchange.cells import image_lines
from catalog.exchange.columns import ID
from catalog.exchange.product_rows import ProductRow
from catalog.products.drafts import ProductDraft, checked
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import Missing
from gateway.domain.texts import Text

# What a new product has where its row says nothing.
_UNSAID: Values = {"description": "", "sale_price": None, "withdrawn": False, "images": []}
_REQUIRED = ("name", "category", "base_price")
# So that what else is wrong with a row without a price is told as well.
_SOME_PRICE = "0.01"
# A discount or a change beyond this part of the price is, as often as not, a slip of the finger.
HALF = Decimal("0.5")


class Kind(Enum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    BAD = "bad"


class Doubt(Enum):
    """What is allowed, and likely to be a mistake."""

    DEEP_DISCOUNT = "deep_discount"
    PRICE_JUMP = "price_jump"


DOUBTS: Mapping[Doubt, Text] = {
    Doubt.DEEP_DISCOUNT: Text("скидка больше 50 %", "a discount over 50 %"),
    Doubt.PRICE_JUMP: Text("цена меняется больше чем вдвое", "the price more than halves or doubles"),
}


@dataclass(frozen=True, slots=True)
class Planned:
    row: ProductRow
    kind: Kind
    changes: Mapping[str, tuple[Any, Any]]
    """Value → (old, new); of a product to be made, every value that its row says."""
    reasons: tuple[DomainError, ...] = ()
    """Why the row is not taken; their paths name the values."""
    doubts: tuple[Doubt, ...] = ()
    category: str = ""
    """Where the product is, or will be."""


def plan_row(row: ProductRow, stored: ProductDocument | None) -> Planned:
    """What loading the row would do to the product, None when there is none with its id."""
    planned = _creation(row) if stored is None else _change(row, stored)
    reasons = (*row.errors, *_unsaid(planned.reasons, row.errors))
    if reasons:
        return replace(planned, kind=Kind.BAD, changes={}, reasons=reasons, doubts=())
    return planned


def refused(row: ProductRow, *reasons: DomainError) -> Planned:
    """The row is not taken, whatever stands in it."""
    return Planned(row, Kind.BAD, {}, (*row.errors, *reasons))


def new_draft(product_id: str, values: Values) -> ProductDraft:
    """The draft of a product to be made, from what its row says."""
    whole = {**_UNSAID, **values}
    return draft_of(product_id, whole, stock=quantities_in(values))


def still_wanted(changes: Mapping[str, tuple[Any, Any]], stored: ProductDocument) -> Wanted:
    """What is left to do of a planned change: what somebody has done already, or done again, is not.

    What somebody has changed to something else since the plan was made becomes a conflict.
    """
    now = values_of(stored)
    left = {field: pair for field, pair in changes.items() if not _is_same(field, now.get(field), pair[1])}
    return Wanted(
        values={field: after for field, (_, after) in left.items()},
        seen={field: before for field, (before, _) in left.items()},
    )


def about_values(
    reasons: Iterable[DomainError], *, attributes: Sequence[str], stock: Sequence[str]
) -> tuple[DomainError, ...]:
    """The reasons of an action with paths that name values; it knows attributes and geozones by their places."""
    return tuple(_about_value(reason, attributes, stock) for reason in reasons)


def _creation(row: ProductRow) -> Planned:
    missing = [Missing(field) for field in _REQUIRED if field not in row.values]
    filled = {"name": "—", "category": "—", "base_price": _SOME_PRICE, **row.values}
    draft = new_draft(row.product_id or "—", filled)
    wrong = about_values(
        (reason for reason in _errors_in(draft) if reason.path[0] != "product_id"),
        attributes=[attribute.name for attribute in draft.attributes],
        stock=[level.geozone for level in draft.stock or ()],
    )
    changes = {field: (None, value) for field, value in row.values.items() if value is not None}
    doubts = _doubts(None, filled)
    category = str(row.values.get("category", ""))
    return Planned(row, Kind.CREATED, changes, (*missing, *wrong), doubts, category)


def _change(row: ProductRow, stored: ProductDocument) -> Planned:
    now = values_of(stored)
    said = _respelled(row.values, now)
    values = {field: value for field, value in said.items() if not _is_same(field, now.get(field), value)}
    category = stored["category"]
    if not values:
        return Planned(row, Kind.UNCHANGED, {}, category=category)
    outcome = preview(stored, Wanted(values))
    reasons = about_values(
        outcome.refusals,
        attributes=list(attributes_in({**now, **values})),
        stock=list(quantities_in(values)),
    )
    kind = Kind.CHANGED if outcome.changes else Kind.UNCHANGED
    return Planned(row, kind, outcome.changes, reasons, _doubts(now, {**now, **values}), category)


def _respelled(values: Values, now: Values) -> dict[str, Any]:
    """The values with the names of attributes as the product spells them: «цвет» is its «Цвет»."""
    own = {name.casefold(): name for name in now if name.startswith(ATTRIBUTE)}
    return {
        own.get(field.casefold(), field)
        if field.startswith(ATTRIBUTE) and field not in now and own.get(field.casefold()) not in values
        else field: value
        for field, value in values.items()
    }


def _is_same(field: str, now: Any, wanted: Any) -> bool:
    if field == "images":
        return image_lines(now or ()) == image_lines(wanted or ())
    if field.startswith(QUANTITY):
        return bool((now or 0) == wanted)
    if isinstance(now, str) and isinstance(wanted, str):
        return _text(now) == _text(wanted)
    return bool(now == wanted)


def _text(text: str) -> str:
    """The text as a sheet gives it back."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _errors_in(draft: ProductDraft) -> tuple[DomainError, ...]:
    try:
        checked(draft)
    except Refused as refusal:
        return tuple(refusal)
    return ()


def _about_value(reason: DomainError, attributes: Sequence[str], stock: Sequence[str]) -> DomainError:
    match reason.path:
        case ("attributes", int(index), *_):
            path = f"{ATTRIBUTE}{attributes[index]}"
        case ("stock", int(index), *_):
            path = f"{QUANTITY}{stock[index]}"
        case ("product_id", *_):
            path = ID
        case (str(first), *_):
            path = first
        case _:
            return reason
    return type(reason)(path, **reason.values)


def _unsaid(reasons: tuple[DomainError, ...], said: tuple[DomainError, ...]) -> list[DomainError]:
    """The reasons about values of which nothing is told yet: a price that is no number is not missing too."""
    told = {reason.path[:1] for reason in said}
    return [reason for reason in reasons if reason.path[:1] not in told]


def _doubts(now: Values | None, values: Values) -> tuple[Doubt, ...]:
    base, sale = Decimal(values["base_price"]), values.get("sale_price")
    before = Decimal(now["base_price"]) if now else base
    is_deep = sale is not None and Decimal(sale) < base * HALF
    is_new = now is None or (now.get("base_price"), now.get("sale_price")) != (values["base_price"], sale)
    jumps = base < before * HALF or base > before / HALF
    return (*([Doubt.DEEP_DISCOUNT] if is_deep and is_new else ()), *([Doubt.PRICE_JUMP] if jumps else ()))
