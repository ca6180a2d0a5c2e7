"""The orders as staff see them. Read only: what changes an order is an action, and has its own button elsewhere."""

from datetime import UTC
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.timezone import localtime

from catalog.structure.geozones import all_geozones
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.paging import Slice
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Kind, Ledger, State, due_back, paid, refunded
from ordering.models import Order, OrderStatus
from ordering.reading.lookup import MAX_SOUGHT, lookup
from ordering.reading.orders import find_order

LISTED = ("id", "owner", "number", "created_at", "status", "geozone", "contact", "total", "currency", "to_refund")
KINDS = {
    Kind.PAYMENT: "платёж",
    Kind.REFUND: "возврат",
    Kind.EXCESS: "лишнее",
    Kind.REPAYMENT: "выплата",
    Kind.CHARGEBACK: "отозвано банком",
}
STATES = {State.DUE: "вернуть", State.DONE: "проведено", State.FAILED: "не прошло"}
# As many as a person looks through; more means that the words say too little.
MAX_FOUND = 200


class ByStatus(admin.SimpleListFilter):
    title = "статус"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(OrderStatus.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(status=self.value()) if self.value() else queryset


class ByGeozone(admin.SimpleListFilter):
    title = "геозона"
    parameter_name = "geozone"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(zone.code, zone.name) for zone in run(all_geozones())]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(geozone=self.value()) if self.value() else queryset


class ToRefund(admin.SimpleListFilter):
    title = "деньги"
    parameter_name = "to_refund"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "вернуть деньги")]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(to_refund=True) if self.value() else queryset


@admin.register(Order)
class OrderAdmin(ReadOnlyAdmin):
    titles = Titles(
        several=Text("Заказы", "Orders"),
        one=Text("Заказ", "Order"),
    )
    list_display = ("number", "created_at", "status", "shown_geozone", "shown_contact", "shown_total", "to_refund")
    list_filter = (ByStatus, ByGeozone, ToRefund)
    search_fields = ("number",)
    search_help_text = "Номер заказа, e-mail, телефон в любом виде, имя или id покупателя."
    fieldsets = (
        (None, {"fields": ("number", "status", "created_at", "updated_at", "reserved_until", "geozone")}),
        ("Покупатель", {"fields": ("shown_contact", "shown_address", "user_id")}),
        ("Товары", {"fields": ("shown_lines", "shown_total")}),
        ("Деньги", {"fields": ("shown_money",)}),
        ("История", {"fields": ("shown_timeline",)}),
    )

    @admin.display(description="геозона")
    def shown_geozone(self, order: Order) -> str:
        return order.geozone

    @admin.display(description="получатель")
    def shown_contact(self, order: Order) -> str:
        contact = order.contact
        return f"{contact.name}, {contact.phone}, {contact.email}"

    @admin.display(description="адрес")
    def shown_address(self, order: Order) -> str:
        address = order.shipping_address
        return ", ".join(part for part in (address.postcode, address.city, address.street, address.comment) if part)

    @admin.display(description="сумма")
    def shown_total(self, order: Order) -> str:
        return f"{order.total} {order.currency}"

    @admin.display(description="товары")
    def shown_lines(self, order: Order) -> str:
        rows = (
            (
                item.product_id,
                item.name,
                item.quantity,
                item.price,
                f", возвращено {item.refunded}" * bool(item.refunded),
            )
            for item in order.items
        )
        return format_html_join("", "<div>{} «{}»: {} × {}{}</div>", rows)

    @admin.display(description="деньги")
    def shown_money(self, order: Order) -> str:
        ledger = _ledger(order)
        sums = f"оплачено {paid(ledger):.2f}, возвращено {refunded(ledger):.2f}, вернуть {due_back(ledger):.2f}"
        rows = (
            (
                _time(each.at.replace(tzinfo=UTC)),
                KINDS[each.kind],
                each.amount,
                STATES[each.state],
                each.reference,
                each.actor,
                ", на склад" * each.restocked,
            )
            for each in ledger
        )
        entries = format_html_join("", "<div>{}: {} {}, {} ({}, {}){}</div>", rows)
        return format_html("<div>{}</div>{}", sums, entries)

    @admin.display(description="события")
    def shown_timeline(self, order: Order) -> str:
        rows = (
            (_time(each.at), each.type, OrderStatus(each.status).label, each.actor, f": {each.note}" * bool(each.note))
            for each in order.events
        )
        return format_html_join("", "<div>{}: {}, «{}», {}{}</div>", rows)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Order]:
        """Asks every shard, by an index that each has: staff look through the orders of all owners."""
        return super().get_queryset(request).only(*LISTED)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Newest first, in an order that an index has: the filters' indexes go on by time; without one, ids do."""
        sliced = any(each.parameter_name in request.GET for each in (ByStatus, ByGeozone, ToRefund))
        return ("-created_at", "-id") if sliced else ("-id",)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Order | None:
        """Find it by its id alone, which asks every shard once: the page's address does not name the owner.

        Without ledger and debts, whose amounts and times the ORM cannot take for JSON.
        """
        return Order.objects.defer("money", "stock_due", "mail_due").filter(id=object_id).first()

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        found = run(lookup(term, Slice(MAX_FOUND))).documents if len(term) <= MAX_SOUGHT else []
        if not found:
            return queryset.none(), False
        owners = {order["owner"] for order in found}
        return queryset.filter(owner__in=owners, id__in=[order["_id"] for order in found]), False


def _ledger(order: Order) -> Ledger:
    """The order's ledger, from the document itself: the ORM does not know what an earlier release wrote."""
    document = find_order(order.id, owner=order.owner)
    return ledger_of(document) if document else ()


def _time(moment: Any) -> str:
    return f"{localtime(moment):%d.%m.%Y %H:%M:%S}"
