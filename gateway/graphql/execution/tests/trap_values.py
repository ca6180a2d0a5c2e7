"""Leaves that are not quite of their type, and lists that are none. Fields named `bad…` always fall or fail."""

import asyncio
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar

import strawberry
from strawberry.permission import BasePermission

T = TypeVar("T")


@strawberry.enum
class Colour(Enum):
    RED = "r"
    GREEN = 2
    BLUE = strawberry.enum_value("b", name="AZURE")


class Nobody(BasePermission):
    message = "not for you"

    def has_permission(self, source: Any, info: Any, **_: Any) -> bool:
        return False


async def _later(value: T) -> T:
    await asyncio.sleep(0)
    return value


@strawberry.type
class Values:
    @strawberry.field
    def one_as_true(self) -> int:
        return True

    @strawberry.field
    def whole_float(self) -> int:
        return 3.0  # type: ignore[return-value]

    @strawberry.field
    def int_of_text(self) -> int:
        return "12"  # type: ignore[return-value]

    @strawberry.field
    def float_of_int(self) -> float:
        return 3

    @strawberry.field
    def text_of_int(self) -> str:
        return 5  # type: ignore[return-value]

    @strawberry.field
    def text_of_bool(self) -> str:
        return True  # type: ignore[return-value]

    @strawberry.field
    def id_of_int(self) -> strawberry.ID:
        return 5  # type: ignore[return-value]

    @strawberry.field
    def true_of_one(self) -> bool:
        return 1  # type: ignore[return-value]

    @strawberry.field
    def decimal(self) -> Decimal:
        return Decimal("1E+2")

    @strawberry.field
    def day(self) -> date:
        return date(2026, 11, 17)

    @strawberry.field
    def anything(self) -> strawberry.scalars.JSON:
        return ["b", 1, None, [1.5], True]  # type: ignore[return-value]

    @strawberry.field
    def colour(self) -> Colour:
        return Colour.BLUE

    @strawberry.field
    def colours(self) -> list[Colour | None]:
        return [Colour.RED, None, Colour.GREEN]

    @strawberry.field
    def text_null(self) -> str | None:
        return None

    @strawberry.field
    def enum_null(self) -> Colour | None:
        return None

    @strawberry.field
    def as_tuple(self) -> list[int]:
        return (1, 2)  # type: ignore[return-value]

    @strawberry.field
    def matrix(self) -> list[list[int | None]]:
        return [[1, None], []]

    @strawberry.field
    def bad_nan(self) -> float:
        return float("nan")

    @strawberry.field
    def bad_enum(self) -> Colour | None:
        return "purple"  # type: ignore[return-value]

    @strawberry.field
    def bad_int_of_text(self) -> int | None:
        return "twelve"  # type: ignore[return-value]

    @strawberry.field
    def bad_generator(self) -> list[int]:
        return (each for each in (1, 2))  # type: ignore[return-value]

    @strawberry.field
    def bad_iterator(self) -> list[int]:
        return iter([1, 2])  # type: ignore[return-value]

    @strawberry.field
    def bad_set(self) -> list[int]:
        return {1: "x"}.keys()  # type: ignore[return-value]

    @strawberry.field
    def bad_text_as_list(self) -> list[str] | None:
        return "ab"  # type: ignore[return-value]

    @strawberry.field
    def bad_null_in_list(self) -> list[int] | None:
        return [1, None]  # type: ignore[list-item]

    @strawberry.field
    def bad_error_in_list(self) -> list[int | None]:
        return [1, ValueError("in a list")]  # type: ignore[list-item]

    @strawberry.field
    def bad_error_as_value(self) -> str | None:
        return ValueError("as a value")  # type: ignore[return-value]

    @strawberry.field
    def bad_coroutine(self) -> str:
        return _later("by a sync function")  # type: ignore[return-value]

    @strawberry.field
    def bad_coroutines(self) -> list[int]:
        return [_later(1), _later(2)]  # type: ignore[list-item]

    @strawberry.field(permission_classes=[Nobody])
    def bad_forbidden(self) -> str:
        return "never"
