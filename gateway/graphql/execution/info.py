"""What compiled operations give to resolvers that ask for an info, and what these may ask it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
)
from graphql.execution.collect_fields import FragmentDetails
from graphql.execution.values import VariableValues
from graphql.pyutils import Path, is_awaitable
from strawberry.types.field import StrawberryField
from strawberry.types.info import Info

from gateway.graphql.projection import Reads

MakeInfo = Callable[["Request", Path], Any]


class Request(NamedTuple):
    """What one request brings to the plan of its operation."""

    root: Any
    context: Any
    variables: VariableValues


@dataclass
class CompiledInfo(Info[Any, Any]):
    """An info that knows what is asked for below its field."""

    below: Reads = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """What every info about one field of an operation has in common."""

    schema: GraphQLSchema
    operation: OperationDefinitionNode
    fragments: Mapping[str, FragmentDetails]
    parent: GraphQLObjectType
    definition: GraphQLField
    nodes: Sequence[FieldNode]

    def for_resolver(self) -> MakeInfo:
        """The info as graphql-core gives it to resolvers."""
        return self._make(lambda variables: variables)

    def for_method(self, strawberry_field: StrawberryField, below: Reads) -> MakeInfo:
        """The info as Strawberry gives it to functions."""
        make_raw = self._make(lambda variables: variables.coerced)

        def make(request: Request, path: Path) -> CompiledInfo:
            return CompiledInfo(_raw_info=make_raw(request, path), _field=strawberry_field, below=below)

        return make

    def _make(self, shown: Callable[[VariableValues], Any]) -> MakeInfo:
        name, nodes = self.nodes[0].name.value, list(self.nodes)
        fragments = {name: details.definition for name, details in self.fragments.items()}

        def make(request: Request, path: Path) -> GraphQLResolveInfo:
            return GraphQLResolveInfo(
                name,
                nodes,
                self.definition.type,
                self.parent,
                path,
                self.schema,
                fragments,
                request.root,
                self.operation,
                shown(request.variables),
                request.context,
                is_awaitable,
                None,
                None,  # type: ignore[arg-type] # for resolvers that do several things at once by its help: none of ours
            )

        return make
