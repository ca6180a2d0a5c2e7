"""Dialogs about the money of an order that comes, goes back or is owed."""

from decimal import Decimal
from typing import Any

from django import forms

from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.money import MoneyField, money_text
from gateway.staff.times import time_text
from ordering.admin.dialogs.dialog import REFUND, OrderDialog, WithReason, WithReference, may_become
from ordering.admin.words import KINDS
from ordering.documents import OrderDocument
from ordering.events import STAFF
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import due_back, kept, owed, paid
from ordering.ledger.references import reference_of
from ordering.models import OrderStatus
from ordering.payments.limits import refund_limit
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.payments.refunds import AmountRefunding, refund_amount
from ordering.payments.repayments import Settling, settle_refund

AMOUNT = Text("Сумма", "Amount")
WHICH = Text("За что", "For what")
LIMIT = Text("Без старшего можно вернуть до {limit}.", "Without a senior you may refund up to {limit}.")
LEFT = Text("Осталось оплаченного: {left}.", "Left of what was paid: {left}.")


class RefundDialog(OrderDialog):
    """A dialog by which money goes back, up to what the person may decide alone."""

    permissions = (REFUND,)
    is_dangerous = True

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return may_become(subject, OrderStatus.REFUNDED) and kept(ledger_of(subject)) > 0

    def limit(self) -> Decimal | None:
        return refund_limit(self.request.user)

    def warning(self) -> str:
        left = said(LEFT, left=money_text(max(Decimal(0), kept(ledger_of(self.subject)))))
        limit = self.limit()
        return left if limit is None else f"{left} {said(LIMIT, limit=money_text(limit))}"


class AmountForm(WithReason, WithReference):
    amount = MoneyField()
    field_order = ("key", "amount", "reason", "reference")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["amount"].label = said(AMOUNT)


class RefundAmount(RefundDialog):
    name = "refund-amount"
    title = Text("Вернуть сумму без товара", "Refund an amount, no goods")
    submit = Text("Вернуть деньги", "Refund")
    form_class = AmountForm

    def act(self, form: AmountForm, actor: Actor) -> None:
        data = form.cleaned_data
        reference = reference_of(data["reference"], "reference")
        refunding = AmountRefunding(data["amount"], data["reason"], reference, actor)
        refund_amount(self.object_id, refunding, owner=self.subject["owner"], limit=self.limit())


class SettleForm(WithReference):
    entry = forms.ChoiceField()
    field_order = ("key", "entry", "reference")

    def __init__(self, *args: Any, order: OrderDocument, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ledger = ledger_of(order)
        field = self.fields["entry"]
        field.label = said(WHICH)
        field.choices = [  # type: ignore[attr-defined]
            (entry.id, f"{money_text(amount)}: {said(KINDS[entry.kind])}, {entry.reference}, {time_text(entry.at)}")
            for entry in ledger
            if (amount := owed(ledger, entry)) > 0
        ]


class Settle(OrderDialog):
    name = "settle"
    title = Text("Отметить выплату покупателю", "Record a repayment")
    submit = Text("Деньги отправлены", "The money was sent")
    permissions = (REFUND,)
    form_class = SettleForm

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return due_back(ledger_of(subject)) > 0

    def initial(self) -> dict[str, Any]:
        return {"entry": self.request.GET.get("entry", "")}

    def form_arguments(self) -> dict[str, Any]:
        return {"order": self.subject}

    def act(self, form: SettleForm, actor: Actor) -> None:
        reference = reference_of(form.cleaned_data["reference"], "reference")
        settling = Settling(form.cleaned_data["entry"], reference, actor)
        settle_refund(self.object_id, settling, owner=self.subject["owner"])


class PaymentForm(WithReference):
    amount = MoneyField()
    field_order = ("key", "amount", "reference")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["amount"].label = said(AMOUNT)


class RecordPayment(OrderDialog):
    name = "record-payment"
    title = Text("Записать платёж", "Record a payment")
    submit = Text("Записать платёж", "Record the payment")
    permissions = (REFUND,)
    form_class = PaymentForm

    def initial(self) -> dict[str, Any]:
        missing = self.subject["total"].to_decimal() - paid(ledger_of(self.subject))
        return {"amount": missing} if missing > 0 else {}

    def warning(self) -> str:
        if self.subject["status"] in (OrderStatus.NEW.value, OrderStatus.EXPIRED.value):
            return ""
        return said(NOT_WAITING)

    def act(self, form: PaymentForm, actor: Actor) -> None:
        reference = reference_of(form.cleaned_data["reference"], "reference")
        money = IncomingMoney(form.cleaned_data["amount"], reference, STAFF, actor)
        receive_payment(self.object_id, money, owner=self.subject["owner"])


NOT_WAITING = Text(
    "Этот заказ денег не ждёт: всё записанное станет долгом покупателю.",
    "This order waits for no money: whatever is recorded will be owed to the buyer.",
)
