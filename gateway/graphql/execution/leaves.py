"""Leaves: the value of a scalar or enum as it stands in the answer."""

import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLFloat,
    GraphQLID,
    GraphQLInt,
    GraphQLLeafType,
    GraphQLString,
    is_specified_scalar_type,
)
from graphql.pyutils import Undefined
from strawberry.schema.schema_converter import CustomGraphQLEnumType

from gateway.graphql.execution.errors import Unexpected

Leaf = Callable[[Any], Any]

# Values of these classes stand in the answer as they are. Exactly these: a bool is an int in Python, and an int that
# does not fit in 32 bits is an error.
AS_IT_IS: dict[str, type] = {GraphQLString.name: str, GraphQLID.name: str, GraphQLBoolean.name: bool}
MAX_INT = 2**31
# Neither errors nor awaitable.
_PLAIN = frozenset({str, int, float, bool, Decimal, datetime, date})


def class_as_it_is(type_: GraphQLLeafType) -> type | None:
    """The class of values that need no conversion; None where every value is looked at."""
    return AS_IT_IS.get(type_.name) if is_specified_scalar_type(type_) else None


def leaf_of(type_: GraphQLLeafType) -> Leaf:
    """The function that converts a value of this type. Raises for null and for whatever graphql-core would refuse."""
    if is_specified_scalar_type(type_) and type_.name == GraphQLInt.name:
        return _checked(type_, lambda value: value.__class__ is int and -MAX_INT <= value < MAX_INT)
    if is_specified_scalar_type(type_) and type_.name == GraphQLFloat.name:
        return _checked(type_, lambda value: value.__class__ is float and math.isfinite(value))
    if isinstance(type_, CustomGraphQLEnumType) and issubclass(type_.wrapped_cls, Enum):
        return _member(type_, type_.wrapped_cls)
    return _converted(type_)


def _checked(type_: GraphQLLeafType, is_right: Callable[[Any], bool]) -> Leaf:
    convert = _converted(type_)

    def leaf(value: Any) -> Any:
        return value if is_right(value) else convert(value)

    return leaf


def _member(type_: CustomGraphQLEnumType, members: type[Enum]) -> Leaf:
    convert = _converted(type_)
    names = {member: type_.coerce_output_value(member) for member in members}

    def leaf(value: Any) -> Any:
        return names[value] if value.__class__ is members else convert(value)

    return leaf


def _converted(type_: GraphQLLeafType) -> Leaf:
    convert = type_.coerce_output_value

    def leaf(value: Any) -> Any:
        if value.__class__ not in _PLAIN and (
            value is None or value is Undefined or isinstance(value, Exception) or hasattr(value, "__await__")
        ):
            raise Unexpected(type_.name)
        converted = convert(value)
        if converted is None or converted is Undefined:
            raise Unexpected(type_.name)
        return converted

    return leaf
