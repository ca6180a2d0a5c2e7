from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html_join

from catalog.admin.product.pages import ProductPages
from catalog.admin.product_form import STOCK, product_form, stored_product
from catalog.admin.product_list import ProductList
from catalog.documents import DirectoryEntry
from catalog.models import Geozone, Product, ProductDirectory
from catalog.structure.names import category_name, geozone_name
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of
from gateway.staff.forms import SavedByItsForm
from gateway.staff.titles import Titles


@admin.register(Product)
class ProductAdmin(SavedByItsForm, ProductPages, ProductList):
    titles = Titles(
        several=Text("Товары", "Products"),
        one=Text("Товар", "Product"),
        new=Text("Новый товар", "New product"),
    )
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

    @admin.display(description="характеристики")
    def shown_attributes(self, product: Product) -> str:
        return format_html_join("", "<div>{}: {}</div>", product.attributes.items())

    @admin.display(description="остатки")
    def shown_stock(self, product: Product) -> str:
        rows = ((geozone_name(level.geozone), level.quantity, level.reserved) for level in product.stock)
        return format_html_join("", "<div>{}: {}, в резерве {}</div>", rows)

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
