"""Money that fits no order, as staff see it. It is settled here: there is no order elsewhere to do it with."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.staff.forms import ActionForm, SavedByItsForm
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles
from ordering.ledger.references import reference_of
from ordering.models import StrayMoney
from ordering.payments.stray_money import settle_stray


class Settled(admin.SimpleListFilter):
    title = "улажено"
    parameter_name = "settled"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "ещё нет")]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(settled_at=None) if self.value() else queryset


class SettlingForm(ActionForm):
    class Meta:
        model = StrayMoney
        fields = ("settled_reference",)

    def act(self) -> None:
        reference = reference_of(self.cleaned_data["settled_reference"], "settled_reference")
        settle_stray(self.instance.pk, reference, actor=self.actor)


@admin.register(StrayMoney)
class StrayMoneyAdmin(SavedByItsForm, ReadOnlyAdmin):
    """Nothing of it is edited but how it was settled: under which number it was paid back, or recorded in an order."""

    titles = Titles(
        several=Text("Деньги без заказа", "Money without an order"),
        one=Text("Деньги без заказа", "Money without an order"),
    )
    form = SettlingForm
    list_display = ("at", "type", "amount", "currency", "order", "reason", "settled_at", "settled_by")
    list_filter = (Settled,)
    ordering = ("-at", "-id")
    fields = (
        *("at", "type", "reference", "amount", "currency", "order", "reason"),
        *("settled_reference", "settled_at", "settled_by"),
    )
    readonly_fields = tuple(name for name in fields if name != "settled_reference")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return isinstance(request.user, User) and request.user.has_perm("ordering.view_order")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change orders may settle it, once."""
        may_change = isinstance(request.user, User) and request.user.has_perm("ordering.change_order")
        return may_change and (obj is None or obj.settled_at is None)
