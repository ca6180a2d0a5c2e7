"""A row of a sheet as values of a product."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.changes.values import ATTRIBUTE
from catalog.errors import BadProductId
from catalog.exchange.categories import CategoryNames
from catalog.exchange.cells import Mark, meant
from catalog.exchange.columns import ID, Matched, value_in
from catalog.exchange.errors import CannotBeEmpty, NoStockRight, TooManyCells
from catalog.exchange.sheets.rows import Row
from catalog.products.drafts import PRODUCT_ID
from gateway.domain.errors import DomainError
from gateway.domain.input import Missing

# What emptying makes of a value; the others must hold something.
_EMPTIED: Mapping[str, Any] = {"description": "", "sale_price": None, "images": []}


@dataclass(frozen=True, slots=True)
class ProductRow:
    number: int
    cells: list[str]
    product_id: str
    values: dict[str, Any]
    """What the row says, in the words of catalog/changes/values.py; what it leaves as it is, is not there."""
    errors: tuple[DomainError, ...] = ()
    """What is wrong with its cells in themselves; their paths name the values."""


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads rows of one sheet."""

    columns: Matched
    categories: CategoryNames
    may_change_stock: bool = True

    def read(self, row: Row) -> ProductRow:
        """What the row says; every cell that is wrong is told."""
        values: dict[str, Any] = {}
        errors: list[DomainError] = []
        if len(row.cells) > len(self.columns.fields):
            errors.append(TooManyCells())
        for field, cell in zip(self.columns.fields, row.cells, strict=False):
            if field is None or (text := meant(cell)) is Mark.KEPT:
                continue
            try:
                values[field] = self._value(field, text)
            except DomainError as error:
                errors.append(_about(error, field))
        product_id = values.pop(ID, "")
        if not any(error.path[:1] == (ID,) for error in errors):
            errors += _id_errors(product_id)
        return ProductRow(row.number, row.cells, product_id, values, tuple(errors))

    def _value(self, field: str, text: str | Mark) -> Any:
        if field in self.columns.stock and not self.may_change_stock:
            raise NoStockRight
        if isinstance(text, Mark):
            return _emptied(field)
        value = value_in(field, text)
        return self.categories.slug_of(value) if field == "category" else value


def _emptied(field: str) -> Any:
    if field.startswith(ATTRIBUTE):
        return None
    if field not in _EMPTIED:
        raise CannotBeEmpty
    return _EMPTIED[field]


def _id_errors(product_id: str) -> list[DomainError]:
    if not product_id:
        return [Missing(ID)]
    return [] if PRODUCT_ID.match(product_id) else [BadProductId(ID)]


def _about(error: DomainError, field: str) -> DomainError:
    return type(error)(field, **error.values)
