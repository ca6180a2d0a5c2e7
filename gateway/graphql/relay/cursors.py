"""Cursors: the name of the sort and the position of a document in it, each part checked when it comes back."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from bson import Decimal128

from gateway.domain.money import REMEMBERED_AMOUNTS, exact
from gateway.domain.texts import Text
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.ids import MAX_PART
from gateway.graphql.relay.opaque import opened, sealed
from gateway.paging import Position

BAD_CURSOR = Text("Курсор повреждён: «{cursor}».", 'The cursor is damaged: "{cursor}".')
OTHER_SORT = Text(
    "Курсор взят из сортировки {other}, а запрошена {sort}. Начните с первой страницы.",
    "The cursor is of sort {other}, but {sort} was asked for. Start from the first page.",
)

_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_NUMBER = re.compile(r"-?[0-9]{1,15}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_TEXT = 400


class Kind(NamedTuple):
    """How a value of one type stands in a cursor."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    """Raises ValueError for anything `write` does not make."""


def _read_decimal(text: str) -> Decimal128:
    if not _DECIMAL.fullmatch(text):
        raise ValueError(text)
    return Decimal128(Decimal(text))


def _read_number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _read_time(text: str) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=_read_number(text))
    except OverflowError as error:
        raise ValueError(text) from error


def _read_text(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise ValueError(text)
    return text


def _write_time(moment: datetime) -> str:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return str((aware - _EPOCH) // timedelta(milliseconds=1))


@lru_cache(REMEMBERED_AMOUNTS)
def _written_decimal(bid: bytes) -> str:
    return f"{exact(Decimal128.from_bid(bid)):f}"


MONEY = Kind(lambda amount: _written_decimal(amount.bid), _read_decimal)
TIME = Kind(_write_time, _read_time)
TEXT = Kind(str, _read_text)
NUMBER = Kind(str, _read_number)


def cursor(sort: str, kind: Kind, value: Any, id_: str) -> str:
    return sealed(sort, kind.write(value), id_)


def parsed_cursor(text: str, sort: str, kind: Kind) -> Position:
    """The position that the cursor names; refuses what is damaged, crafted, or of another sort."""
    parts = opened(text)
    if not parts or len(parts) != 3 or not 0 < len(parts[2]) <= MAX_PART:
        raise BadInput(BAD_CURSOR, cursor=text[:100])
    of, value, id_ = parts
    if of != sort:
        raise BadInput(OTHER_SORT, other=of[:100], sort=sort)
    try:
        return Position(kind.read(value), id_)
    except ValueError as error:
        raise BadInput(BAD_CURSOR, cursor=text[:100]) from error
