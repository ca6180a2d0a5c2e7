from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join

from cart.models import AbandonedCartDay
from catalog.structure.names import GEOZONE_NAMES, geozone_name
from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles

NOT_SAID = Text("не выбрана", "not chosen")


class ByGeozone(admin.SimpleListFilter):
    title = "геозона"
    parameter_name = "geozone"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(GEOZONE_NAMES.get().items())

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(geozone=self.value()) if self.value() else queryset


@admin.register(AbandonedCartDay)
class AbandonedCartDayAdmin(ReadOnlyAdmin):
    """The daily figures, for reading only: they are computed."""

    titles = Titles(
        several=Text("Брошенные корзины по дням", "Abandoned carts by day"),
        one=Text("Брошенные корзины за день", "Abandoned carts of a day"),
    )
    figures = ("day", "shown_geozone", "carts", "abandoned", "rate", "ordered", "conversion", "lost_value")
    list_display = (*figures, "computed_at")
    list_filter = ("day", ByGeozone)
    fields = (*figures, "shown_products", "computed_at")

    @admin.display(description="геозона")
    def shown_geozone(self, day: AbandonedCartDay) -> str:
        return geozone_name(day.geozone) or said(NOT_SAID)

    @admin.display(description="доля брошенных")
    def rate(self, day: AbandonedCartDay) -> str:
        return _percent(day.abandoned, day.carts)

    @admin.display(description="конверсия")
    def conversion(self, day: AbandonedCartDay) -> str:
        return _percent(day.ordered, day.carts)

    @admin.display(description="товары в брошенных")
    def shown_products(self, day: AbandonedCartDay) -> str:
        rows = (
            (product.name, product.product_id, product.quantity, product.carts, product.lost_value)
            for product in day.products
        )
        return format_html_join("", "<div>{} ({}): {} шт. в {} корзинах, {}</div>", rows)


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "—"
