"""Dialogs by which a discount of a product is planned, and cancelled or ended early."""

from datetime import UTC, datetime
from typing import Any, ClassVar

from django import forms
from django.http import Http404

from catalog.admin.product.dialog import CHANGE, MAX_REASON, LabelledForm, ProductDialog
from catalog.discounts.plans import NewDiscount, Overlap, State, discounts_of, plan_discount
from catalog.discounts.turns import cancel_discount
from catalog.documents import Discount, ProductDocument
from catalog.errors import DiscountsOverlap
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.language import said, staff_language
from gateway.staff.money import MoneyField, money_text
from gateway.staff.times import MomentField, time_text, zone_text

PRICES = Text("{name}: цена {base}.", "{name}: the price is {base}.")
PRICES_ON_SALE = Text("{name}: цена {base}, сейчас со скидкой {sale}.", "{name}: the price is {base}, now {sale}.")
PLANNED = Text("Скидка запланирована: {starts} – {ends}.", "The discount is planned: {starts} – {ends}.")
CANCELLED = Text("Скидка отменена.", "The discount was cancelled.")
ENDED = Text("Скидка закончена, вернулась прежняя цена.", "The discount was ended, the price from before is back.")
ENDED_BUT_LEFT = Text(
    "Скидка закончена. Цену за это время изменили: она оставлена как есть.",
    "The discount was ended. Somebody had changed the price meanwhile: it was left.",
)
NEVER_BEGINS = Text("Скидка {starts} – {ends} не начнётся.", "The discount {starts} – {ends} will not begin.")
ENDS_NOW = Text(
    "Скидка идёт с {starts}. Она кончится сейчас, и вернётся прежняя цена, если её за это время не меняли.",
    "The discount has run since {starts}. It ends now, and the price from before comes back unless it was changed.",
)


class PlanForm(LabelledForm):
    percent = forms.IntegerField(
        required=False, widget=forms.TextInput({"inputmode": "numeric", "autocomplete": "off"})
    )
    sale_price = MoneyField(required=False)
    starts_at = MomentField(required=False)
    ends_at = MomentField()
    reason = forms.CharField(required=False, max_length=MAX_REASON)

    labels: ClassVar = {
        "percent": Text("Скидка, %", "Discount, %"),
        "sale_price": Text("или цена со скидкой, ₽", "or the sale price, ₽"),
        "starts_at": Text("Начало", "Begins"),
        "ends_at": Text("Конец", "Ends"),
    }
    helps: ClassVar = {
        "percent": Text("От обычной цены, какой она будет в начале.", "Of the base price as it is at the beginning."),
        "starts_at": Text("Пусто — сразу.", "Empty: at once."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("starts_at", "ends_at"):
            field = self.fields[name]
            field.label = f"{field.label} ({zone_text()})"

    def told(self, reason: DomainError) -> str:
        """Another discount's time is told in the shop's zone."""
        if isinstance(reason, Overlap):
            period = f"{time_text(reason.other['starts_at'])} – {time_text(reason.other['ends_at'])}"
            return DiscountsOverlap.text.in_language(staff_language(), period=period)
        return super().told(reason)


class PlanDiscount(ProductDialog):
    name = "plan-discount"
    title = Text("Скидка по расписанию", "Planned discount")
    submit = Text("Запланировать", "Plan")
    permissions = (CHANGE,)
    form_class = PlanForm
    page = "discounts"

    def explained(self) -> str:
        return _prices(self.subject)

    def act(self, form: PlanForm, actor: Actor) -> str:
        given = form.cleaned_data
        starts = given["starts_at"] or datetime.now(UTC)
        wanted = NewDiscount(starts, given["ends_at"], given["sale_price"], given["percent"])
        plan_discount(self.object_id, wanted, actor=actor, reason=given["reason"].strip())
        return said(PLANNED, starts=time_text(starts), ends=time_text(given["ends_at"]))


class CancelForm(LabelledForm):
    discount = forms.CharField(widget=forms.HiddenInput, max_length=36)
    reason = forms.CharField(required=False, max_length=MAX_REASON)


class CancelDiscount(ProductDialog):
    """Which discount is meant stands in the address, and then in the form."""

    name = "cancel-discount"
    title = Text("Отменить скидку", "Cancel the discount")
    submit = Text("Отменить скидку", "Cancel the discount")
    permissions = (CHANGE,)
    form_class = CancelForm
    is_dangerous = True
    page = "discounts"

    discount: Discount

    def find(self, object_id: str) -> ProductDocument | None:
        wanted = self.request.POST.get("discount") or self.request.GET.get("discount")
        found = next((each for each in discounts_of(object_id) if each["id"] == wanted), None)
        if found is None:
            raise Http404
        self.discount = found
        return super().find(object_id)

    def initial(self) -> dict[str, Any]:
        return {"discount": self.discount["id"]}

    def explained(self) -> str:
        text = ENDS_NOW if self.discount["state"] == State.RUNNING.value else NEVER_BEGINS
        period = {name: time_text(self.discount[f"{name}_at"]) for name in ("starts", "ends")}  # type: ignore[literal-required]
        return f"{_prices(self.subject)} {said(text, **period)}"

    def act(self, form: CancelForm, actor: Actor) -> Text:
        given = form.cleaned_data
        done = cancel_discount(self.object_id, given["discount"], actor=actor, reason=given["reason"].strip())
        if "applied" not in done:
            return CANCELLED
        return ENDED_BUT_LEFT if done.get("price_was_left") else ENDED


def _prices(product: ProductDocument) -> str:
    base, price = product["prices"]["base"].to_decimal(), product["price"].to_decimal()
    text = PRICES_ON_SALE if price < base else PRICES
    return said(text, name=product["name"], base=money_text(base), sale=money_text(price))
