"""The form of a product: what is typed becomes values, is merged with what others changed, and goes to the action."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.http import QueryDict

from catalog.admin.categories import leaf_choices
from catalog.admin.product_form import pictures
from catalog.admin.product_form.opened import STOCK, attribute_rows, initial_of, stored_product
from catalog.admin.product_form.prices import price_note
from catalog.admin.product_form.rows import FILES, AttributesWidget, ImagesWidget, Row, RowsField
from catalog.admin.product_form.stock import NO_NUMBER, NO_REASON, Move, StockField
from catalog.changes.values import ATTRIBUTE, PRICES, QUANTITY, draft_of, quantities_in, values_of
from catalog.documents import ProductDocument
from catalog.errors import ChangedMeanwhile, NamedTwice, StockChangedMeanwhile, UnknownProduct
from catalog.models import Geozone, Product
from catalog.products.drafts import AttributeDraft, ProductDraft
from catalog.products.upsert import seen_in, upsert_product
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.idempotency.keys import KeyReused, keyed
from gateway.idempotency.submissions import OutcomeUnknown, submission
from gateway.staff.forms import DONE_BEFORE, KEY_LENGTH, SentBefore, new_key
from gateway.staff.language import said, staff_language
from gateway.staff.merging import MergingForm, Values
from gateway.staff.money import MoneyField, money_text

REASON_LIST = "stock-reasons"

CHOOSE = Text("— выберите категорию —", "— choose a category —")


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
    attributes = RowsField(label="Характеристики", widget=AttributesWidget)
    images = RowsField(label="Изображения", widget=ImagesWidget)
    reason = forms.CharField(
        label="Причина",
        required=False,
        max_length=500,
        widget=forms.TextInput({"class": "vTextField"}),
        help_text="Останется в журнале изменений.",
    )
    key = forms.CharField(widget=forms.HiddenInput, max_length=KEY_LENGTH, required=False, initial=new_key)
    """Made when the form is shown: pieces that it adds are added once, however often it is sent."""

    class Meta:
        model = Product
        fields = ()

    document: ProductDocument | None = None
    """The product that is edited, as it was when the form was opened; None for a new one."""

    overtaken_by = (ChangedMeanwhile, StockChangedMeanwhile)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["initial"] = {**(initial_of(self.document) if self.document else {}), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        choices = leaf_choices()
        if self.document:
            del self.fields["product_id"]
        else:
            choices = [("", said(CHOOSE)), *choices]
        self.fields["category"].choices = choices  # type: ignore[attr-defined]
        self.fields["attributes"].widget.category = str(self._filled("category") or "")
        self.fields["sale_price"].help_text = price_note(self._filled("base_price"), self._filled("sale_price"))
        self.fields["reason"].widget.attrs["list"] = REASON_LIST

    def clean_attributes(self) -> list[Row]:
        """Refuse a name that stands there twice, while both rows are there."""
        rows: list[Row] = self.cleaned_data["attributes"]
        names = [row["name"] for row in rows]
        if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
            raise forms.ValidationError([NamedTwice(name=name).message(staff_language()) for name in twice])
        return rows

    def clean_images(self) -> list[Row]:
        """Take in what was sent with the form, so that no refusal of something else loses it."""
        rows, refusals = pictures.added(self.cleaned_data["images"], self._files(), self.actor)
        if len(rows) > len(self.cleaned_data["images"]):
            data: Any = cast("QueryDict", self.data).copy()
            data["images"] = rows
            self.data = data
        for refusal in refusals:
            self.add_error("images", refusal)
        return rows

    def clean(self) -> dict[str, Any] | None:
        """Refuse stock without a reason, and a quantity that was emptied: «none» and «as before» are both likely."""
        seen, typed = quantities_in(self.seen_values()), self._typed_stock()
        for code, quantity in typed.items():
            if quantity is None and code in seen:
                self.add_error(f"{STOCK}{code}", said(NO_NUMBER))
        if self.document and not self.cleaned_data.get("reason") and _differs(typed, seen):
            self.add_error("reason", said(NO_REASON))
        return super().clean()

    def act(self) -> None:
        if self.document is None:
            self._upsert(self.typed_values())
        elif any(isinstance(typed, Move) for typed in self._typed_stock().values()):
            self._move_once()
        else:
            self.merge_and_write()

    def stored_values(self) -> Values:
        assert self.document is not None  # noqa: S101 - a new product has nothing to be merged with
        self.document = stored_product(self.document["_id"])
        if self.document is None:
            raise UnknownProduct
        values = values_of(self.document)
        return {name: value for name, value in values.items() if self._has_field(name)}

    def seen_values(self) -> Values:
        """What stood in the form; of a stock that is moved by so many pieces, whatever is there now."""
        moved = {code for code, typed in self._typed_stock().items() if isinstance(typed, Move)}
        return {**super().seen_values(), **{f"{QUANTITY}{code}": self._counted(code) for code in moved}}

    def typed_values(self) -> Values:
        given = self.cleaned_data
        return {
            "name": given["name"].strip(),
            "category": given["category"],
            "withdrawn": given["withdrawn"],
            **{name: None if given[name] is None else f"{given[name]:.2f}" for name in PRICES},
            "description": given["description"].replace("\r\n", "\n").strip(),
            "images": given["images"],
            **{f"{ATTRIBUTE}{row['name']}": row["value"] for row in given["attributes"]},
            **{
                f"{QUANTITY}{code}": (self._counted(code) or 0) + typed.pieces if isinstance(typed, Move) else typed
                for code, typed in self._typed_stock().items()
            },
        }

    def write(self, values: Values) -> None:
        self._upsert(values)

    def texts_of(self, values: Values) -> Mapping[str, Any]:
        moved = {code: self._filled(f"{STOCK}{code}") for code, typed in self._typed_stock().items() if _moves(typed)}
        stock = {f"{STOCK}{code}": str(each) for code, each in {**quantities_in(values), **moved}.items()}
        return {
            **{name: str(values.get(name) or "") for name in ("name", "category", "description")},
            **{name: _price_text(values.get(name)) for name in PRICES},
            "attributes": attribute_rows(values),
            "images": values.get("images") or [],
            **stock,
            **{name: str(self.data.get(name, "")) for name in ("reason", "key")},
            **({"withdrawn": "on"} if values.get("withdrawn") else {}),
        }

    def retyped(self) -> Mapping[str, Any] | None:
        shown = super().retyped()
        if not self._needs_new_key:
            return shown
        if shown is not None:
            return {**shown, "key": new_key()}
        data = cast("QueryDict", self.data).copy()
        data["key"] = new_key()
        return data

    def field_of_value(self, name: str) -> str:
        if name.startswith(ATTRIBUTE):
            return "attributes"
        return f"{STOCK}{name.removeprefix(QUANTITY)}" if name.startswith(QUANTITY) else name

    def label_of_value(self, name: str) -> str:
        return name.removeprefix(ATTRIBUTE) if name.startswith(ATTRIBUTE) else super().label_of_value(name)

    def text_of_value(self, name: str, value: Any) -> str:
        match name:
            case "base_price" | "sale_price":
                return money_text(Decimal(value))
            case "category":
                return dict(leaf_choices()).get(value, str(value))
            case "images":
                return ", ".join(map(_image_text, value))
        return str(value)

    def field_of(self, path: Sequence[str | int]) -> str | None:
        match path:
            case ("stock", int(index), *_):
                return f"{STOCK}{(self._sent.stock or ())[index].geozone}"
        return super().field_of(path)

    def told(self, reason: DomainError) -> str:
        """The message, with the row that it is about."""
        match reason.path:
            case ("attributes", int(index), *_):
                name, value = self._sent.attributes[index]
                return f"«{f'{name}: {value}' if name and value else name or value}»: {super().told(reason)}"
            case ("images", int(index), *_):
                return f"«{' '.join((self._sent.images or ())[index]).strip()}»: {super().told(reason)}"
        return super().told(reason)

    _needs_new_key = False

    def _move_once(self) -> None:
        """Add pieces by this form only once: a number may be written twice, an addition may not."""
        data = cast("QueryDict", self.data)
        sent = {name: data.getlist(name) for name in data if name not in ("csrfmiddlewaretoken", "key")}
        key = keyed(self.cleaned_data["key"] or new_key(), f"catalog_product_change:{self.instance.pk}", sent)
        assert key is not None  # noqa: S101 - a key was given
        try:
            with submission(key, self.actor) as is_first:
                if is_first:
                    self.merge_and_write()
                else:
                    self.instance.is_unchanged = True
                    self.notices.append(said(DONE_BEFORE))
        except OutcomeUnknown:
            self._needs_new_key = True
            raise
        except KeyReused as reused:
            self._needs_new_key = True
            raise SentBefore from reused

    def _upsert(self, values: Values) -> None:
        self._sent = self._draft(values)
        pictures.keep_for(values["images"], self.document["images"] if self.document else ())
        made = upsert_product(
            self._sent,
            actor=self.actor,
            seen=seen_in(self.document) if self.document else None,
            only_new=self.document is None,
            reason=self.cleaned_data["reason"],
        ).document
        self.instance.id, self.instance.name, self.instance.category = made["_id"], made["name"], made["category"]

    def _draft(self, values: Values) -> ProductDraft:
        """The draft with the stock that changes: the rest of it moves by sales meanwhile, and that is no conflict."""
        product_id = self.document["_id"] if self.document else self.cleaned_data["product_id"]
        changed = {code: pieces for code, pieces in quantities_in(values).items() if pieces != self._counted(code)}
        # A row without a value is no removal: the action refuses it.
        rows = tuple(AttributeDraft(row["name"], row["value"]) for row in attribute_rows(values))
        return replace(draft_of(product_id, values, stock=changed), attributes=rows)

    def _typed_stock(self) -> dict[str, int | Move | None]:
        given = getattr(self, "cleaned_data", {})
        return {name.removeprefix(STOCK): typed for name, typed in given.items() if name.startswith(STOCK)}

    def _counted(self, code: str) -> int | None:
        """How many there are now; None where the product is not kept."""
        return quantities_in(values_of(self.document)).get(code) if self.document else None

    def _filled(self, name: str) -> Any:
        """What the field shows, before it is made."""
        return self.data.get(name) if self.is_bound else self.get_initial_for_field(self.fields[name], name)

    def _files(self) -> list[Any]:
        getlist = getattr(self.files, "getlist", None)
        return getlist(f"images{FILES}") if getlist else []

    def _has_field(self, name: str) -> bool:
        return self.field_of_value(name) in self.fields


def product_form(document: ProductDocument | None, *, with_stock: bool, actor: Actor) -> type[ProductForm]:
    """The form for this product and this editor; its stock fields follow the geozones there are."""
    levels = {level["geozone"]: level for level in (document.get("stock", ()) if document else ())}
    stock = {
        f"{STOCK}{geozone.code}": StockField(label=geozone.name, level=levels.get(geozone.code))
        for geozone in (Geozone.objects.all() if with_stock else ())
    }
    return type("ProductForm", (ProductForm,), {**stock, "document": document, "actor": actor})


def _moves(typed: int | Move | None) -> bool:
    return isinstance(typed, Move)


def _differs(typed: Mapping[str, int | Move | None], seen: Mapping[str, int]) -> bool:
    """Whether the stock is to change."""
    return any(
        each.pieces != 0 if isinstance(each, Move) else each is not None and each != seen.get(code)
        for code, each in typed.items()
    )


def _image_text(image: Mapping[str, str]) -> str:
    return image["alt"] or image["url"].rpartition("/")[2]


def _price_text(value: str | None) -> str:
    return "" if value is None else value.replace(".", ",")
