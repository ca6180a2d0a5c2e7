"""A bulk change: operations that are done to each product of a selection, one after the other."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.bulk.operations import Operation, Round, operation_document, operation_of
from catalog.changes.batch import Wanted
from catalog.changes.values import QUANTITY, Values, values_of
from catalog.documents import ProductDocument
from catalog.errors import ChangedTwice, NoOperation
from gateway.domain.errors import DomainError, Refused

PRICING = ("price.percent", "price.amount", "price.set", "discount.set", "discount.end")


@dataclass(frozen=True, slots=True)
class BulkChange:
    operations: tuple[Operation, ...]

    def wanted(self, document: ProductDocument) -> Wanted:
        """What shall become of the product, as it is now."""
        values, changes, deltas = values_of(document), dict[str, Any](), dict[str, int]()
        for operation in self.operations:
            changes |= operation.changes({**values, **changes})
            deltas |= operation.deltas()
        return Wanted(values=changes, deltas=deltas)

    def after(self, document: ProductDocument) -> dict[str, Any]:
        """All values of the product as they would be, whether they are allowed or not."""
        values, wanted = values_of(document), self.wanted(document)
        stock = {f"{QUANTITY}{zone}": _pieces(values, zone) + pieces for zone, pieces in wanted.deltas.items()}
        return {**values, **wanted.values, **stock}

    @property
    def touches_stock(self) -> bool:
        return any(operation.code.startswith(QUANTITY) for operation in self.operations)

    @property
    def unrounded(self) -> "BulkChange | None":
        """The same change without its rounding; None: it has none."""
        others = tuple(operation for operation in self.operations if not isinstance(operation, Round))
        return BulkChange(others) if len(others) < len(self.operations) else None

    def to_document(self) -> list[dict[str, Any]]:
        return [operation_document(operation) for operation in self.operations]

    @classmethod
    def from_document(cls, document: Iterable[Mapping[str, Any]]) -> "BulkChange":
        return cls(tuple(operation_of(each) for each in document))


def checked_change(operations: Iterable[Operation]) -> BulkChange:
    """The change that does these, rounding last; or `Refused` with everything that is wrong."""
    chosen = tuple(sorted(operations, key=lambda operation: isinstance(operation, Round)))
    if errors := list(_errors(chosen)):
        raise Refused(errors)
    return BulkChange(chosen)


def _errors(operations: tuple[Operation, ...]) -> Iterator[DomainError]:
    if not operations:
        yield NoOperation()
    for operation in operations:
        yield from operation.errors()
    if any(times > 1 for times in Counter(_subject(operation) for operation in operations).values()):
        yield ChangedTwice()


def _subject(operation: Operation) -> str:
    """What the operation is about: two of the same would undo each other, or add up unseen."""
    if operation.code in PRICING:
        return "price"
    part = getattr(operation, "name", None) or getattr(operation, "geozone", None) or ""
    return f"{operation.code.partition('.')[0]}.{part}" if not isinstance(operation, Round) else operation.code


def _pieces(values: Values, geozone: str) -> int:
    return values.get(f"{QUANTITY}{geozone}") or 0
