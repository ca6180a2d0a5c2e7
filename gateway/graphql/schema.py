"""The public schema, assembled from the domains. `make schema` prints it to gateway/schema.graphql."""

from collections.abc import Iterator
from typing import Any

import strawberry
from graphql import GraphQLError, GraphQLInputObjectType, GraphQLObjectType, GraphQLSchema, Undefined
from strawberry.extensions import SchemaExtension
from strawberry.schema.config import StrawberryConfig
from strawberry.tools import merge_types

from cart.graphql.mutations import CartMutation
from cart.graphql.nodes import register_cart_nodes
from cart.graphql.queries import CartQuery
from cart.graphql.reports import CartReportQuery
from cart.graphql.types import Cart
from catalog.graphql.mutations import CatalogMutation
from catalog.graphql.nodes import register_nodes as register_catalog_nodes
from catalog.graphql.queries import CatalogQuery
from catalog.graphql.types import Category, Product
from gateway.graphql.context import RequestContext
from gateway.graphql.errors import log_faults
from gateway.graphql.execution.results import ResultsExecutor
from gateway.graphql.relay.node import NodeQuery
from gateway.graphql.scalars import SCALARS
from gateway.viewer.account import AccountMutation
from gateway.viewer.letters import LetterMutation
from gateway.viewer.mutations import ViewerMutation
from gateway.viewer.nodes import register_nodes as register_viewer_nodes
from gateway.viewer.queries import ViewerQuery
from gateway.viewer.types import User
from ordering.graphql.desk import DeskMutation
from ordering.graphql.mutations import OrderMutation
from ordering.graphql.nodes import register_order_nodes
from ordering.graphql.queries import OrderQuery
from ordering.graphql.types import Order

register_catalog_nodes()
register_cart_nodes()
register_order_nodes()
register_viewer_nodes()
Query = merge_types("Query", (NodeQuery, CatalogQuery, ViewerQuery, CartQuery, CartReportQuery, OrderQuery))
Mutation = merge_types(
    "Mutation",
    (CatalogMutation, ViewerMutation, AccountMutation, LetterMutation, CartMutation, OrderMutation, DeskMutation),
)


class ExecutePrepared(SchemaExtension):
    """Executes the document that the endpoint has parsed, validated and measured, instead of doing it again."""

    def on_parse(self) -> Iterator[None]:
        context = self.execution_context.context
        if isinstance(context, RequestContext) and context.document:
            self.execution_context.graphql_document = context.document
        yield

    def on_validate(self) -> Iterator[None]:
        if isinstance(self.execution_context.context, RequestContext):
            self.execution_context.pre_execution_errors = []
        yield


class GatewaySchema(strawberry.Schema):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _forget_null_defaults(self._schema)

    def as_graphql_core(self) -> GraphQLSchema:
        """The schema that validation and execution use."""
        return self._schema

    def process_errors(self, errors: list[GraphQLError], execution_context: Any = None) -> None:
        """Log our own faults only: Strawberry would log a caller's typing mistake as an error of ours."""
        log_faults(errors)


def _forget_null_defaults(schema: GraphQLSchema) -> None:
    """Let arguments that may be left out have no default: `= null` says nothing, and Python's own None serves them."""
    for type_ in schema.type_map.values():
        if isinstance(type_, GraphQLInputObjectType):
            takers = [*type_.fields.values()]
        elif isinstance(type_, GraphQLObjectType):
            takers = [argument for field in type_.fields.values() for argument in field.args.values()]
        else:
            continue
        for taker in takers:
            if taker.default_value is None:
                taker.default_value = Undefined


schema = GatewaySchema(
    query=Query,
    mutation=Mutation,
    types=(Category, Product, Cart, Order, User),
    extensions=[ExecutePrepared],
    execution_context_class=ResultsExecutor,
    config=StrawberryConfig(scalar_map=SCALARS),
)
