"""The parts of a schema that compiled operations need: graphql-core's own, and Strawberry's conversion of arguments."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import strawberry
from graphql import GraphQLSchema
from strawberry.schema.config import StrawberryConfig


class SchemaParts(NamedTuple):
    schema: GraphQLSchema
    config: StrawberryConfig
    scalar_registry: Mapping[object, Any]


def parts_of(schema: strawberry.Schema, core: GraphQLSchema) -> SchemaParts:
    """The parts of a Strawberry schema, whose graphql-core schema is given with it."""
    return SchemaParts(core, schema.config, schema.schema_converter.scalar_registry)


def plain_parts(schema: GraphQLSchema) -> SchemaParts:
    """The parts of a schema that Strawberry knows nothing of."""
    return SchemaParts(schema, StrawberryConfig(), {})
