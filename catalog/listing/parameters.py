"""The parameters of the address of staff's list, and what they ask for. Bulk changes and exports take the same ones."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, get_args

from django.utils.timezone import get_current_timezone

from catalog.documents import Part
from catalog.listing.filters import AnyOf, Wanted
from catalog.listing.inventory import Inventory
from catalog.listing.routes import Filter, Level, Shelf, State
from catalog.products.cards import ProductKey, keys_now
from catalog.search.query import words_asked
from catalog.structure.category_tree import CATEGORIES
from gateway.domain.errors import Code, DomainError, Refused
from gateway.domain.input import normal_key
from gateway.domain.texts import DEFAULT_LANGUAGE, Language, Text
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import run
from gateway.paging import SortKey

CATEGORY = "category"
STATE = "state"
PRICE_FROM, PRICE_TO = "price_from", "price_to"
DISCOUNT = "discount"
STOCK = "stock"
"""Geozone and level: «msk:low»."""
ATTRIBUTE = "attribute"
"""Name and value: «Цвет=белый»."""
MISSING = "missing"
CHANGED = "changed"
"""A day or a moment; or days back from now, «7d»."""
SEARCH = "q"
PARAMETERS = (CATEGORY, STATE, PRICE_FROM, PRICE_TO, DISCOUNT, STOCK, ATTRIBUTE, MISSING, CHANGED)

_AMOUNT = re.compile(r"(\d{1,10})(?:[.,](\d{1,2}))?")
_DAYS = re.compile(r"(\d{1,3})d")


class BadFilter(DomainError):
    """`path` names the parameter."""

    code = Code.INVALID
    text = Text("Фильтр «{name}» не понят: «{value}».", 'The filter "{name}" is not understood: "{value}".')

    def message(self, language: Language = DEFAULT_LANGUAGE) -> str:
        return self.text.in_language(language, **self.values, name=NAMES[str(self.path[0])].in_language(language))


NAMES = {
    CATEGORY: Text("категория", "category"),
    STATE: Text("продажа", "state"),
    PRICE_FROM: Text("цена от", "price from"),
    PRICE_TO: Text("цена до", "price to"),
    DISCOUNT: Text("скидка от", "discount from"),
    STOCK: Text("остаток", "stock"),
    ATTRIBUTE: Text("характеристика", "attribute"),
    MISSING: Text("не хватает", "missing"),
    CHANGED: Text("изменён с", "changed since"),
}


def inventory_of(filters: Mapping[str, str], search: str = "", order: SortKey | None = None) -> Inventory:
    """What the parameters ask for. Raises Refused with a BadFilter for each that makes no sense; others are ignored."""
    asked = _read_all(filters)
    tree = CATEGORIES.get()
    category = asked.get(CATEGORY)
    search = search.strip()
    only = _product(search) if search else None
    words = () if only else words_asked(search)
    # What has no words at all finds nothing.
    finds_nothing = bool(search) and not words and not only
    within = None if category is None else tree.within(category)
    shelf: Shelf | None = asked.get(STOCK)
    is_some = shelf is not None and shelf.level is Level.SOME
    wanted = Wanted(
        categories=() if finds_nothing else within,
        price_min=asked.get(PRICE_FROM),
        price_max=asked.get(PRICE_TO),
        in_stock_in=shelf.geozone if shelf and is_some else None,
        attributes=(asked[ATTRIBUTE],) if ATTRIBUTE in asked else (),
        words=words,
    )
    return Inventory(
        asked=Filter(
            wanted=wanted,
            state=asked.get(STATE, State.ANY),
            discount_min=asked.get(DISCOUNT),
            edited_since=asked.get(CHANGED),
            missing=asked.get(MISSING),
            shelf=None if is_some else shelf,
        ),
        order=order,
        every_category=tuple(tree.nodes),
        only=only,
    )


def frozen(filters: Mapping[str, str]) -> dict[str, str]:
    """The filters as they are now, of those known: «7d» as the moment it means. Raises as `inventory_of` does."""
    asked = _read_all(filters)
    kept = {name: filters[name] for name in PARAMETERS if name in asked}
    if CHANGED in asked:
        kept[CHANGED] = asked[CHANGED].isoformat()
    return kept


def _read_all(filters: Mapping[str, str]) -> dict[str, Any]:
    errors: list[DomainError] = []
    found: dict[str, Any] = {}
    for name, read in _READERS.items():
        if not (given := normal_key(filters.get(name, ""))):
            continue
        try:
            found[name] = read(given)
        except (ValueError, OverflowError):
            errors.append(BadFilter(name, value=given))
    if errors:
        raise Refused(errors)
    return found


def _amount(text: str) -> Decimal:
    found = _AMOUNT.fullmatch(text.replace(" ", "").removesuffix("₽"))
    if found is None:
        raise ValueError(text)
    return Decimal(f"{found[1]}.{found[2] or '00':0<2}")


def _percent(text: str) -> int:
    percent = int(text.removesuffix("%").strip())
    if not 1 <= percent <= 100:
        raise ValueError(text)
    return percent


def _category(slug: str) -> str:
    if CATEGORIES.get().get(slug) is None:
        raise ValueError(slug)
    return slug


def _shelf(text: str) -> Shelf:
    geozone, _, level = text.rpartition(":")
    if not geozone:
        raise ValueError(text)
    return Shelf(geozone, Level(level))


def _attribute(text: str) -> AnyOf:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ValueError(text)
    return AnyOf(name.strip(), (value.strip(),))


def _part(text: str) -> Part:
    if text not in get_args(Part):
        raise ValueError(text)
    part: Part = text  # type: ignore[assignment]
    return part


def _moment(text: str) -> datetime:
    if days := _DAYS.fullmatch(text):
        return datetime.now(UTC) - timedelta(days=int(days[1]))
    if len(text) <= len("2026-01-01"):
        return datetime.combine(date.fromisoformat(text), time(), get_current_timezone()).astimezone(UTC)
    moment = datetime.fromisoformat(text.replace(" ", "+"))
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)


_READERS: dict[str, Callable[[str], Any]] = {
    CATEGORY: _category,
    STATE: State,
    PRICE_FROM: _amount,
    PRICE_TO: _amount,
    DISCOUNT: _percent,
    STOCK: _shelf,
    ATTRIBUTE: _attribute,
    MISSING: _part,
    CHANGED: _moment,
}


def _product(text: str) -> ProductKey | None:
    """The product whose id was typed, by the directory."""
    ids = list(dict.fromkeys((text, text.upper())))
    found = {key.id: key for key in run(keys_now(ids, STAFF_LIST))}
    return next((found[id_] for id_ in ids if id_ in found), None)
