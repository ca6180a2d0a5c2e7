"""Scalars of the API: decimals, times and days travel as strings, so that they stay exact."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from graphql import GraphQLError
from strawberry.types.scalar import ScalarDefinition

# Far beyond any price; keeps a hostile exponent from becoming a number with a million digits.
_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,6})?")
_KOPECK = Decimal("0.01")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _written_decimal(value: Decimal) -> str:
    """The amount with kopecks at least: «89990.00»."""
    if value.same_quantum(_KOPECK):
        return str(value)
    return f"{value:.2f}" if -value.as_tuple().exponent <= 2 else f"{value:f}"  # type: ignore[operator]


def _read_decimal(value: Any) -> Decimal:
    """The Decimal in a string or a number; a float counts as it was written, though not exact itself."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not _DECIMAL.fullmatch(str(value)):
        raise GraphQLError(f'Decimal cannot represent {value!r}: write it as "89990.00".')
    return Decimal(str(value))


def _written_time(moment: datetime) -> str:
    utc = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03}Z"


def _read_time(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise GraphQLError(f"DateTime cannot represent {value!r}.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_date(value: Any) -> date:
    # Python would also read «20261117» and «2026-W47-2».
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        raise GraphQLError(f'Date cannot represent {value!r}: write it as "2026-11-17".')
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise GraphQLError(f"Date cannot represent {value!r}: there is no such day.") from error


def _scalar(
    name: str, description: str, specified_by: str, serialize: Any, parse: Any, origin: type
) -> ScalarDefinition:
    return ScalarDefinition(
        name=name,
        description=description,
        specified_by_url=specified_by,
        serialize=serialize,
        parse_value=parse,
        parse_literal=None,
        origin=origin,
    )


SCALARS: dict[object, ScalarDefinition] = {
    Decimal: _scalar(
        "Decimal",
        'Exact decimal as a string, e.g. "89990.00"; read it by a decimal library. As input a number will do, too.',
        "https://www.w3.org/TR/xmlschema11-2/#decimal",
        _written_decimal,
        _read_decimal,
        Decimal,
    ),
    datetime: _scalar(
        "DateTime",
        'UTC, ISO 8601, e.g. "2026-11-17T09:45:33.120Z".',
        "https://www.rfc-editor.org/rfc/rfc3339",
        _written_time,
        _read_time,
        datetime,
    ),
    date: _scalar(
        "Date",
        'A day, ISO 8601, e.g. "2026-11-17".',
        "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
        date.isoformat,
        _read_date,
        date,
    ),
}
