"""Attributes and images of a product as rows of the form: added, removed and put in order by the script beside it."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from unfold.widgets import BASE_INPUT_CLASSES

from catalog.pictures.addresses import name_in, thumbnail_of
from catalog.structure.attributes import attributes_of
from gateway.domain.texts import Text
from gateway.staff.language import said

Row = dict[str, str]

# On a sharp screen still sharp.
THUMBNAIL = 320
FILES = "_files"

ATTRIBUTE_WORDS = {
    "name": Text("Название", "Name"),
    "value": Text("Значение", "Value"),
    "add": Text("Добавить характеристику", "Add an attribute"),
    "remove": Text("Убрать характеристику", "Remove the attribute"),
    "expected": Text("Обычно указывают:", "Usually given:"),
    "yes": Text("да", "yes"),
    "no": Text("нет", "no"),
}
IMAGE_WORDS = {
    "main": Text("главное", "main"),
    "alt": Text("Что на изображении", "What it shows"),
    "url": Text("Адрес изображения: https://…", "Address of the image: https://…"),
    "drag": Text("Перетащите, чтобы поменять порядок", "Drag to change the order"),
    "earlier": Text("Раньше", "Earlier"),
    "later": Text("Позже", "Later"),
    "remove": Text("Убрать изображение", "Remove the image"),
    "upload": Text("Загрузить изображения", "Upload images"),
    "drop": Text(
        "JPEG, PNG, WebP или GIF; можно несколько сразу или перетащить сюда.",
        "JPEG, PNG, WebP or GIF; several at once, or dropped here.",
    ),
    "add": Text("Указать адрес", "Give an address"),
    "loading": Text("Загружается: {name}", "Uploading: {name}"),
    "failed": Text("Не загрузилось. Проверьте связь и повторите.", "Not uploaded. Check the connection, try again."),
    "too_large": Text("Файл слишком велик.", "The file is too large."),
    "placed": Text("Изображение {place} из {number}", "Image {place} of {number}"),
    "none": Text("Изображений пока нет.", "There are no images yet."),
}


class RowsWidget(forms.Widget):
    """Rows of texts, each column under a name of its own: `attributes_name`, `attributes_value`."""

    columns: ClassVar[tuple[str, ...]]

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> list[Row]:
        """The rows that say anything; those of a form that is shown again as they are given."""
        given = data.get(name)
        if isinstance(given, list):
            return given
        sent = data if isinstance(data, QueryDict) else QueryDict()
        cells = zip_longest(*(sent.getlist(f"{name}_{column}") for column in self.columns), fillvalue="")
        rows = [dict(zip(self.columns, map(str.strip, row), strict=True)) for row in cells]
        return [row for row in rows if any(row.values())]

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        return not any(f"{name}_{column}" in data for column in self.columns)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        blank = dict.fromkeys(self.columns, "")
        context: dict[str, Any] = super().get_context(name, None, attrs)
        return {**context, "rows": value or [], "blank": blank, "input_classes": " ".join(BASE_INPUT_CLASSES)}

    def id_for_label(self, id_: str) -> str:
        # Many fields, none of which the label is for.
        return ""


class AttributesWidget(RowsWidget):
    template_name = "catalog/admin/product_form/attributes.html"
    columns = ("name", "value")
    category: str = ""
    """Whose attributes are suggested even without a script."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        return {
            **super().get_context(name, value, attrs),
            "words": _words(ATTRIBUTE_WORDS),
            "suggestions": reverse("admin:catalog_product_suggestions"),
            "declared": attributes_of(self.category) if self.category else [],
        }


class ImagesWidget(RowsWidget):
    template_name = "catalog/admin/product_form/images.html"
    columns = ("url", "alt")
    needs_multipart_form = True

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        return {
            **context,
            "rows": [_shown(row) for row in context["rows"]],
            "blank": _shown(context["blank"]),
            "words": _words(IMAGE_WORDS),
            "upload": reverse("admin:catalog_product_pictures"),
            "most_bytes": settings.PICTURE_MAX_BYTES,
            "files": f"{name}{FILES}",
        }


class RowsField(forms.Field):
    """Rows of a form; what is wrong about them the action says."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)

    def to_python(self, value: Any) -> list[Row]:
        return value or []


def _words(texts: Mapping[str, Text]) -> dict[str, str]:
    """The words of the rows; those with values as the script fills them in."""
    return {key: said(text, name="{name}", place="{place}", number="{number}") for key, text in texts.items()}


def _shown(row: Row) -> dict[str, Any]:
    return {**row, "thumbnail": thumbnail_of(row, THUMBNAIL), "is_uploaded": name_in(row["url"]) is not None}
