from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.http import urlencode
from pymongo.collection import Collection

from catalog.admin.categories import leaf_choices
from catalog.admin.product_form import STOCK, product_form
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.models import Geozone, Product, ProductDirectory
from catalog.search.words import stem, words_in
from gateway.mongo.client import collection_of
from gateway.staff.forms import SavedByItsForm
from gateway.staff.model_admin import StaffAdmin

LISTED = ("id", "name", "category", "price", "available_in", "withdrawn", "updated_at")

# As many as a person looks through; more means that the words say too little.
MAX_FOUND = 200


class ByCategory(admin.SimpleListFilter):
    title = "категория"
    parameter_name = "category"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return leaf_choices()

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(category=self.value()) if self.value() else queryset


@admin.register(Product)
class ProductAdmin(SavedByItsForm, StaffAdmin):
    list_display = ("id", "name", "category", "price", "shown_available", "withdrawn", "updated_at")
    list_filter = (ByCategory, "withdrawn")
    # The only order that an index gives with and without a category; without one every shard is asked.
    ordering = ("id",)
    search_fields = ("id",)
    search_help_text = "Артикул целиком или слова из названия и описания."

    # What those who may only look are shown instead of the form.
    shown = (
        "id",
        "name",
        "category",
        "withdrawn",
        "prices",
        "description",
        "shown_attributes",
        "shown_stock",
        "created_at",
        "updated_at",
    )

    @admin.display(description="в продаже")
    def shown_available(self, product: Product) -> str:
        return ", ".join(product.available_in)

    @admin.display(description="характеристики")
    def shown_attributes(self, product: Product) -> str:
        return format_html_join("", "<div>{}: {}</div>", product.attributes.items())

    @admin.display(description="остатки")
    def shown_stock(self, product: Product) -> str:
        rows = ((level.geozone, level.quantity, level.reserved) for level in product.stock)
        return format_html_join("", "<div>{}: {}, в резерве {}</div>", rows)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Product]:
        return super().get_queryset(request).only(*LISTED)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Product | None:
        """The product by two targeted reads: the directory tells its category."""
        address = _address(object_id)
        return Product.objects.filter(**address).first() if address else None

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        if address := _address(term) or _address(term.upper()):
            return queryset.filter(**address), False
        found = _found_by_words(term)
        if not found:
            return queryset.none(), False
        categories = {product["category"] for product in found}
        return queryset.filter(category__in=categories, id__in=[product["_id"] for product in found]), False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if not self._edits(request, obj):
            return [(None, {"fields": list(self.shown)})]
        stock = [f"{STOCK}{geozone.code}" for geozone in Geozone.objects.all()] if _moves_stock(request) else []
        return [
            (None, {"fields": [*([] if obj else ["product_id"]), "name", "category", "withdrawn", "seen"]}),
            ("Цены", {"fields": [("base_price", "sale_price")]}),
            *([("Остатки", {"fields": [tuple(stock)]})] if stock else []),
            ("Описание", {"fields": ["description", "attributes", "images"]}),
            ("Журнал", {"fields": ["reason"]}),
        ]

    def get_form(self, request: Any, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if not self._edits(request, obj):
            return super().get_form(request, obj, change, **{**kwargs, "fields": ()})
        document = None
        if obj is not None:
            document = _products().find_one({"category": obj.category, "_id": obj.id})
        return product_form(document, with_stock=_moves_stock(request))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the audit instead of Django's own log: it also tells what was before, and what the API did."""
        query = urlencode({"q": f"product:{object_id}"})
        return HttpResponseRedirect(f"{reverse('admin:audit_auditentry_changelist')}?{query}")

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


def _products() -> Collection[ProductDocument]:
    return collection_of(Product._meta.db_table, ProductDocument)


def _found_by_words(text: str) -> list[DirectoryEntry]:
    """Where the products are that have all these words. Asks all shards: words say nothing of the category.

    Those for sale are found on the index of terms, those withdrawn on their own small one.
    """
    words = [stem(word) for word in words_in(text)]
    if not words:
        return []
    return [
        product
        for withdrawn in (False, True)
        for product in _products().find(
            {"withdrawn": withdrawn, "terms": {"$all": words}}, projection=["category"], limit=MAX_FOUND
        )
    ]
