"""The public schema, assembled from the domains. `make schema` prints it to gateway/schema.graphql."""

from typing import Any

import strawberry
from graphql import GraphQLError
from strawberry.tools import merge_types

from catalog.graphql.queries import CatalogQuery
from gateway.graphql.errors import log_faults

Query = merge_types("Query", (CatalogQuery,))


class GatewaySchema(strawberry.Schema):
    def process_errors(self, errors: list[GraphQLError], execution_context: Any = None) -> None:
        """Strawberry would log a caller's typing mistake as an error of ours."""
        log_faults(errors)


schema = GatewaySchema(query=Query)
