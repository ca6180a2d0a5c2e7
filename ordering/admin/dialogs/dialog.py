"""What every dialog about one order has in common."""

from typing import Any

from django import forms

from gateway.domain.texts import Text
from gateway.staff.forms import ActionDialog, DialogForm
from gateway.staff.language import said
from gateway.staff.money import money_text
from ordering.admin.words import status_label
from ordering.documents import OrderDocument
from ordering.ledger.references import MAX_REFERENCE
from ordering.lifecycle.moves import MAX_NOTE
from ordering.lifecycle.transitions import Who, is_legal
from ordering.models import OrderStatus
from ordering.reading.orders import find_order

CHANGE = "ordering.change_order"
REFUND = "ordering.refund_order"

ABOUT = Text("Заказ {number}: {status}, {total}.", "Order {number}: {status}, {total}.")
REASON = Text("Причина", "Reason")
REFERENCE = Text("Номер платежа или возврата", "Reference")
REFERENCE_HELP = Text(
    "Как операция называется в банке или платёжной системе. Тот же номер не проведётся дважды.",
    "What the bank or the payment system calls it. The same is recorded once.",
)


class OrderDialog(ActionDialog):
    """A dialog whose subject is the order as it stands on the primary; an archived one has none."""

    subject: OrderDocument
    template_name = "ordering/admin/dialog.html"

    def find(self, object_id: str) -> OrderDocument | None:
        return find_order(object_id)

    def explained(self) -> str:
        return " ".join(part for part in (self.about(), self.warning()) if part)

    def about(self) -> str:
        """Which order it is."""
        status = status_label(self.subject["status"]).text
        total = money_text(self.subject["total"].to_decimal())
        return said(ABOUT, number=self.subject["number"], status=status, total=total)

    def warning(self) -> str:
        """What the person should know before sending the form."""
        return ""


def may_become(order: OrderDocument, status: OrderStatus) -> bool:
    """Whether staff may move the order there."""
    return is_legal(order["status"], status, Who.STAFF)


class WithReason(DialogForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].label = said(REASON)

    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), max_length=MAX_NOTE)


class WithReference(DialogForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reference"].label = said(REFERENCE)
        self.fields["reference"].help_text = said(REFERENCE_HELP)

    reference = forms.CharField(max_length=MAX_REFERENCE)
