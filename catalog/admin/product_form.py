"""The form of a product: its maps and lists as lines of text, its stock as one number per geozone."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms

from catalog.admin.categories import leaf_choices
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.errors import ChangedMeanwhile, NamedTwice, StockChangedMeanwhile, UnknownProduct
from catalog.models import Geozone, Product, ProductDirectory
from catalog.products.drafts import AttributeDraft, ImageDraft, ProductDraft, StockDraft
from catalog.products.upsert import seen_in, upsert_product
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of
from gateway.staff.language import staff_language
from gateway.staff.merging import MergingForm, Values, seen_text
from gateway.staff.money import MoneyField, money_text

STOCK = "stock_"
# Names of values: one for each attribute, one for each geozone.
ATTRIBUTE, QUANTITY = "attributes.", "stock."

CHOOSE = Text("— выберите категорию —", "— choose a category —")
NO_NUMBER = Text("Укажите число; 0, если товара нет.", "Give a number; 0 if there are none.")


class ProductForm(MergingForm):
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

    class Meta:
        model = Product
        fields = ()

    document: ProductDocument | None = None
    """The product that is edited, as it was when the form was opened; None for a new one."""

    overtaken_by = (ChangedMeanwhile, StockChangedMeanwhile)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["initial"] = {**(_initial(self.document) if self.document else {}), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        choices = leaf_choices()
        if self.document:
            del self.fields["product_id"]
        else:
            choices = [("", CHOOSE.in_language(staff_language())), *choices]
        self.fields["category"].choices = choices  # type: ignore[attr-defined]

    def clean_attributes(self) -> str:
        """Refuse a name that stands there twice, while both lines are there."""
        text: str = self.cleaned_data["attributes"]
        names = [_attribute(line).name for line in _lines(text)]
        if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
            raise forms.ValidationError([NamedTwice(name=name).message(staff_language()) for name in twice])
        return text

    def clean(self) -> dict[str, Any] | None:
        """Refuse a quantity that was emptied: neither «none» nor «as before» is sure to be meant."""
        for code, was in _quantities(self.seen_values()).items():
            field = f"{STOCK}{code}"
            if was is not None and field in self.fields and self.cleaned_data.get(field, 0) is None:
                self.add_error(field, NO_NUMBER.in_language(staff_language()))
        return super().clean()

    def act(self) -> None:
        if self.document is None:
            self._upsert(self.typed_values())
        else:
            self.merge_and_write()

    def stored_values(self) -> Values:
        assert self.document is not None  # noqa: S101 - a new product has nothing to be merged with
        self.document = stored_product(self.document["_id"])
        if self.document is None:
            raise UnknownProduct
        values = values_of(self.document)
        return {name: value for name, value in values.items() if self._has_field(name)}

    def typed_values(self) -> Values:
        given = self.cleaned_data
        sale: Decimal | None = given["sale_price"]
        return {
            "name": given["name"].strip(),
            "category": given["category"],
            "withdrawn": given["withdrawn"],
            "base_price": str(given["base_price"]),
            "sale_price": None if sale is None else str(sale),
            "description": given["description"].replace("\r\n", "\n").strip(),
            "images": "\n".join(_lines(given["images"])),
            **{f"{ATTRIBUTE}{name}": value for name, value in map(_attribute, _lines(given["attributes"]))},
            **{
                f"{QUANTITY}{name.removeprefix(STOCK)}": quantity
                for name, quantity in given.items()
                if name.startswith(STOCK)
            },
        }

    def write(self, values: Values) -> None:
        self._upsert(values)

    def texts_of(self, values: Values) -> dict[str, str]:
        texts = {name: _typed(values.get(name)) for name in ("name", "category", "description", "images")}
        prices = {name: _price_text(values.get(name)) for name in ("base_price", "sale_price")}
        attributes = "\n".join(_line(name, value) for name, value in _attributes(values) if value is not None)
        stock = {f"{STOCK}{code}": _typed(quantity) for code, quantity in _quantities(values).items()}
        kept = {name: str(self.data.get(name, "")) for name in ("reason",)}
        withdrawn = {"withdrawn": "on"} if values.get("withdrawn") else {}
        return {**texts, **prices, "attributes": attributes, **stock, **kept, **withdrawn}

    def field_of_value(self, name: str) -> str:
        if name.startswith(ATTRIBUTE):
            return "attributes"
        return f"{STOCK}{name.removeprefix(QUANTITY)}" if name.startswith(QUANTITY) else name

    def label_of_value(self, name: str) -> str:
        return name.removeprefix(ATTRIBUTE) if name.startswith(ATTRIBUTE) else super().label_of_value(name)

    def text_of_value(self, name: str, value: Any) -> str:
        if name in ("base_price", "sale_price"):
            return money_text(Decimal(value))
        if name == "category":
            return dict(leaf_choices()).get(value, str(value))
        return str(value)

    def field_of(self, path: Sequence[str | int]) -> str | None:
        match path:
            case ("stock", int(index), *_):
                return f"{STOCK}{(self._sent.stock or ())[index].geozone}"
        return super().field_of(path)

    def told(self, reason: DomainError) -> str:
        """The message, with the line of text that it is about."""
        match reason.path:
            case ("attributes", int(index), *_):
                return f"«{_line(*self._sent.attributes[index])}»: {super().told(reason)}"
            case ("images", int(index), *_):
                return f"«{' '.join((self._sent.images or ())[index]).strip()}»: {super().told(reason)}"
        return super().told(reason)

    def _upsert(self, values: Values) -> None:
        self._sent = self._draft(values)
        made = upsert_product(
            self._sent,
            actor=self.actor,
            seen=seen_in(self.document) if self.document else None,
            only_new=self.document is None,
            reason=self.cleaned_data["reason"],
        ).document
        self.instance.id, self.instance.name, self.instance.category = made["_id"], made["name"], made["category"]

    def _draft(self, values: Values) -> ProductDraft:
        stored = _quantities(values_of(self.document)) if self.document else {}
        sale = values.get("sale_price")
        return ProductDraft(
            product_id=self.document["_id"] if self.document else self.cleaned_data["product_id"],
            name=values["name"],
            category=values["category"],
            description=values["description"],
            base_price=Decimal(values["base_price"]),
            sale_price=None if sale is None else Decimal(sale),
            attributes=tuple(AttributeDraft(name, value) for name, value in _attributes(values) if value is not None),
            images=tuple(map(_image, _lines(values["images"]))),
            # The others move by sales meanwhile, and that is no conflict.
            stock=tuple(
                StockDraft(code, quantity)
                for code, quantity in _quantities(values).items()
                if quantity is not None and quantity != stored.get(code)
            ),
            withdrawn=values["withdrawn"],
        )

    def _has_field(self, name: str) -> bool:
        return self.field_of_value(name) in self.fields


def product_form(document: ProductDocument | None, *, with_stock: bool) -> type[ProductForm]:
    """The form for this product and this editor; its stock fields follow the geozones there are."""
    levels = {level["geozone"]: level for level in (document.get("stock", ()) if document else ())}
    stock = {
        f"{STOCK}{geozone.code}": forms.IntegerField(
            label=geozone.name,
            required=False,
            min_value=0,
            # No wheel turns a text.
            widget=forms.TextInput({"inputmode": "numeric", "autocomplete": "off"}),
            help_text=f"в резерве {levels[geozone.code].get('reserved', 0)}" if geozone.code in levels else "",
        )
        for geozone in (Geozone.objects.all() if with_stock else ())
    }
    return type("ProductForm", (ProductForm,), {**stock, "document": document})


def stored_product(product_id: str) -> ProductDocument | None:
    """The product as it is now, by two targeted reads: the directory tells its category."""
    directory = collection_of(ProductDirectory._meta.db_table, DirectoryEntry)
    entry = directory.find_one({"_id": product_id})
    products = collection_of(Product._meta.db_table, ProductDocument)
    return products.find_one({"category": entry["category"], "_id": product_id}) if entry else None


def values_of(document: ProductDocument) -> Values:
    """What merchandisers edit of a product, value by value."""
    sale = document["prices"].get("sale")
    return {
        "name": document["name"],
        "category": document["category"],
        "withdrawn": document.get("withdrawn", False),
        "base_price": f"{document['prices']['base'].to_decimal():.2f}",
        "sale_price": None if sale is None else f"{sale.to_decimal():.2f}",
        "description": document.get("description", ""),
        "images": "\n".join(f"{image['url']} {image['alt']}".strip() for image in document.get("images") or ()),
        **{f"{ATTRIBUTE}{name}": value for name, value in (document.get("attributes") or {}).items()},
        **{f"{QUANTITY}{level['geozone']}": level["quantity"] for level in document.get("stock") or ()},
    }


def _initial(document: ProductDocument) -> dict[str, Any]:
    values = values_of(document)
    sale = values["sale_price"]
    return {
        **{name: values[name] for name in ("name", "category", "withdrawn", "description", "images")},
        "base_price": Decimal(values["base_price"]),
        "sale_price": None if sale is None else Decimal(sale),
        "attributes": "\n".join(_line(name, value) for name, value in _attributes(values)),
        "seen": seen_text(values),
        **{f"{STOCK}{code}": quantity for code, quantity in _quantities(values).items()},
    }


def _attributes(values: Values) -> list[tuple[str, Any]]:
    return [(name.removeprefix(ATTRIBUTE), value) for name, value in values.items() if name.startswith(ATTRIBUTE)]


def _quantities(values: Values) -> dict[str, Any]:
    return {name.removeprefix(QUANTITY): value for name, value in values.items() if name.startswith(QUANTITY)}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _line(name: str, value: str) -> str:
    return f"{name} = {value}" if value else name


def _attribute(line: str) -> AttributeDraft:
    name, _, value = line.partition("=")
    return AttributeDraft(name.strip(), value.strip())


def _image(line: str) -> ImageDraft:
    url, _, alt = line.partition(" ")
    return ImageDraft(url, alt)


def _typed(value: Any) -> str:
    return "" if value is None else str(value)


def _price_text(value: str | None) -> str:
    return "" if value is None else value.replace(".", ",")
