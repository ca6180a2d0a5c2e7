from typing import Any, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join

from catalog.admin.product.pages import ProductPages
from catalog.admin.product_form.form import product_form
from catalog.admin.product_form.opened import STOCK, initial_of_copy, stored_product
from catalog.admin.product_form.pictures import upload
from catalog.admin.product_form.prices import price_text
from catalog.admin.product_form.stock import reasons, stock_words
from catalog.admin.product_list import ProductList
from catalog.documents import DirectoryEntry
from catalog.models import Geozone, Product, ProductDirectory
from catalog.pictures.addresses import thumbnail_of
from catalog.structure.names import category_name, geozone_name
from gateway.accounts.models import User
from gateway.audit.trail import Actor, Source
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of
from gateway.staff.forms import Link, SavedByItsForm
from gateway.staff.language import said
from gateway.staff.titles import Titles

COPY = "copy"
"""In the address of the form for a new product: the id of the one that it is to be like."""

PRICES_GROUP, STOCK_GROUP = "product-prices", "product-stock"
SHOWN_WIDTH = 96

COPY_IT = Text("Создать копию", "Duplicate")
COPIED = Text(
    "Всё, кроме артикула и остатков, — как у товара {product_id}. Пока вы не сохраните, ничего не создано.",
    "All but id and stock is as in product {product_id}. Nothing is made until you save.",
)


@admin.register(Product)
class ProductAdmin(SavedByItsForm, ProductPages, ProductList):
    titles = Titles(
        several=Text("Товары", "Products"),
        one=Text("Товар", "Product"),
        new=Text("Новый товар", "New product"),
    )
    change_form_template = "catalog/admin/product_form/page.html"
    # What those who may only look are shown instead of the form.
    shown = (
        "id",
        "name",
        "shown_category",
        "withdrawn",
        "shown_prices",
        "description",
        "shown_attributes",
        "shown_images",
        "shown_stock",
        "created_at",
        "updated_at",
    )

    @admin.display(description="категория")
    def shown_category(self, product: Product) -> str:
        return category_name(product.category)

    @admin.display(description="цены")
    def shown_prices(self, product: Product) -> str:
        return price_text(product.prices.base, product.prices.sale)

    @admin.display(description="характеристики")
    def shown_attributes(self, product: Product) -> str:
        return format_html_join("", "<div>{}: {}</div>", product.attributes.items())

    @admin.display(description="изображения")
    def shown_images(self, product: Product) -> str:
        images = ({"url": image.url, "alt": image.alt} for image in product.images)
        rows = ((thumbnail_of(image, SHOWN_WIDTH), image["alt"]) for image in images)
        return format_html_join(" ", '<img src="{}" alt="{}" class="product-shown-picture" loading="lazy">', rows)

    @admin.display(description="остатки")
    def shown_stock(self, product: Product) -> str:
        rows = ((geozone_name(level.geozone), level.quantity, level.reserved) for level in product.stock)
        return format_html_join("", "<div>{}: {}, в резерве {}</div>", rows)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Product | None:
        address = _address(object_id)
        return Product.objects.filter(**address).first() if address else None

    def get_urls(self) -> list[URLPattern]:
        pictures = self.admin_site.admin_view(self.pictures_view)
        return [path("pictures/", pictures, name="catalog_product_pictures"), *super().get_urls()]

    def pictures_view(self, request: HttpRequest) -> HttpResponse:
        """Take a picture that somebody uploads in the form."""
        if not (self.has_change_permission(request) or self.has_add_permission(request)):
            raise PermissionDenied
        return upload(request, _actor(request))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if not self._edits(request, obj):
            return [(None, {"fields": list(self.shown)})]
        stock = [f"{STOCK}{geozone.code}" for geozone in Geozone.objects.all()] if _moves_stock(request) else []
        hidden = ["seen", "clashed", "key"]
        return [
            (None, {"fields": [*([] if obj else ["product_id"]), "name", "category", "withdrawn", *hidden]}),
            ("Цены", {"fields": [("base_price", "sale_price")], "classes": [PRICES_GROUP]}),
            *([("Остатки", {"fields": stock, "classes": [STOCK_GROUP]})] if stock else []),
            ("Описание", {"fields": ["description", "attributes", "images"]}),
            ("Журнал", {"fields": ["reason"]}),
        ]

    def get_form(self, request: Any, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if not self._edits(request, obj):
            return super().get_form(request, obj, change, **{**kwargs, "fields": ()})
        document = stored_product(obj.id) if obj is not None else None
        return product_form(document, with_stock=_moves_stock(request), actor=_actor(request))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """What a new product begins with: that of another one, when it is to be a copy."""
        source = stored_product(request.GET.get(COPY, ""))
        return initial_of_copy(source) if source else {}

    def render_change_form(self, request: Any, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        product, form = kwargs.get("obj"), context["adminform"].form
        is_copy = not product and COPY in request.GET and (form.is_bound or form.initial)
        further = {
            "page_links": self.page_links(request, product) if product else [],
            "explained": said(COPIED, product_id=request.GET[COPY]) if is_copy else "",
            "stock_group": STOCK_GROUP,
            "stock_words": stock_words(),
            "stock_reasons": reasons(),
        }
        return super().render_change_form(request, {**context, **further}, *args, **kwargs)

    def page_links(self, request: HttpRequest, product: Product) -> list[Link]:
        """What can be done with the product beyond its form."""
        if not self.has_add_permission(request):
            return []
        return [Link(said(COPY_IT), f"{reverse('admin:catalog_product_add')}?{COPY}={product.id}", COPY, False)]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: carts and orders name the product. It is withdrawn instead."""
        return False

    def _edits(self, request: HttpRequest, obj: Any) -> bool:
        return self.has_change_permission(request, obj) if obj else self.has_add_permission(request)


def _actor(request: HttpRequest) -> Actor:
    return Actor.account(cast("User", request.user), Source.ADMIN)


def _moves_stock(request: Any) -> bool:
    return bool(request.user.has_perm("catalog.change_stocklevel"))


def _address(product_id: str) -> dict[str, str] | None:
    """Shard key and id of the product, by the directory; None when there is none."""
    entry = collection_of(ProductDirectory._meta.db_table, DirectoryEntry).find_one({"_id": product_id})
    return None if entry is None else {"category": entry["category"], "id": product_id}
