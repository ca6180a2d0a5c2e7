"""The form of a product: its maps and lists as lines of text, its stock as one number per geozone."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms

from catalog.admin.categories import leaf_choices
from catalog.documents import ProductDocument
from catalog.models import Geozone, Product
from catalog.products.drafts import AttributeDraft, ImageDraft, ProductDraft, StockDraft
from catalog.products.upsert import Seen, seen_in, upsert_product
from gateway.domain.errors import DomainError
from gateway.staff.forms import ActionForm
from gateway.staff.money import MoneyField

STOCK = "stock_"


class ProductForm(ActionForm):
    product_id = forms.CharField(label="Артикул", max_length=64, help_text="PROD-12345. Потом не меняется.")
    name = forms.CharField(label="Название", max_length=200, widget=forms.TextInput({"class": "vTextField"}))
    category = forms.ChoiceField(label="Категория")
    withdrawn = forms.BooleanField(label="Снят с продажи", required=False)
    base_price = MoneyField(label="Цена, ₽", asks_of_jump=True)
    sale_price = MoneyField(label="Цена со скидкой, ₽", required=False, asks_of_jump=True)
    description = forms.CharField(
        label="Описание", required=False, widget=forms.Textarea({"rows": 6, "class": "vLargeTextField"})
    )
    attributes = forms.CharField(
        label="Характеристики",
        required=False,
        widget=forms.Textarea({"rows": 8, "class": "vLargeTextField"}),
        help_text="По одной в строке: Цвет = чёрный",
    )
    images = forms.CharField(
        label="Изображения",
        required=False,
        widget=forms.Textarea({"rows": 4, "class": "vLargeTextField"}),
        help_text="По одному в строке: адрес, пробел, описание.",
    )
    reason = forms.CharField(
        label="Причина",
        required=False,
        max_length=500,
        widget=forms.TextInput({"class": "vTextField"}),
        help_text="Останется в журнале изменений.",
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    class Meta:
        model = Product
        fields = ()

    document: ProductDocument | None = None
    """The product that is edited, as it was when the form was opened; None for a new one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["initial"] = {**(_initial(self.document) if self.document else {}), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        self.fields["category"].choices = leaf_choices()  # type: ignore[attr-defined]
        if self.document:
            del self.fields["product_id"]

    def act(self) -> None:
        draft = self._draft()
        made = upsert_product(
            draft,
            actor=self.actor,
            seen=self._seen() if self.document else None,
            only_new=self.document is None,
            reason=self.cleaned_data["reason"],
        ).document
        self.instance.id, self.instance.name, self.instance.category = made["_id"], made["name"], made["category"]

    def field_of(self, path: Sequence[str | int]) -> str | None:
        match path:
            case ("stock", int(index), *_):
                return f"{STOCK}{self._stock()[index].geozone}"
        return super().field_of(path)

    def told(self, reason: DomainError) -> str:
        """The message, with the line of text that it is about."""
        match reason.path:
            case ("attributes" | "images" as field, int(index), *_):
                return f"«{_lines(self.cleaned_data[str(field)])[index]}»: {super().told(reason)}"
        return super().told(reason)

    def _draft(self) -> ProductDraft:
        given = self.cleaned_data
        return ProductDraft(
            product_id=self.document["_id"] if self.document else given["product_id"],
            name=given["name"],
            category=given["category"],
            description=given["description"].replace("\r\n", "\n"),
            base_price=given["base_price"],
            sale_price=given["sale_price"],
            attributes=tuple(map(_attribute, _lines(given["attributes"]))),
            images=tuple(map(_image, _lines(given["images"]))),
            stock=self._stock(),
            withdrawn=given["withdrawn"],
        )

    def _stock(self) -> tuple[StockDraft, ...]:
        """The quantities that the editor changed: sales move the others meanwhile, and that is no conflict."""
        seen = self._seen().quantities
        return tuple(
            StockDraft(name.removeprefix(STOCK), quantity)
            for name, quantity in self.cleaned_data.items()
            if name.startswith(STOCK) and quantity is not None and quantity != seen.get(name.removeprefix(STOCK))
        )

    def _seen(self) -> Seen:
        """What stood in the form when it was opened; with nonsense in the hidden field nothing did."""
        try:
            edition, quantities = json.loads(self.cleaned_data["seen"])
            return Seen(str(edition), {str(code): int(quantity) for code, quantity in quantities.items()})
        except (ValueError, TypeError, AttributeError):
            return Seen("", {})


def product_form(document: ProductDocument | None, *, with_stock: bool) -> type[ProductForm]:
    """The form for this product and this editor; its stock fields follow the geozones there are."""
    levels = {level["geozone"]: level for level in (document.get("stock", ()) if document else ())}
    stock = {
        f"{STOCK}{geozone.code}": forms.IntegerField(
            label=geozone.name,
            required=False,
            min_value=0,
            help_text=f"в резерве {levels[geozone.code].get('reserved', 0)}" if geozone.code in levels else "",
        )
        for geozone in (Geozone.objects.all() if with_stock else ())
    }
    return type("ProductForm", (ProductForm,), {**stock, "document": document})


def attribute_lines(document: ProductDocument) -> str:
    """The attributes as the form shows them: one in a line."""
    return "\n".join(f"{name} = {value}" for name, value in (document.get("attributes") or {}).items())


def _initial(document: ProductDocument) -> dict[str, Any]:
    sale = document["prices"].get("sale")
    return {
        "name": document["name"],
        "category": document["category"],
        "withdrawn": document.get("withdrawn", False),
        "base_price": document["prices"]["base"].to_decimal(),
        "sale_price": None if sale is None else sale.to_decimal(),
        "description": document.get("description", ""),
        "attributes": attribute_lines(document),
        "images": "\n".join(f"{image['url']} {image['alt']}".strip() for image in document.get("images") or ()),
        "seen": json.dumps(seen_in(document), ensure_ascii=False),
        **{f"{STOCK}{level['geozone']}": level["quantity"] for level in document.get("stock") or ()},
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _attribute(line: str) -> AttributeDraft:
    name, _, value = line.partition("=")
    return AttributeDraft(name, value)


def _image(line: str) -> ImageDraft:
    url, _, alt = line.partition(" ")
    return ImageDraft(url, alt)
