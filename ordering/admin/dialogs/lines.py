"""Dialogs that go line by line: a refund of goods, and the cancellation of an order that is paid and not sent."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django import forms
from django.forms.boundfield import BoundField

from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.widgets import dress
from ordering.admin.dialogs.dialog import WithReason, WithReference
from ordering.admin.dialogs.money import RefundDialog
from ordering.documents import OrderDocument, OrderItem
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import reference_of
from ordering.models import OrderStatus
from ordering.payments.cancellation import SENT, Cancelling, cancel_paid
from ordering.payments.refunds import Refunding, refund_order

REFUNDED = Text("Вернуть деньги за, шт.", "Refund, pieces")
PUT_BACK = Text("Вернуть на склад, шт.", "Put back on the shelf, pieces")
LEFT = Text("{name}: {left} шт. по {price}", "{name}: {left} at {price}")


class LineRow(NamedTuple):
    """The fields of one line, for the template."""

    title: str
    quantity: BoundField | None
    put_back: BoundField


class LinesForm(WithReason, WithReference):
    """How many pieces of each line go back on the shelf.

    A field is named by the place of its line in the order. What was typed for a line of which a colleague has refunded
    the rest meanwhile stays, and the action says what is wrong with it.
    """

    def __init__(self, *args: Any, order: OrderDocument, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lines: dict[int, OrderItem] = {
            index: item
            for index, item in enumerate(order["items"])
            if item["quantity"] > item["refunded"] or f"put_back_{index}" in self.data
        }
        for index, item in self.lines.items():
            self.add_line(index, item["quantity"] - item["refunded"])
        dress(field for name, field in self.fields.items() if name.startswith(("quantity_", "put_back_")))
        self.order_fields(["key", *(name for name in self.fields if "_" in name), "reason", "reference"])

    def add_line(self, index: int, left: int) -> None:
        """Add the fields of a line of which so many pieces are left. It was never sent: all of them go back."""
        self.fields[f"put_back_{index}"] = pieces_field(said(PUT_BACK), left, initial=left)

    @property
    def rows(self) -> list[LineRow]:
        return [self._row(index, item) for index, item in self.lines.items()]

    @property
    def further(self) -> list[BoundField]:
        """The fields that stand below the lines."""
        return [self[name] for name in ("reason", "reference")]

    @property
    def put_back(self) -> dict[str, int]:
        pieces = {item["product_id"]: self.pieces("put_back", index) for index, item in self.lines.items()}
        return {product_id: number for product_id, number in pieces.items() if number}

    def pieces(self, kind: str, index: int) -> int:
        return self.cleaned_data.get(f"{kind}_{index}") or 0

    def field_of(self, path: Sequence[str | int]) -> str | None:
        if path and path[0] == "put_back" and len(path) > 1:
            named = [index for index, item in self.lines.items() if item["product_id"] == path[1]]
            return f"put_back_{named[0]}" if named else None
        return super().field_of(path)

    def _row(self, index: int, item: OrderItem) -> LineRow:
        left = item["quantity"] - item["refunded"]
        title = said(LEFT, name=item["name"], left=left, price=money_text(item["price"].to_decimal()))
        quantity = self[f"quantity_{index}"] if f"quantity_{index}" in self.fields else None
        return LineRow(title, quantity, self[f"put_back_{index}"])


class RefundLinesForm(LinesForm):
    """How many pieces of each line are refunded, and how many of those go back on the shelf."""

    def add_line(self, index: int, left: int) -> None:
        self.fields[f"quantity_{index}"] = pieces_field(said(REFUNDED), left, initial=0)
        self.fields[f"put_back_{index}"] = pieces_field(said(PUT_BACK), left, initial=0)

    @property
    def refunded(self) -> tuple[RefundLine, ...]:
        return tuple(
            RefundLine(self.lines[index]["product_id"], self.pieces("quantity", index)) for index in self._asked
        )

    @property
    def _asked(self) -> list[int]:
        return [index for index in self.lines if self.pieces("quantity", index)]

    def field_of(self, path: Sequence[str | int]) -> str | None:
        """A line of the action is one of those asked for; a refusal of all of them stands above the form."""
        if path and path[0] == "lines":
            return f"quantity_{self._asked[int(path[1])]}" if len(path) > 1 else None
        return super().field_of(path)


class RefundLines(RefundDialog):
    name = "refund"
    title = Text("Вернуть деньги за товары", "Refund goods")
    submit = Text("Вернуть деньги", "Refund")
    form_class = RefundLinesForm
    template_name = "ordering/admin/lines_dialog.html"

    def form_arguments(self) -> dict[str, Any]:
        return {"order": self.subject}

    def act(self, form: RefundLinesForm, actor: Actor) -> None:
        reference = reference_of(form.cleaned_data["reference"], "reference")
        refunding = Refunding(form.refunded, form.cleaned_data["reason"], reference, form.put_back, actor)
        refund_order(self.object_id, refunding, owner=self.subject["owner"], limit=self.limit())


class CancelPaid(RefundDialog):
    name = "cancel-paid"
    title = Text("Отменить оплаченный заказ", "Cancel the paid order")
    submit = Text("Отменить и вернуть деньги", "Cancel and refund")
    form_class = LinesForm
    template_name = "ordering/admin/lines_dialog.html"

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return super().is_offered(subject) and OrderStatus(subject["status"]) not in SENT

    def form_arguments(self) -> dict[str, Any]:
        return {"order": self.subject}

    def act(self, form: LinesForm, actor: Actor) -> None:
        reference = reference_of(form.cleaned_data["reference"], "reference")
        cancelling = Cancelling(form.cleaned_data["reason"], reference, form.put_back, actor)
        cancel_paid(self.object_id, cancelling, owner=self.subject["owner"], limit=self.limit())


def pieces_field(label: str, most: int, *, initial: int) -> forms.IntegerField:
    """A number of pieces. Where none is left any more the action says why."""
    return forms.IntegerField(label=label, min_value=0, max_value=most or None, initial=initial, required=False)
