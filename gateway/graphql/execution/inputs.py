"""Coerced values as functions take them: what Strawberry's `convert_argument` makes, with the types looked up once."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Any, NamedTuple

from strawberry.relay.types import GlobalID
from strawberry.scalars import is_scalar
from strawberry.types.arguments import convert_argument
from strawberry.types.base import (
    StrawberryList,
    StrawberryMaybe,
    StrawberryObjectDefinition,
    StrawberryOptional,
    StrawberryType,
    get_object_definition,
)
from strawberry.types.enum import StrawberryEnumDefinition, has_enum_definition
from strawberry.types.unset import UNSET

from gateway.graphql.execution.schema_parts import SchemaParts

Convert = Callable[[Any], Any]


def converter(parts: SchemaParts, type_: StrawberryType | type, name: str) -> Convert:
    """The function that converts a value of this type; `name` is that of the argument it comes by."""
    if isinstance(type_, StrawberryMaybe):
        return _by_strawberry(parts, type_, name)
    if isinstance(type_, StrawberryOptional):
        return converter(parts, type_.of_type, name)
    if isinstance(type_, StrawberryList):
        return _list(converter(parts, type_.of_type, name))
    if _is_leaf(parts, type_):
        return _as_it_is
    definition = get_object_definition(type_) if isinstance(type_, type) else None
    if definition is not None and definition.is_input and definition.from_input is None:
        return _object(parts, definition, name)
    return _by_strawberry(parts, type_, name)


def _by_strawberry(parts: SchemaParts, type_: StrawberryType | type, name: str) -> Convert:
    return lambda value: convert_argument(value, type_, parts.scalar_registry, parts.config, None, path=(name,))


def _as_it_is(value: Any) -> Any:
    return value


def _is_leaf(parts: SchemaParts, type_: StrawberryType | type) -> bool:
    if type_ is GlobalID:
        return False
    return (
        is_scalar(type_, parts.scalar_registry)
        or isinstance(type_, StrawberryEnumDefinition)
        or has_enum_definition(type_)
    )


def _is_absent(value: Any) -> bool:
    return value is None or value is UNSET


def _list(convert: Convert) -> Convert:
    return lambda values: values if _is_absent(values) else [convert(value) for value in values]


class _Field(NamedTuple):
    graphql_name: str
    parameter: str
    convert: Convert


def _object(parts: SchemaParts, definition: StrawberryObjectDefinition, name: str) -> Convert:
    # Strawberry's own defaults of fields that have none.
    nulls = {
        field.python_name: None
        for field in definition.fields
        if field.default_value is MISSING and field.default_factory is MISSING
    }
    fields: list[_Field] = []
    make = definition.origin

    def convert(value: Mapping[str, Any] | None) -> Any:
        if not fields:
            # At the first use: an input may contain itself.
            fields.extend(
                _Field(
                    parts.config.name_converter.from_field(field),
                    field.python_name,
                    converter(parts, field.resolve_type(type_definition=definition), name),
                )
                for field in definition.fields
            )
        if value is None or value is UNSET:
            return value
        given = {
            parameter: convert_field(value[graphql_name])
            for graphql_name, parameter, convert_field in fields
            if graphql_name in value
        }
        return make(**{**nulls, **given})

    return convert
