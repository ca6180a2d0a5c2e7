"""The list of products: found by any combination of filters, edited in place, handed on to bulk changes and exports."""

from collections.abc import Mapping
from typing import Any, cast

from asgiref.sync import async_to_sync
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import URLPattern, path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from pymongo.errors import ExecutionTimeout, PyMongoError
from unfold.utils import display_for_label

from catalog.admin import list_edits
from catalog.admin.list_panel import Panel, address_of
from catalog.documents import ProductDocument
from catalog.listing import inventory, parameters
from catalog.listing.facet_cache import remembered_facets
from catalog.listing.facets import sampled_facets
from catalog.listing.inventory import Inventory
from catalog.listing.selection import IDS
from catalog.pictures.addresses import thumbnail_of
from catalog.structure.attributes import attributes_of
from catalog.structure.category_tree import CATEGORIES
from catalog.structure.names import category_name, geozone_name
from gateway import deadline
from gateway.accounts.models import User
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.reads import run_steps
from gateway.paging import Page, Slice, SortKey
from gateway.staff.language import said, staff_language
from gateway.staff.lists import UNCOUNTED, Asked, KeysetList, PagedByKey, Typed
from gateway.staff.money import money_text
from gateway.staff.times import time_text

# A page that takes longer is of no use; what is asked for must be narrowed.
PAGE_SECONDS = 5.0
# How many there are is told beside the page, not waited for.
COUNT_SECONDS = 1.0
SUGGEST_SECONDS = 2.0
THUMBNAIL = 64
EDIT = "edit"
SAVE = "_save_list"
# Pairs that a field suggests.
SUGGESTED = 200

FOR_SALE, WITHDRAWN = Text("в продаже", "for sale"), Text("снят", "withdrawn")
COLOURS = {**dict.fromkeys(FOR_SALE, "success"), **dict.fromkeys(WITHDRAWN, "warning")}
# Column of the list → field that an index sorts by.
ORDERS = {"name": "sort_name", "price": "price", "discount": "discount", "edited_at": "edited_at"}

OF = Text("{available} из {quantity}", "{available} of {quantity}")
NOT_KEPT = Text("не заведён", "not kept")
LACKS = {
    "image": Text("нет изображения", "no image"),
    "description": Text("нет описания", "no description"),
    "attributes": Text("нет характеристик", "no attributes"),
}
TOO_LONG = Text(
    "Поиск остановлен: за {seconds} с не просмотрено всё, что нужно. Добавьте категорию или уберите сортировку.",
    "The search was stopped: {seconds} s were not enough. Add a category or take away the order.",
)
CHANGED = Text("Изменено товаров: {count}.", "Products changed: {count}.")
NOTHING_TOUCHED = Text("Ничего не изменено: строки не тронуты.", "Nothing was changed: no row was touched.")
NOT_SAVED = Text("Не сохранено товаров: {count}. Причины — ниже.", "Products not saved: {count}. See below why.")
TICK_SOME = Text("Отметьте товары.", "Tick some products.")


def _typed(name: str) -> type[Typed]:
    title = parameters.NAMES[name].ru if name in parameters.NAMES else name
    return type(f"By{name.title()}", (Typed,), {"title": title, "parameter_name": name})


class ProductChangeList(KeysetList):
    """The list, with its panel and, while it is edited, a form in each row."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        # Its filters stand in the panel.
        self.has_filters = False
        may_change = self.model_admin.has_change_permission(request)
        given = {name: value for name, value in self.asked.filters.items() if name in parameters.PARAMETERS}
        self.is_edited = may_change and EDIT in self.asked.filters
        self.was_stopped = getattr(request, "search_was_stopped", False)
        self.panel = Panel(self, given, self.asked.search, may_change=may_change)
        self.refused: dict[str, list_edits.Row] = getattr(request, "refused_rows", {})
        rows: list[Any] = self.result_list
        for row in rows:
            row.form = (self.refused.get(row.pk) or list_edits.row_of(row.document)) if self.is_edited else None


class ProductList(PagedByKey):
    """The list half of the admin of products."""

    list_display = (
        *("shown_picture", "shown_name", "shown_category", "shown_price", "shown_discount", "shown_levels"),
        *("shown_state", "shown_edited"),
    )
    list_display_links = ("shown_name",)
    list_filter = tuple(_typed(name) for name in (*parameters.PARAMETERS, EDIT))
    change_list_template = "catalog/admin/product_list.html"
    ordering = ("id",)
    sortable_by = ("shown_name", "shown_price", "shown_discount", "shown_edited")
    search_fields = ("id",)
    search_help_text = "Артикул целиком или слова из названия и описания."
    actions = ("change_chosen", "export_chosen")

    @admin.display(description="фото")
    def shown_picture(self, product: Any) -> SafeString:
        images = product.document.get("images") or []
        url = thumbnail_of(images[0] if images else None, THUMBNAIL)
        return format_html('<img src="{}" alt="" width="48" height="48" loading="lazy" class="product-picture">', url)

    @admin.display(description="название", ordering="name")
    def shown_name(self, product: Any) -> SafeString:
        lacks = [said(LACKS[part]) for part in product.document.get("missing", ()) if part in LACKS]
        told = format_html('<span class="product-lacks">{}</span>', ", ".join(lacks)) if lacks else ""
        return format_html('{}<span class="product-id">{}</span>{}', product.name, product.pk, told)

    @admin.display(description="категория")
    def shown_category(self, product: Any) -> str:
        return category_name(product.category)

    @admin.display(description="цена", ordering="price")
    def shown_price(self, product: Any) -> SafeString | str:
        if getattr(product, "form", None):
            return _fields(product.form, "base_price", "sale_price")
        prices = product.document["prices"]
        base, price = prices["base"].to_decimal(), product.price
        if price == base:
            return money_text(price)
        return format_html('{}<s class="product-old-price">{}</s>', money_text(price), money_text(base))

    @admin.display(description="скидка", ordering="discount")
    def shown_discount(self, product: Any) -> str:
        discount = product.document.get("discount") or 0
        return f"−{discount} %" if discount else "—"

    @admin.display(description="остаток")
    def shown_levels(self, product: Any) -> SafeString | str:
        levels = product.document.get("stock") or []
        if not levels:
            return said(NOT_KEPT)
        marks = set(product.document.get("shelf") or ())
        rows = [
            (
                next((mark for mark in ("none", "low") if f"{level['geozone']}:{mark}" in marks), "some"),
                geozone_name(level["geozone"]),
                said(OF, available=level["quantity"] - level.get("reserved", 0), quantity=level["quantity"]),
            )
            for level in levels
        ]
        return format_html_join("", '<div class="product-stock-{}">{}: {}</div>', rows)

    @admin.display(description="состояние")
    def shown_state(self, product: Any) -> SafeString:
        if getattr(product, "form", None):
            return _fields(product.form, "state")
        state: SafeString = display_for_label(said(WITHDRAWN if product.withdrawn else FOR_SALE), "", COLOURS)
        return state

    @admin.display(description="изменён", ordering="edited_at")
    def shown_edited(self, product: Any) -> SafeString:
        document = product.document
        moment = document.get("edited_at") or document["updated_at"]
        return format_html('{}<span class="product-editor">{}</span>', time_text(moment), document.get("edited_by", ""))

    @admin.action(description="Изменить отмеченные", permissions=["change"])
    def change_chosen(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse:
        return _lead_on(request, "admin:bulk_change")

    @admin.action(description="Выгрузить отмеченные", permissions=["view"])
    def export_chosen(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse:
        return _lead_on(request, "admin:export_products")

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Those whose pages there are; while the list is edited, none: its form is another one."""
        pages = {"change_chosen": "admin:bulk_change", "export_chosen": "admin:export_products"}
        if request.GET.get(EDIT):
            return {}
        return {
            name: action for name, action in super().get_actions(request).items() if address_of(pages.get(name, ""))
        }

    def get_urls(self) -> list[URLPattern]:
        suggestions = self.admin_site.admin_view(self.suggestions_view)
        return [path("suggestions/", suggestions, name="catalog_product_suggestions"), *super().get_urls()]

    def suggestions_view(self, request: HttpRequest) -> HttpResponse:
        """Attributes that are declared for the category, and those of its products with their values."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        tree = CATEGORIES.get()
        category = request.GET.get(parameters.CATEGORY, "")
        within = tree.within(category) if category else tuple(tree.nodes)
        leaves = [slug for slug in within if not tree.children(slug)]
        declared = [{"name": each.name, "type": each.type.value, "unit": each.unit} for each in attributes_of(category)]
        return JsonResponse({"declared": declared, "pairs": _suggested(leaves)})

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[KeysetList]:
        return ProductChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.method == "POST" and SAVE in request.POST:
            if not self.has_change_permission(request):
                raise PermissionDenied
            saved = list_edits.save(request.POST, Actor.account(cast("User", request.user), Source.ADMIN))
            if saved.changed:
                messages.success(request, said(CHANGED, count=saved.changed))
            if not saved.refused:
                if not saved.changed:
                    messages.info(request, said(NOTHING_TOUCHED))
                return HttpResponseRedirect(request.get_full_path())
            messages.error(request, said(NOT_SAVED, count=len(saved.refused)))
            request.refused_rows = saved.refused  # type: ignore[attr-defined]
            request.method = "GET"
        return super().changelist_view(request, extra_context)

    def known(self, request: HttpRequest) -> set[str]:
        return super().known(request) - {EDIT}

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[ProductDocument]:
        """One walk of an index, or a few thousand keys; a filter that makes no sense finds nothing and is named."""
        try:
            with deadline.within(PAGE_SECONDS):
                return run_steps(inventory.page(_inventory(asked), part))
        except DomainError as refusal:
            for reason in refusal:
                messages.error(request, reason.message(staff_language()))
        except ExecutionTimeout:
            messages.warning(request, said(TOO_LONG, seconds=round(PAGE_SECONDS)))
            request.search_was_stopped = True  # type: ignore[attr-defined]
        return Page([], has_next=False, has_previous=False)

    def counted(self, request: HttpRequest, asked: Asked) -> int | None:
        try:
            with deadline.within(COUNT_SECONDS):
                return run_steps(inventory.count(_inventory(asked)))
        except ExecutionTimeout:
            return UNCOUNTED


def _inventory(asked: Asked) -> Inventory:
    return parameters.inventory_of(asked.filters, asked.search, _order(asked.order))


def _order(asked: str) -> SortKey | None:
    field = ORDERS.get(asked.removeprefix("-"))
    return SortKey(field, -1 if asked.startswith("-") else 1) if field else None


def _fields(form: list_edits.Row, *names: str) -> SafeString:
    """Fields of the row, each with what is wrong about it; with the first goes what concerns the whole row."""
    parts = []
    if names[0] == "base_price":
        hidden = format_html('<input type="hidden" name="{}" value="{}">{}', list_edits.ROW, form.prefix, form["seen"])
        parts.append(format_html("{}{}", hidden, _errors(form.non_field_errors())))
    parts += [format_html("{}{}", form[name], _errors(form[name].errors)) for name in names]
    return format_html('<div class="product-fields">{}</div>', format_html_join("", "{}", ((part,) for part in parts)))


def _errors(errors: Any) -> SafeString:
    return format_html_join("", '<p class="product-refusal">{}</p>', ((error,) for error in errors))


def _suggested(leaves: list[str]) -> list[str]:
    if not leaves:
        return []
    try:
        with deadline.within(SUGGEST_SECONDS):
            facets = async_to_sync(remembered_facets)(sampled_facets(leaves))
    except PyMongoError:
        return []
    return [f"{facet.name}={value.value}" for facet in facets for value in facet.values][:SUGGESTED]


def _lead_on(request: HttpRequest, page: str) -> HttpResponse:
    ids: Mapping[str, str] | list[str] = request.POST.getlist(ACTION_CHECKBOX_NAME)
    return HttpResponseRedirect(f"{address_of(page)}?{IDS}={','.join(ids)}")
