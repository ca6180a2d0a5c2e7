"""Money as staff read and type it."""

from decimal import Decimal
from typing import Any

from django import forms
from unfold.widgets import CHECKBOX_CLASSES, UnfoldAdminTextInputWidget

from gateway.domain import money
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.language import staff_language

# A price that moves by more than this part of itself is, as often as not, a slip of the finger.
JUMP = Decimal("0.5")
CONFIRMED = "_confirmed"

JUMPS = Text("Цена меняется больше чем наполовину: подтвердите.", "The price changes by more than half: confirm it.")
WAS_AND_WILL_BE = Text("Верно: было {before}, станет {after}", "Yes: it was {before}, it will be {after}")


def money_text(amount: Decimal) -> str:
    """The amount in the language of the member of staff: «25 990,50 ₽»."""
    return money.money_text(amount, staff_language())


class MoneyInput(UnfoldAdminTextInputWidget):
    """A text input, so that no wheel turns the amount; below it, when a jump was seen, the question about it."""

    template_name = "staff/widgets/money.html"

    question: str = ""
    answer: str = ""
    """What a tick answers: the amount that is confirmed, so that another one is asked about again."""
    is_ticked: bool = False

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"inputmode": "decimal", "autocomplete": "off", **(attrs or {})})

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        question = {
            "text": self.question,
            "name": f"{name}{CONFIRMED}",
            "answer": self.answer,
            "is_ticked": self.is_ticked,
            "classes": " ".join(CHECKBOX_CLASSES),
        }
        return {**context, "question": question if self.question else None}


class MoneyField(forms.Field):
    """An amount as people type it: spaces of any kind, comma or point, with or without the sign of the rouble."""

    widget = MoneyInput

    def __init__(self, *, asks_of_jump: bool = False, **kwargs: Any) -> None:
        """`asks_of_jump`: a form that `AsksOfJumps` wants a tick for an amount far from the one there was."""
        super().__init__(**kwargs)
        self.asks_of_jump = asks_of_jump

    def to_python(self, value: Any) -> Decimal | None:
        if value is None or isinstance(value, Decimal):
            return value
        try:
            return money.amount_in(str(value))
        except DomainError as error:
            raise forms.ValidationError(error.message(staff_language())) from error

    def prepare_value(self, value: Any) -> Any:
        """An amount as it would be typed, «25 990,50»; what was typed stays as it is."""
        if not isinstance(value, Decimal):
            return value
        text = f"{value:,.2f}".replace(",", " ")
        return text if staff_language() == "en" else text.replace(".", ",")


class AsksOfJumps(forms.BaseForm):
    """Mixed into a form: no amount leaves the one there was by more than half unless its own tick says so."""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        for name, field in self.fields.items():
            if isinstance(field, MoneyField) and field.asks_of_jump:
                self._ask(name, field)
        return cleaned

    def _ask(self, name: str, field: MoneyField) -> None:
        before, after = self.get_initial_for_field(field, name), self.cleaned_data.get(name)
        if not before or not after or abs(after - before) <= JUMP * before:
            return
        widget = field.widget
        widget.question = WAS_AND_WILL_BE.in_language(
            staff_language(), before=money_text(before), after=money_text(after)
        )
        widget.answer = str(after)
        widget.is_ticked = self.data.get(f"{self.add_prefix(name)}{CONFIRMED}") == widget.answer
        if not widget.is_ticked:
            self.add_error(name, _refusal(JUMPS))


def _refusal(text: Text) -> forms.ValidationError:
    return forms.ValidationError(text.in_language(staff_language()))
