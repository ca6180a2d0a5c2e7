"""Stock of one geozone as it is typed: counted anew, `12`, or moved by so many pieces, `+5` and `−3`."""

import re
from typing import Any, NamedTuple

from django import forms
from unfold.widgets import UnfoldAdminTextInputWidget

from catalog.documents import StockLevel
from gateway.domain.texts import Text
from gateway.staff.language import said

# More digits than any quantity has; the action says how many pieces there may be.
_TYPED = re.compile(r"(?P<sign>[+\-−–]?)(?P<pieces>[0-9]{1,9})")

NOT_PIECES = Text(
    "Укажите число, например 12, или изменение: +5, −3.", "Give a number such as 12, or a change: +5, −3."
)
NO_NUMBER = Text("Укажите число; 0, если товара нет.", "Give a number; 0 if there are none.")
NO_REASON = Text(
    "Остаток меняется: укажите причину, она останется в журнале.",
    "The stock changes: give a reason, it stays in the audit.",
)
WORDS = {
    "geozone": Text("Геозона", "Geozone"),
    "counted": Text("Числится", "Counted"),
    "reserved": Text("В резерве", "Reserved"),
    "available": Text("Свободно", "Available"),
    "wanted": Text("Стало или изменение", "New number or change"),
    "more": Text("На одну больше", "One more"),
    "less": Text("На одну меньше", "One less"),
    "becomes": Text("станет {quantity}, свободно {available}", "will be {quantity}, {available} available"),
    "below": Text("меньше, чем в резерве", "less than what is reserved"),
    "hint": Text(
        "Число — пересчёт: запишется, только если за это время остаток не изменился. +5 или −3 прибавится к тому, что "
        "есть в эту минуту.",
        "A number is a count: it is written only if the stock has not changed meanwhile. +5 or −3 is added to whatever "
        "is there at that moment.",
    ),
}
REASONS = (
    Text("Поставка", "Delivery"),
    Text("Пересчёт", "Stock count"),
    Text("Брак", "Defect"),
    Text("Возврат поставщику", "Returned to the supplier"),
)


class Move(NamedTuple):
    """So many pieces more, or less, than there are."""

    pieces: int


class StockField(forms.Field):
    """A quantity or a `Move`; None for nothing."""

    level: StockLevel | None
    """What is there now; None where the product is not kept."""

    def __init__(self, *, level: StockLevel | None, **kwargs: Any) -> None:
        # No wheel turns a text.
        widget = UnfoldAdminTextInputWidget({"inputmode": "tel", "autocomplete": "off", "size": 6})
        super().__init__(required=False, widget=widget, **kwargs)
        self.level = level

    @property
    def reserved(self) -> int:
        return self.level.get("reserved", 0) if self.level else 0

    @property
    def available(self) -> int:
        return max(0, self.level["quantity"] - self.reserved) if self.level else 0

    def to_python(self, value: Any) -> int | Move | None:
        text = re.sub(r"\s", "", str(value or "")) if not isinstance(value, int) else str(value)
        if not text:
            return None
        found = _TYPED.fullmatch(text)
        if found is None:
            raise forms.ValidationError(said(NOT_PIECES))
        pieces = int(found["pieces"])
        if not found["sign"]:
            return pieces
        return Move(pieces if found["sign"] == "+" else -pieces)


def stock_words() -> dict[str, str]:
    """The words of the table; those with numbers as they are filled in by its script."""
    return {name: said(text, quantity="{quantity}", available="{available}") for name, text in WORDS.items()}


def reasons() -> list[str]:
    """Reasons for which stock is changed as a rule."""
    return [said(text) for text in REASONS]
