"""What is behind a field of the schema: an attribute, a function of a Strawberry type, or whatever graphql-core calls.

Strawberry's own wrapper is left out where all that it does is to call the function with what is worked out here.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from graphql import GraphQLField, GraphQLNamedType, default_field_resolver
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.field import StrawberryField
from strawberry.types.fields.resolver import StrawberryResolver

DEFINITION = GraphQLCoreConverter.DEFINITION_BACKREF


@dataclass(frozen=True, slots=True)
class Attribute:
    """A plain value of the source."""

    name: str


@dataclass(frozen=True, slots=True)
class Method:
    """A function of a Strawberry type, called with the source and converted arguments."""

    function: Callable[..., Any]
    definition: StrawberryField
    takes_source: bool
    info_parameter: str | None
    is_async: bool


@dataclass(frozen=True, slots=True)
class Resolver:
    """A function that graphql-core calls with the source, an info and its own arguments."""

    function: Callable[..., Any]
    is_async: bool


Behind = Attribute | Method | Resolver


def behind(field: GraphQLField) -> Behind:
    definition = strawberry_field(field)
    if definition is not None and not definition.extensions:
        if definition.base_resolver is None and definition.default_resolver is getattr:
            return Attribute(definition.python_name)
        if definition.base_resolver is not None and _is_plain(definition.base_resolver):
            return _method(definition, definition.base_resolver)
    function = field.resolve or default_field_resolver
    return Resolver(function, inspect.iscoroutinefunction(function))


def strawberry_field(field: GraphQLField) -> StrawberryField | None:
    """The declaration of the field; None for one that is not Strawberry's, or of a subclass with ways of its own."""
    definition = field.extensions.get(DEFINITION)
    return definition if type(definition) is StrawberryField else None


def python_class(type_: GraphQLNamedType) -> type | None:
    """The class whose instances are of this type and need no further test; None where there is none."""
    definition = type_.extensions.get(DEFINITION)
    if not isinstance(definition, StrawberryObjectDefinition):
        return None
    if definition.is_type_of or definition.concrete_of or definition.is_graphql_generic:
        return None
    return definition.origin


def has_own_resolver(type_: GraphQLNamedType) -> bool:
    """Whether the types of its objects are found in another way than by their classes' own declarations."""
    definition = type_.extensions.get(DEFINITION)
    return not isinstance(definition, StrawberryObjectDefinition) or definition.resolve_type is not None


def _is_plain(resolver: StrawberryResolver[Any]) -> bool:
    return (
        not resolver.parent_parameter
        and not resolver.root_parameter
        and not inspect.isasyncgenfunction(resolver.wrapped_func)
    )


def _method(definition: StrawberryField, resolver: StrawberryResolver[Any]) -> Method:
    info = resolver.info_parameter
    return Method(
        function=cast("Callable[..., Any]", resolver.wrapped_func),
        definition=definition,
        takes_source=bool(resolver.self_parameter),
        info_parameter=info.name if info else None,
        is_async=resolver.is_async,
    )
