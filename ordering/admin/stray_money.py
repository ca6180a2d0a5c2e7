"""Money that fits no order, as staff see it. It is settled here: there is no order elsewhere to do it with."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import Read, run
from gateway.paging import Page, Placed, Position, Slice, SortKey, page_of, ranges_beyond, reading_order
from gateway.staff.forms import ActionForm, SavedByItsForm
from gateway.staff.language import said
from gateway.staff.lists import UNCOUNTED, Asked, Choice, PagedByKey
from gateway.staff.money import money_text
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.times import time_text
from gateway.staff.titles import Titles
from ordering.admin.dialogs.dialog import REFUND
from ordering.admin.words import Label, lazily_said, shown_label
from ordering.documents import StrayMoneyDocument
from ordering.ledger.references import reference_of
from ordering.models import StrayMoney, StrayReason
from ordering.payments.stray_money import settle_stray
from ordering.reading.queues import COUNTED, STRAY, count_of, waiting_in

NEWEST = SortKey("at", -1)
BY_TIME = "at_-1__id_-1"

TYPES: Mapping[str, Text] = {
    "payment.succeeded": Text("платёж", "payment"),
    "refund.succeeded": Text("возврат", "refund"),
    "refund.failed": Text("возврат не прошёл", "failed refund"),
    "chargeback.created": Text("отозвано банком", "chargeback"),
    "chargeback.reversed": Text("банк вернул отозванное", "reversed chargeback"),
}
REASONS: Mapping[str, Text] = {
    StrayReason.UNKNOWN.value: Text("такого заказа нет", "there is no such order"),
    StrayReason.ARCHIVED.value: Text("заказ в архиве", "the order is archived"),
}
NOT_YET = Text("ещё нет", "not yet")
SETTLED = Text("{time}, {who}", "{time}, {who}")


class Settled(Choice):
    title = lazily_said(Text("улажено", "settled"))
    parameter_name = "settled"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", said(NOT_YET))]


class SettlingForm(ActionForm):
    class Meta:
        model = StrayMoney
        fields = ("settled_reference",)

    def act(self) -> None:
        reference = reference_of(self.cleaned_data["settled_reference"], "settled_reference")
        settle_stray(self.instance.pk, reference, actor=self.actor)


@admin.register(StrayMoney)
class StrayMoneyAdmin(SavedByItsForm, PagedByKey, ReadOnlyAdmin):
    """Nothing of it is edited but how it was settled: under which number it was paid back, or recorded in an order."""

    titles = Titles(
        several=Text("Деньги без заказа", "Money without an order"),
        one=Text("Деньги без заказа", "Money without an order"),
    )
    form = SettlingForm
    list_display = ("shown_time", "shown_type", "shown_amount", "reference", "order", "shown_reason", "shown_settled")
    list_filter = (Settled,)
    fields = (
        *("shown_time", "shown_type", "reference", "shown_amount", "order", "shown_reason"),
        *("settled_reference", "shown_settled"),
    )
    readonly_fields = tuple(name for name in fields if name != "settled_reference")

    @admin.display(description=lazily_said(Text("когда", "time")))
    def shown_time(self, stray: StrayMoney) -> str:
        return time_text(stray.at)

    @admin.display(description=lazily_said(Text("вид", "kind")))
    def shown_type(self, stray: StrayMoney) -> str:
        return said(TYPES[stray.type]) if stray.type in TYPES else stray.type

    @admin.display(description=lazily_said(Text("сумма", "amount")))
    def shown_amount(self, stray: StrayMoney) -> str:
        return money_text(stray.amount) if stray.currency == "RUB" else f"{stray.amount} {stray.currency}"

    @admin.display(description=lazily_said(Text("почему не записано в заказ", "why no order has it")))
    def shown_reason(self, stray: StrayMoney) -> str:
        return said(REASONS[stray.reason])

    @admin.display(description=lazily_said(Text("улажено", "settled")))
    def shown_settled(self, stray: StrayMoney) -> str | SafeString:
        if stray.settled_at is None:
            return shown_label(Label(said(NOT_YET), "warning"))
        return said(SETTLED, time=time_text(stray.settled_at), who=stray.settled_by)

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[StrayMoneyDocument]:
        return run(waiting_in(STRAY, part) if asked.filters else _newest(part))

    def counted(self, request: HttpRequest, asked: Asked) -> int | None:
        count = count_of(STRAY) if asked.filters else COUNTED
        return count if count < COUNTED else UNCOUNTED

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return isinstance(request.user, User) and request.user.has_perm("ordering.view_order")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may refund may settle it, once."""
        may_settle = isinstance(request.user, User) and request.user.has_perm(REFUND)
        return may_settle and (obj is None or obj.settled_at is None)


def _newest(part: Slice) -> Read[Page[StrayMoneyDocument]]:
    return Read(
        collection=StrayMoney._meta.db_table,
        policy=ORDER_STATUS,
        where={"$or": ranges_beyond(NEWEST, part)},
        sort=reading_order(NEWEST, part),
        limit=part.size + 1,
        hint=BY_TIME,
        result=lambda found: page_of([Placed(each, Position(each["at"], each["_id"])) for each in found], part),
    )
