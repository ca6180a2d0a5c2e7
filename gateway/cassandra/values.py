"""Conversion between documents and rows, both ways, by the declared types: no value is converted by hand."""

import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from bson import Decimal128

from gateway.cassandra.statements import Row
from gateway.cassandra.table import Table, UserType
from gateway.mongo.client import Document

# Prices repeat, within a document and from one to the next, and the driver takes 10 µs to make one.
DECIMALS_KEPT = 10_000

_WRAPPED = re.compile(r"(frozen|list)<(.*)>")

Convert = Callable[[Any], Any]
Types = tuple[UserType, ...]


class Codec:
    """Makes rows of one table from documents, and documents from rows.

    A column holds the document's field of the same name, `id_column` its `_id`.
    """

    def __init__(self, table: Table, *, id_column: str, beside: Collection[str] = ()) -> None:
        """`beside` names the columns that are no fields of the document."""
        fields = {column: "_id" if column == id_column else column for column in table.columns if column not in beside}
        self._fields = fields
        self._encoders = {column: _optional(_encoder(table.columns[column], table.types)) for column in fields}
        self._decoders = {column: _optional(_decoder(table.columns[column], table.types)) for column in fields}

    def row(self, document: Mapping[str, Any], **beside: Any) -> Row:
        """The row for a document, as Cassandra takes it; `beside` gives the columns that are no fields of it."""
        made = {column: encode(document.get(self._fields[column])) for column, encode in self._encoders.items()}
        return made | beside

    def document(self, row: Row) -> Document:
        """The document that a row was made from, as far as the row holds it."""
        return {self._fields[column]: decode(row[column]) for column, decode in self._decoders.items() if column in row}


def _optional(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _encoder(cql_type: str, types: Types) -> Convert:
    if cql_type == "decimal":
        return _decimal
    if wrapped := _WRAPPED.fullmatch(cql_type):
        inner = _optional(_encoder(wrapped[2], types))
        return inner if wrapped[1] == "frozen" else lambda values: [inner(value) for value in values]
    if user_type := _named(cql_type, types):
        fields = {name: _optional(_encoder(of, types)) for name, of in user_type.fields.items()}
        return lambda value: tuple(convert(value.get(name)) for name, convert in fields.items())
    return _same


def _decoder(cql_type: str, types: Types) -> Convert:
    if cql_type == "decimal":
        return Decimal128
    if wrapped := _WRAPPED.fullmatch(cql_type):
        inner = _optional(_decoder(wrapped[2], types))
        return inner if wrapped[1] == "frozen" else lambda values: [inner(value) for value in values]
    if user_type := _named(cql_type, types):
        fields = [(name, _optional(_decoder(of, types))) for name, of in user_type.fields.items()]
        # A row written before a field was added to the type is shorter.
        return lambda value: {name: convert(each) for (name, convert), each in zip(fields, value, strict=False)}
    return _same


def _named(cql_type: str, types: Types) -> UserType | None:
    return next((user_type for user_type in types if user_type.name == cql_type), None)


def decimal_of(value: Decimal128) -> Decimal:
    """The same number; for many, since it remembers them."""
    return _decimal_of_bits(value.bid)


@lru_cache(DECIMALS_KEPT)
def _decimal_of_bits(bits: bytes) -> Decimal:
    return Decimal128.from_bid(bits).to_decimal()


def _decimal(value: Decimal128 | Decimal) -> Decimal:
    return decimal_of(value) if isinstance(value, Decimal128) else value


def _same(value: Any) -> Any:
    return value
