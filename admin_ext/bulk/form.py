"""The form in which a person says what shall become of the products of a selection."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from admin_ext.bulk.words import DIRECTIONS, MINUS
from catalog.admin.categories import leaf_choices
from catalog.bulk.change import BulkChange, checked_change
from catalog.bulk.operations import (
    AddStock,
    Discount,
    EndDiscount,
    Move,
    Operation,
    Prices,
    Round,
    SetAttribute,
    SetPrice,
    SetStock,
    ShiftByAmount,
    ShiftByPercent,
    Withdraw,
)
from catalog.bulk.rounding import Direction, Ending
from catalog.products.drafts import MAX_ATTRIBUTE_NAME, MAX_ATTRIBUTE_VALUE, MAX_QUANTITY
from catalog.stock.adjust import MAX_REASON
from catalog.structure.geozones import all_geozones
from gateway.domain.errors import Code, DomainError
from gateway.domain.input import normal_key
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.forms import TellsRefusals
from gateway.staff.language import said
from gateway.staff.money import MoneyField
from gateway.staff.widgets import dress

KEEP = Text("— не менять —", "— leave as it is —")
Choices = Sequence[tuple[str, Text]]

PRICE_ACTIONS: Choices = (
    ("", KEEP),
    ("percent", Text("изменить на %", "change by %")),
    ("amount", Text("изменить на ₽", "change by ₽")),
    ("set", Text("назначить, ₽", "set, ₽")),
    ("discount", Text("скидка, % от обычной цены", "discount, % of the base price")),
    ("end", Text("снять скидку", "end the discount")),
)
PRICES: Choices = (
    (Prices.BOTH.value, Text("обычную и со скидкой", "base and sale price")),
    (Prices.BASE.value, Text("обычную", "base price")),
    (Prices.SALE.value, Text("со скидкой", "sale price")),
)
ENDINGS: Choices = (
    ("", Text("— не округлять —", "— do not round —")),
    (Ending.WHOLE.value, Text("до рубля: 1 234,00", "to whole roubles: 1 234.00")),
    (Ending.NINETY_KOPECKS.value, Text("до ,90: 1 233,90", "to .90: 1 233.90")),
    (Ending.NINE.value, Text("до 9: 1 239", "to 9: 1 239")),
    (Ending.NINETY_NINE.value, Text("до 99: 1 199", "to 99: 1 199")),
)
WAYS: Choices = tuple((direction.value, text) for direction, text in DIRECTIONS.items())
STATES: Choices = (
    ("", KEEP),
    ("withdraw", Text("снять с продажи", "withdraw")),
    ("return", Text("вернуть в продажу", "return to sale")),
)
ATTRIBUTE_ACTIONS: Choices = (("", KEEP), ("set", Text("задать", "set")), ("remove", Text("убрать", "remove")))
STOCK_ACTIONS: Choices = (
    ("", KEEP),
    ("add", Text("добавить или убавить", "add or take away")),
    ("set", Text("назначить", "set")),
)
LABELS: Mapping[str, Text] = {
    "price_action": Text("Цена", "Price"),
    "number": Text("На сколько или сколько", "By how much, or how much"),
    "prices": Text("Какую цену", "Which price"),
    "ending": Text("Округлить", "Round"),
    "direction": Text("В какую сторону", "Which way"),
    "state": Text("Продажа", "Sale"),
    "attribute_action": Text("Характеристика", "Attribute"),
    "attribute_name": Text("Название", "Name"),
    "attribute_value": Text("Значение", "Value"),
    "category": Text("Перенести в категорию", "Move to the category"),
    "stock_action": Text("Остаток", "Stock"),
    "geozone": Text("Геозона", "Geozone"),
    "pieces": Text("Штук", "Pieces"),
    "reason": Text("Причина", "Reason"),
}
HINTS: Mapping[str, Text] = {
    "number": Text(
        "−10 — дешевле, 10 — дороже; у скидки — её размер.", "−10 is cheaper, 10 dearer; of a discount, its size."
    ),
    "direction": Text("Из двух одинаково близких берётся меньшая.", "Of two that are equally near, the lower."),
    "pieces": Text("−5 убавит пять.", "−5 takes five away."),
    "reason": Text("Останется в журнале изменений.", "Is kept in the audit."),
}
FIELD_OF = {
    "percent": "number",
    "amount": "number",
    "name": "attribute_name",
    "value": "attribute_value",
    "quantity": "pieces",
}
GROUPS = (
    ("price_action", "number", "prices", "ending", "direction"),
    ("state", "category"),
    ("attribute_action", "attribute_name", "attribute_value"),
    ("stock_action", "geozone", "pieces"),
    ("reason",),
)
STOCK_FIELDS = GROUPS[3]

_SIGN = re.compile(rf"^([+\-{MINUS}–])?(.*?)%?$", re.DOTALL)


class SignedNumber(MoneyField):
    """A number as people type it, with a sign and perhaps «%»: «−10 %», «+ 1 500,50»."""

    def to_python(self, value: Any) -> Decimal | None:
        if value is None or isinstance(value, Decimal):
            return value
        found = _SIGN.match(normal_key(str(value)).replace(" ", ""))
        assert found is not None  # noqa: S101 - the pattern fits everything
        number = super().to_python(found[2])
        return -number if number is not None and found[1] in ("-", MINUS, "–") else number


class BulkForm(TellsRefusals, forms.Form):
    price_action = forms.ChoiceField(required=False)
    number = SignedNumber(required=False)
    prices = forms.ChoiceField(required=False)
    ending = forms.ChoiceField(required=False)
    direction = forms.ChoiceField(required=False)
    state = forms.ChoiceField(required=False)
    category = forms.ChoiceField(required=False)
    attribute_action = forms.ChoiceField(required=False)
    attribute_name = forms.CharField(required=False, max_length=MAX_ATTRIBUTE_NAME)
    attribute_value = forms.CharField(required=False, max_length=MAX_ATTRIBUTE_VALUE)
    stock_action = forms.ChoiceField(required=False)
    geozone = forms.ChoiceField(required=False)
    pieces = forms.IntegerField(required=False, min_value=-MAX_QUANTITY, max_value=MAX_QUANTITY)
    reason = forms.CharField(required=False, max_length=MAX_REASON)

    def __init__(self, *args: Any, may_change_stock: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_change_stock:
            for name in STOCK_FIELDS:
                del self.fields[name]
        choices: dict[str, Choices] = {
            "price_action": PRICE_ACTIONS,
            "prices": PRICES,
            "ending": ENDINGS,
            "direction": WAYS,
            "state": STATES,
            "attribute_action": ATTRIBUTE_ACTIONS,
            "stock_action": STOCK_ACTIONS,
        }
        for name, field in self.fields.items():
            field.label, field.help_text = said(LABELS[name]), said(HINTS[name]) if name in HINTS else ""
            if name in choices:
                field.choices = [(value, said(text)) for value, text in choices[name]]  # type: ignore[attr-defined]
        self.fields["category"].choices = [("", said(KEEP)), *leaf_choices()]  # type: ignore[attr-defined]
        if may_change_stock:
            zones = [(zone.code, zone.name) for zone in run(all_geozones())]
            self.fields["geozone"].choices = zones  # type: ignore[attr-defined]
        dress(self.fields.values())

    def field_of(self, path: Sequence[str | int]) -> str | None:
        return super().field_of([FIELD_OF.get(str(each), each) for each in path[:1]])

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.errors:
            return cleaned
        try:
            self.change: BulkChange = checked_change(self._operations())
        except DomainError as refusal:
            self.tell(self.reasons(refusal))
        return cleaned

    def groups(self) -> list[list[forms.BoundField]]:
        """The fields as they stand together on the page."""
        groups = [[self[name] for name in names if name in self.fields] for names in GROUPS]
        return [group for group in groups if group]

    def _operations(self) -> Iterator[Operation]:
        given = self.cleaned_data
        yield from self._pricing(given["price_action"])
        if given["state"]:
            yield Withdraw(withdrawn=given["state"] == "withdraw")
        if given["attribute_action"]:
            removed = given["attribute_action"] == "remove"
            yield SetAttribute(given["attribute_name"].strip(), None if removed else given["attribute_value"].strip())
        if given["category"]:
            yield Move(given["category"])
        if action := given.get("stock_action"):
            pieces = given["pieces"]
            if pieces is None:
                raise NumberNeeded("pieces")
            yield AddStock(given["geozone"], pieces) if action == "add" else SetStock(given["geozone"], pieces)

    def _pricing(self, action: str) -> Iterator[Operation]:
        given = self.cleaned_data
        prices, number = Prices(given["prices"] or Prices.BOTH.value), given["number"]
        if action in ("percent", "amount", "set", "discount"):
            if number is None:
                raise NumberNeeded("number")
            yield _priced(action, number, prices)
        elif action == "end":
            yield EndDiscount()
        if given["ending"]:
            rounds = {"discount": Prices.SALE, "end": Prices.BOTH}.get(action, prices)
            yield Round(Ending(given["ending"]), Direction(given["direction"] or Direction.NEAREST.value), rounds)


def _priced(action: str, number: Decimal, prices: Prices) -> Operation:
    match action:
        case "percent":
            return ShiftByPercent(number, prices)
        case "amount":
            return ShiftByAmount(number, prices)
        case "set":
            return SetPrice(number, prices)
    return Discount(abs(number))


class NumberNeeded(DomainError):
    code = Code.REQUIRED
    text = Text("Укажите число.", "Give a number.")
