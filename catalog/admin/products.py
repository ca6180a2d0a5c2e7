from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html_join
from unfold.decorators import display

from catalog.admin.categories import category_paths
from catalog.admin.product_form import STOCK, product_form, stored_product
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.listing import inventory
from catalog.listing.inventory import Inventory
from catalog.listing.parameters import inventory_of
from catalog.listing.routes import State
from catalog.models import Geozone, Product, ProductDirectory
from catalog.structure.geozones import all_geozones
from catalog.structure.names import category_name, geozone_name
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of
from gateway.mongo.reads import run, run_steps
from gateway.paging import Page, Placed, Slice, SortKey
from gateway.staff.forms import SavedByItsForm
from gateway.staff.language import said
from gateway.staff.lists import Asked, Choice, PagedByKey
from gateway.staff.money import money_text
from gateway.staff.titles import Titles

FOR_SALE, WITHDRAWN = Text("в продаже", "for sale"), Text("снят", "withdrawn")
COLOURS = {**dict.fromkeys(FOR_SALE, "success"), **dict.fromkeys(WITHDRAWN, "warning")}
# Column of the list → field that an index sorts by.
ORDERS = {"name": "sort_name", "price": "price", "created_at": "created_at"}


class ByCategory(Choice):
    title = "категория"
    parameter_name = "category"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return category_paths()


class ByState(Choice):
    title = "продажа"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(State.ON_SALE.value, "в продаже"), (State.WITHDRAWN.value, "сняты с продажи")]


@admin.register(Product)
class ProductAdmin(SavedByItsForm, PagedByKey):
    titles = Titles(
        several=Text("Товары", "Products"),
        one=Text("Товар", "Product"),
        new=Text("Новый товар", "New product"),
    )
    list_display = (
        *("id", "name", "shown_category", "shown_price", "shown_available", "shown_state"),
        *("created_at", "updated_at"),
    )
    list_filter = (ByCategory, ByState)
    ordering = ("id",)
    # By a field only products for sale have an index: the list then shows no others.
    sortable_by = ("name", "shown_price", "created_at")
    search_fields = ("id",)
    search_help_text = "Артикул целиком или слова из названия и описания."

    # What those who may only look are shown instead of the form.
    shown = (
        "id",
        "name",
        "shown_category",
        "withdrawn",
        "prices",
        "description",
        "shown_attributes",
        "shown_stock",
        "created_at",
        "updated_at",
    )

    @admin.display(description="категория")
    def shown_category(self, product: Product) -> str:
        return category_name(product.category)

    @admin.display(description="цена", ordering="price")
    def shown_price(self, product: Product) -> str:
        return money_text(product.price)

    @admin.display(description="в наличии")
    def shown_available(self, product: Any) -> str:
        return ", ".join(product.document["available_names"])

    @display(description="состояние", label=COLOURS)
    def shown_state(self, product: Product) -> str:
        return said(WITHDRAWN if product.withdrawn else FOR_SALE)

    @admin.display(description="характеристики")
    def shown_attributes(self, product: Product) -> str:
        return format_html_join("", "<div>{}: {}</div>", product.attributes.items())

    @admin.display(description="остатки")
    def shown_stock(self, product: Product) -> str:
        rows = ((geozone_name(level.geozone), level.quantity, level.reserved) for level in product.stock)
        return format_html_join("", "<div>{}: {}, в резерве {}</div>", rows)

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[Any]:
        """An id is found by the directory; words and filters by one walk of an index."""
        found = run_steps(inventory.page(_inventory(asked), part))
        names = {zone.code: zone.name for zone in run(all_geozones())}
        return Page(
            [Placed(_with_names(document, names), position) for document, position in found.placed],
            has_next=found.has_next,
            has_previous=found.has_previous,
        )

    def counted(self, request: HttpRequest, asked: Asked) -> int | None:
        return run_steps(inventory.count(_inventory(asked)))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Product | None:
        """The product by two targeted reads: the directory tells its category."""
        address = _address(object_id)
        return Product.objects.filter(**address).first() if address else None

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if not self._edits(request, obj):
            return [(None, {"fields": list(self.shown)})]
        stock = [f"{STOCK}{geozone.code}" for geozone in Geozone.objects.all()] if _moves_stock(request) else []
        return [
            (None, {"fields": [*([] if obj else ["product_id"]), "name", "category", "withdrawn", "seen", "clashed"]}),
            ("Цены", {"fields": [("base_price", "sale_price")]}),
            *([("Остатки", {"fields": stock})] if stock else []),
            ("Описание", {"fields": ["description", "attributes", "images"]}),
            ("Журнал", {"fields": ["reason"]}),
        ]

    def get_form(self, request: Any, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if not self._edits(request, obj):
            return super().get_form(request, obj, change, **{**kwargs, "fields": ()})
        document = stored_product(obj.id) if obj is not None else None
        return product_form(document, with_stock=_moves_stock(request))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: carts and orders name the product. It is withdrawn instead."""
        return False

    def _edits(self, request: HttpRequest, obj: Any) -> bool:
        return self.has_change_permission(request, obj) if obj else self.has_add_permission(request)


def _moves_stock(request: Any) -> bool:
    return bool(request.user.has_perm("catalog.change_stocklevel"))


def _address(product_id: str) -> dict[str, str] | None:
    """Shard key and id of the product, by the directory; None when there is none."""
    entry = collection_of(ProductDirectory._meta.db_table, DirectoryEntry).find_one({"_id": product_id})
    return None if entry is None else {"category": entry["category"], "id": product_id}


def _inventory(asked: Asked) -> Inventory:
    return inventory_of(asked.filters, asked.search, _order(asked.order))


def _order(asked: str) -> SortKey | None:
    field = ORDERS.get(asked.removeprefix("-"))
    return SortKey(field, -1 if asked.startswith("-") else 1) if field else None


def _with_names(document: ProductDocument, names: Mapping[str, str]) -> dict[str, Any]:
    return {**document, "available_names": [names.get(code, code) for code in document.get("available_in", ())]}
