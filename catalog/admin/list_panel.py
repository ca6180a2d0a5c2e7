"""Above the list of products: the tree of categories with counts, the filters, what is set, what can be done."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import QueryDict
from django.urls import NoReverseMatch, reverse
from unfold.widgets import BASE_CLASSES

from catalog.admin.product_counts import products_by_category
from catalog.listing import parameters
from catalog.listing.routes import Level, State
from catalog.structure.category_tree import CATEGORIES, CategoryNode, CategoryTree
from catalog.structure.names import GEOZONE_NAMES, category_name, geozone_name
from gateway.domain.texts import Text
from gateway.staff.language import said

WORDS = {
    "categories": Text("Категории", "Categories"),
    "every_category": Text("Все категории", "All categories"),
    "filters": Text("Фильтры", "Filters"),
    "price_from": Text("Цена от, ₽", "Price from, ₽"),
    "price_to": Text("до, ₽", "to, ₽"),
    "discount": Text("Скидка от, %", "Discount from, %"),
    "stock": Text("Остаток", "Stock"),
    "attribute": Text("Характеристика", "Attribute"),
    "attribute_hint": Text("Цвет=чёрный", "Colour=black"),
    "missing": Text("Не хватает", "Missing"),
    "state": Text("Продажа", "State"),
    "changed": Text("Изменён", "Changed"),
    "changed_since": Text("с даты", "since the day"),
    "any": Text("— любой —", "— any —"),
    "apply": Text("Показать", "Show"),
    "reset": Text("Сбросить всё", "Reset all"),
    "remove": Text("Убрать условие", "Remove the condition"),
    "edit": Text("Править в списке", "Edit in the list"),
    "save": Text("Сохранить изменения", "Save the changes"),
    "leave": Text("Закончить правку", "Stop editing"),
    "edit_hint": Text(
        "Цена со скидкой: сумма или процент, например 15%; пусто — без скидки. Сохраняются только тронутые строки.",
        "Sale price: an amount or a percentage such as 15%; empty: no discount. Only touched rows are saved.",
    ),
    "change_all": Text("Изменить всё найденное", "Change all that was found"),
    "stock_all": Text("Лист остатков", "Stock sheet"),
    "export_all": Text("Выгрузить всё найденное", "Export all that was found"),
    "nothing_found": Text("По этим условиям ничего нет", "Nothing meets these conditions"),
    "nothing_found_hint": Text("Уберите одно из условий или сбросьте все.", "Remove one of the conditions, or all."),
    "no_products": Text("В каталоге пока нет товаров", "There are no products yet"),
    "no_products_hint": Text("Добавьте первый товар.", "Add the first one."),
    "stopped": Text("Поиск остановлен", "The search was stopped"),
    "stopped_hint": Text(
        "Так много просмотреть за раз нельзя: добавьте категорию или уберите сортировку.",
        "That is too much to look through: add a category or take away the order.",
    ),
    "add": Text("Добавить товар", "Add a product"),
}
LEVELS = {
    Level.NONE: Text("нет", "none"),
    Level.LOW: Text("мало", "low"),
    Level.SOME: Text("есть", "some"),
}
MISSING = {
    "image": Text("изображения", "an image"),
    "description": Text("описания", "a description"),
    "attributes": Text("характеристик", "attributes"),
}
STATES = {
    State.ON_SALE: Text("в продаже", "for sale"),
    State.WITHDRAWN: Text("сняты с продажи", "withdrawn"),
}
PERIODS = {
    "1d": Text("за сутки", "within a day"),
    "7d": Text("за неделю", "within a week"),
    "30d": Text("за месяц", "within a month"),
}
CHIPS = {
    parameters.CATEGORY: Text("{value}", "{value}"),
    parameters.STATE: Text("{value}", "{value}"),
    parameters.PRICE_FROM: Text("цена от {value} ₽", "price from {value} ₽"),
    parameters.PRICE_TO: Text("цена до {value} ₽", "price to {value} ₽"),
    parameters.DISCOUNT: Text("скидка от {value} %", "discount from {value}%"),
    parameters.STOCK: Text("{value}", "{value}"),
    parameters.ATTRIBUTE: Text("{value}", "{value}"),
    parameters.MISSING: Text("без {value}", "without {value}"),
    parameters.CHANGED: Text("изменён {value}", "changed {value}"),
    parameters.SEARCH: Text("«{value}»", '"{value}"'),
}
SINCE = Text("с {day}", "since {day}")


class Branch(NamedTuple):
    """A category in the tree."""

    slug: str
    name: str
    products: int | None
    """In it and below it; None: not known."""
    url: str
    is_chosen: bool
    is_open: bool
    branches: list["Branch"]


class Chip(NamedTuple):
    """A condition that is set, and the list without it."""

    text: str
    url: str


class Option(NamedTuple):
    value: str
    text: str
    is_chosen: bool


class OptionGroup(NamedTuple):
    name: str
    options: list[Option]


class Panel:
    """What stands above the list, for one page of it."""

    def __init__(self, listed: Any, given: Mapping[str, str], search: str, *, may_change: bool) -> None:
        self._listed, self.given, self.search = listed, given, search
        self.may_change = may_change
        self.input_classes = " ".join((*BASE_CLASSES, "px-3", "py-2"))

    def __getattr__(self, name: str) -> str:
        """The words of the page, in the language of the member of staff."""
        if name not in WORDS:
            raise AttributeError(name)
        return said(WORDS[name])

    @property
    def is_asked(self) -> bool:
        """Whether the list is narrowed by anything."""
        return bool(self.chips)

    def tree(self) -> list[Branch]:
        tree, chosen = CATEGORIES.get(), self.given.get(parameters.CATEGORY, "")
        node = tree.get(chosen)
        above = {chosen, *(node.path if node else ())}
        counts = products_by_category()
        return [self._branch(tree, root, above, counts) for root in tree.children(None)]

    @property
    def everywhere(self) -> str:
        return self._address(remove=[parameters.CATEGORY])

    @property
    def chips(self) -> list[Chip]:
        asked = {**self.given, **({parameters.SEARCH: self.search} if self.search else {})}
        return [
            Chip(said(CHIPS[name], value=_told(name, value)), self._address(remove=[name]))
            for name, value in asked.items()
            if name in CHIPS
        ]

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What the form of the filters must not lose: search, order, category."""
        parts = QueryDict(self._listed.get_query_string(remove=[*parameters.PARAMETERS]).lstrip("?"))
        category = self.given.get(parameters.CATEGORY)
        return [*((name, parts[name]) for name in parts), *([(parameters.CATEGORY, category)] if category else [])]

    @property
    def stocks(self) -> list[OptionGroup]:
        chosen = self.given.get(parameters.STOCK)
        return [
            OptionGroup(
                name,
                [
                    Option(f"{code}:{level.value}", f"{name}: {said(text)}", f"{code}:{level.value}" == chosen)
                    for level, text in LEVELS.items()
                ],
            )
            for code, name in GEOZONE_NAMES.get().items()
        ]

    @property
    def parts(self) -> list[Option]:
        chosen = self.given.get(parameters.MISSING)
        return [Option(part, said(text), part == chosen) for part, text in MISSING.items()]

    @property
    def states(self) -> list[Option]:
        chosen = self.given.get(parameters.STATE)
        return [Option(state.value, said(text), state.value == chosen) for state, text in STATES.items()]

    @property
    def periods(self) -> list[Option]:
        chosen = self.given.get(parameters.CHANGED)
        return [Option(period, said(text), period == chosen) for period, text in PERIODS.items()]

    @property
    def since(self) -> str:
        """The day from which on changes are asked for, if it is one."""
        asked = self.given.get(parameters.CHANGED, "")
        return "" if asked in PERIODS else asked[:10]

    @property
    def suggestions(self) -> str:
        return reverse("admin:catalog_product_suggestions")

    @property
    def edit_address(self) -> str:
        return self._address({"edit": "1"})

    @property
    def leave_address(self) -> str:
        return self._address(remove=["edit"])

    @property
    def change_all_address(self) -> str:
        return self._whole("admin:bulk_change") if self.may_change else ""

    @property
    def stock_all_address(self) -> str:
        return self._whole("stock_sheet")

    @property
    def export_all_address(self) -> str:
        return self._whole("admin:export_products")

    @property
    def add_address(self) -> str:
        return reverse("admin:catalog_product_add")

    def _whole(self, page: str) -> str:
        """The address of a page for all that the list would show; empty while there is no such page."""
        address = address_of(page)
        asked = QueryDict(mutable=True)
        asked.update({**self.given, **({parameters.SEARCH: self.search} if self.search else {})})
        return f"{address}?{asked.urlencode()}" if address else ""

    def _address(self, new: Mapping[str, str] | None = None, remove: list[str] | None = None) -> str:
        address: str = self._listed.get_query_string(new or {}, [*(remove or []), "p"])
        return address

    def _branch(self, tree: CategoryTree, node: CategoryNode, above: set[str], counts: Mapping[str, int]) -> Branch:
        branches = [self._branch(tree, child, above, counts) for child in tree.children(node.slug)]
        below = sum(branch.products or 0 for branch in branches)
        return Branch(
            node.slug,
            node.name,
            counts.get(node.slug, 0) + below if counts else None,
            self._address({parameters.CATEGORY: node.slug}),
            node.slug == self.given.get(parameters.CATEGORY),
            node.slug in above,
            branches,
        )


def address_of(page: str, *arguments: str) -> str:
    """The address of a page of this name; empty when there is none."""
    try:
        return reverse(page, args=arguments)
    except NoReverseMatch:
        return ""


def _told(name: str, value: str) -> str:
    """The value of a filter as people read it; as it stands, when it makes no sense."""
    match name:
        case parameters.CATEGORY:
            return category_name(value)
        case parameters.STATE:
            return said(next((text for state, text in STATES.items() if state.value == value), Text(value, value)))
        case parameters.MISSING:
            return said(MISSING.get(value, Text(value, value)))
        case parameters.STOCK:
            geozone, _, level = value.rpartition(":")
            texts = [said(text) for each, text in LEVELS.items() if each.value == level]
            return f"{geozone_name(geozone)}: {texts[0] if texts else level}"
        case parameters.CHANGED:
            return said(PERIODS[value]) if value in PERIODS else said(SINCE, day=value[:10])
    return value.removesuffix("%").strip() if name == parameters.DISCOUNT else value
