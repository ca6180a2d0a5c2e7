"""Dialogs that move an order along its life."""

from typing import Any, ClassVar

from django import forms

from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.staff.forms import DialogForm
from gateway.staff.language import said
from ordering.admin.dialogs.dialog import CHANGE, OrderDialog, WithReason, may_become
from ordering.documents import OrderDocument
from ordering.lifecycle.moves import MAX_NOTE, advance_order, cancel_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus

NOTE = Text("Заметка для сотрудников, если нужна", "A note for staff, if needed")
NO_TRACKING = Text(
    "Трек-номера ещё нет. Укажите его раньше, и он будет в письме покупателю.",
    "There is no tracking number yet. Give it first, and the letter to the buyer will have it.",
)


class AdvanceForm(DialogForm):
    note = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 2}), max_length=MAX_NOTE)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["note"].label = said(NOTE)


class Advance(OrderDialog):
    """One step on the way to the buyer; a subclass for each step."""

    to: ClassVar[OrderStatus]
    permissions = (CHANGE,)
    form_class = AdvanceForm

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return may_become(subject, cls.to)

    def act(self, form: AdvanceForm, actor: Actor) -> None:
        note = form.cleaned_data["note"]
        advance_order(self.object_id, self.to, actor=actor, note=note, owner=self.subject["owner"])


class Pack(Advance):
    name = "pack"
    to = OrderStatus.PROCESSING
    title = Text("Передать в сборку", "Give to packing")
    submit = Text("Передать в сборку", "Give to packing")


class Ship(Advance):
    name = "ship"
    to = OrderStatus.SHIPPED
    title = Text("Отправить", "Ship")
    submit = Text("Отправить", "Ship")

    def warning(self) -> str:
        return "" if self.subject.get("tracking") else said(NO_TRACKING)


class Deliver(Advance):
    name = "deliver"
    to = OrderStatus.DELIVERED
    title = Text("Отметить доставленным", "Mark as delivered")
    submit = Text("Отметить доставленным", "Mark as delivered")


class CancelUnpaid(OrderDialog):
    name = "cancel"
    title = Text("Отменить заказ", "Cancel the order")
    submit = Text("Отменить заказ", "Cancel the order")
    permissions = (CHANGE,)
    form_class = WithReason
    is_dangerous = True

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return may_become(subject, OrderStatus.CANCELLED)

    def act(self, form: WithReason, actor: Actor) -> None:
        reason = form.cleaned_data["reason"]
        cancel_order(self.object_id, who=Who.STAFF, actor=actor, reason=reason, owner=self.subject["owner"])
