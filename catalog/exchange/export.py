"""Products as rows of a sheet that can be loaded again and then changes nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from catalog.changes.values import ATTRIBUTE, PRICES, QUANTITY, values_of
from catalog.documents import ProductDocument
from catalog.exchange.categories import CategoryNames
from catalog.exchange.cells import guarded, image_lines
from catalog.exchange.columns import COLUMNS, ID, title_of
from catalog.exchange.sheets.rows import Cell
from gateway.domain.texts import Language, Text

YES, NO = Text("да", "yes"), Text("нет", "no")


@dataclass(frozen=True)
class Exporter:
    """Makes rows with one set of columns."""

    attributes: Sequence[str]
    geozones: Mapping[str, str]
    """Code → name of those that get a column."""
    categories: CategoryNames
    language: Language

    @cached_property
    def fields(self) -> list[str]:
        """What the columns hold, in the words of catalog/changes/values.py."""
        return [
            *(column.field for column in COLUMNS),
            *(f"{ATTRIBUTE}{name}" for name in self.attributes),
            *(f"{QUANTITY}{code}" for code in self.geozones),
        ]

    def header(self) -> list[Cell]:
        return [guarded(title_of(field, self.geozones, self.language)) for field in self.fields]

    def row(self, document: ProductDocument) -> list[Cell]:
        values = {ID: document["_id"], **values_of(document)}
        return [self._cell(field, values.get(field)) for field in self.fields]

    def _cell(self, field: str, value: object) -> Cell:
        if value is None:
            return None
        if field in PRICES:
            return Decimal(str(value))
        if isinstance(value, bool):
            return (YES if value else NO).in_language(self.language)
        if isinstance(value, int):
            return value
        if field == "images":
            return guarded(image_lines(value))  # type: ignore[arg-type]
        return guarded(self.categories.label_of(str(value)) if field == "category" else str(value))


def attribute_names(documents: Iterable[ProductDocument]) -> set[str]:
    """Names of all attributes that any of the products has."""
    return {name for document in documents for name in document.get("attributes") or {}}


def template_rows(geozones: Mapping[str, str], language: Language) -> list[list[Cell]]:
    """A header with every column that there may be, and a row as an example."""
    colour = {"ru": ("Цвет", "чёрный"), "en": ("Colour", "black")}[language]
    header = [
        *(column.title.in_language(language) for column in COLUMNS),
        title_of(f"{ATTRIBUTE}{colour[0]}", geozones, language),
        *(title_of(f"{QUANTITY}{code}", geozones, language) for code in geozones),
    ]
    example = [*(column.example.in_language(language) for column in COLUMNS), colour[1], *("10" for _ in geozones)]
    return [[*header], [*example]]
