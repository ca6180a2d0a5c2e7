"""The columns of a sheet of products: what they are called, and which value of a product each holds."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from catalog.changes.values import ATTRIBUTE, QUANTITY
from catalog.exchange.cells import amount_value, flag_value, images_value, meant, number_value, text_value
from catalog.exchange.errors import DoubleColumn, NoIdColumn, NothingToChange, UnknownStockColumn
from gateway.domain.texts import Language, Text

ID = "id"
REASON_COLUMN = Text("Причина отказа", "Reason of refusal")
ATTRIBUTE_COLUMN = Text("Характеристика: {name}", "Attribute: {name}")
STOCK_COLUMN = Text("Остаток: {name}", "Stock: {name}")

# More names than that in a message help nobody.
_TOLD = 12


class Column(NamedTuple):
    """A column that every sheet may have."""

    field: str
    title: Text
    names: frozenset[str]
    """All names by which it is known, folded."""
    value_of: Callable[[str], Any]
    about: Text
    example: Text


def _column(
    field: str, title: Text, *more: str, value_of: Callable[[str], Any] = text_value, about: Text, example: Text
) -> Column:
    return Column(field, title, frozenset(folded(name) for name in (*title, *more)), value_of, about, example)


def folded(name: str) -> str:
    """The name of a column without case, spaces at its ends, signs of currency and the guard of a formula."""
    text = meant(name)
    words = " ".join(text.split()).casefold().replace("ё", "е") if isinstance(text, str) else ""
    return re.sub(r"[\s,(]*(?:₽|руб\.?|rub)\)?$", "", words).strip(" :*")


COLUMNS: tuple[Column, ...] = (
    _column(
        ID,
        Text("Артикул", "Id"),
        *("sku", "product id", "product_id", "код", "код товара", "артикул товара", "ид"),
        about=Text(
            "По нему товар узнаётся. Обязателен; товар с новым артикулом будет создан.",
            "The product is known by it. Required; a product with a new id will be created.",
        ),
        example=Text("PROD-12345", "PROD-12345"),
    ),
    _column(
        "name",
        Text("Название", "Name"),
        *("наименование", "название товара", "наименование товара", "title", "product name"),
        about=Text("До 200 знаков. Новому товару обязательно.", "Up to 200 characters. A new product must have it."),
        example=Text("Наушники Тишина", "Headphones Silence"),
    ),
    _column(
        "category",
        Text("Категория", "Category"),
        *("раздел", "рубрика"),
        about=Text(
            "Адрес, название или путь через « > ». Новому товару обязательна; другая категория переносит товар.",
            'Slug, name or the path with " > " between. A new product must have it; another one moves the product.',
        ),
        example=Text("Звук > Аудио", "audio"),
    ),
    _column(
        "base_price",
        Text("Цена", "Price"),
        *("base price", "base_price", "обычная цена", "розничная цена", "цена без скидки"),
        value_of=amount_value,
        about=Text(
            "В рублях, как пишут люди: 25 990,50. Новому товару обязательна.",
            "In roubles, as people write it: 25 990.50. A new product must have it.",
        ),
        example=Text("4 990,00", "4990.00"),
    ),
    _column(
        "sale_price",
        Text("Цена со скидкой", "Sale price"),
        *("sale_price", "акционная цена", "новая цена", "special price"),
        value_of=amount_value,
        about=Text("Ниже цены. [пусто] заканчивает скидку.", "Below the price. [empty] ends the discount."),
        example=Text("3 990,00", "3990.00"),
    ),
    _column(
        "withdrawn",
        Text("Снят с продажи", "Withdrawn"),
        *("снят", "скрыт"),
        value_of=flag_value,
        about=Text("да или нет.", "yes or no."),
        example=Text("нет", "no"),
    ),
    _column(
        "description",
        Text("Описание", "Description"),
        *("описание товара",),
        about=Text("До 10 000 знаков, строк сколько угодно.", "Up to 10 000 characters, in any number of lines."),
        example=Text("Беспроводные наушники.", "Wireless headphones."),
    ),
    _column(
        "images",
        Text("Изображения", "Images"),
        *("изображение", "картинки", "фото", "image", "pictures"),
        value_of=images_value,
        about=Text(
            "По одному в строке ячейки: адрес, пробел, описание. Заменяют все прежние.",
            "One in each line of the cell: address, space, description. They replace all there were.",
        ),
        example=Text("/images/PROD-12345.svg вид спереди", "/images/PROD-12345.svg front view"),
    ),
)
_BY_NAME: Mapping[str, Column] = {name: column for column in COLUMNS for name in column.names}
_BY_FIELD: Mapping[str, Column] = {column.field: column for column in COLUMNS}
_ATTRIBUTE = re.compile(r"(?:характеристика|атрибут|attribute)\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_STOCK = re.compile(r"(?:остатки|остаток|stock|quantity)\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_REASONS = frozenset(folded(name) for name in REASON_COLUMN)


@dataclass(frozen=True, slots=True)
class Matched:
    """What the columns of one sheet hold."""

    fields: tuple[str | None, ...]
    """The value that each column holds, in the words of catalog/changes/values.py and `id`; None: it is ignored."""
    unknown: tuple[str, ...] = ()
    """Names of columns that nobody knows."""

    @property
    def stock(self) -> tuple[str, ...]:
        return tuple(field for field in self.fields if field and field.startswith(QUANTITY))


def match_columns(header: Sequence[str], geozones: Mapping[str, str]) -> Matched:
    """What each column of the header holds; `geozones`: code → name. Raises FileRefused for an unclear header."""
    fields = [_field_of(name, geozones) for name in header]
    seen: dict[str, str] = {}
    for name, field in zip(header, fields, strict=True):
        if field is None:
            continue
        if field in seen:
            raise DoubleColumn(first=seen[field], second=name.strip())
        seen[field] = name.strip()
    found = ", ".join([name.strip() for name in header if name.strip()][:_TOLD]) or "—"
    if ID not in seen:
        raise NoIdColumn(found=found)
    if len(seen) == 1:
        raise NothingToChange(found=found)
    unknown = [
        name.strip()
        for name, field in zip(header, fields, strict=True)
        if field is None and name.strip() and not is_reason(name)
    ]
    return Matched(tuple(fields), tuple(unknown))


def is_known(name: str) -> bool:
    """Whether a column of this name holds anything of a product."""
    text = meant(name)
    return folded(name) in _BY_NAME or (isinstance(text, str) and bool(_ATTRIBUTE.match(text) or _STOCK.match(text)))


def is_reason(name: str) -> bool:
    """Whether it is the column in which we tell why a row was not taken."""
    return folded(name) in _REASONS


def title_of(field: str, geozones: Mapping[str, str], language: Language) -> str:
    """What the column of this value is called."""
    if field.startswith(ATTRIBUTE):
        return ATTRIBUTE_COLUMN.in_language(language, name=field.removeprefix(ATTRIBUTE))
    if field.startswith(QUANTITY):
        code = field.removeprefix(QUANTITY)
        name = geozones.get(code, code)
        is_clear = _codes_named(name, geozones) == [code]
        return STOCK_COLUMN.in_language(language, name=name if is_clear else code)
    return _BY_FIELD[field].title.in_language(language)


def value_in(field: str, text: str) -> Any:
    """The value that the text of a cell means. Raises DomainError."""
    if field.startswith(QUANTITY):
        return number_value(text)
    column = _BY_FIELD.get(field)
    return column.value_of(text) if column else text_value(text)


def _field_of(name: str, geozones: Mapping[str, str]) -> str | None:
    if column := _BY_NAME.get(folded(name)):
        return column.field
    text = meant(name)
    if not isinstance(text, str):
        return None
    if found := _ATTRIBUTE.match(text):
        return f"{ATTRIBUTE}{found[1].strip()}"
    if found := _STOCK.match(text):
        return f"{QUANTITY}{_geozone(found[1], text, geozones)}"
    return None


def _geozone(named: str, column: str, geozones: Mapping[str, str]) -> str:
    codes = _codes_named(named, geozones)
    if len(codes) != 1:
        raise UnknownStockColumn(column=column, known=", ".join([*geozones.values()][:_TOLD]))
    return codes[0]


def _codes_named(named: str, geozones: Mapping[str, str]) -> list[str]:
    wanted = folded(named)
    return [wanted] if wanted in geozones else [code for code, name in geozones.items() if folded(name) == wanted]
