"""What an operation may cost: an object 1, a scalar nothing, a page as many times its node as were asked for.

A document is turned once into a `Cost`, a sum in which only the sizes of pages are open; each request fills them from
its variables. A fragment is computed once, however often it is spread: a bomb is harmless.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.conf import settings
from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
)

from gateway.domain.texts import Text
from gateway.graphql.documents.limits import PAGE, Fragments
from gateway.graphql.errors import RequestRefused
from gateway.paging import default_size

MUTATION = 10
# Lists of categories and the like have no page size; taken one for another they could be nested without end. Lists of
# plain values lie in the document that was read anyway and count as one object.
NODES_OF_UNKNOWN_NUMBER = 5
# Each is a query of its own over everything that matches.
EXTRA = {
    "ProductConnection.totalCount": 10,
    "ProductConnection.facets": 20,
    "ProductConnection.categories": 20,
    "ProductConnection.priceRange": 10,
}

TOO_EXPENSIVE = Text(
    "Стоимость запроса {value}, а можно не больше {maximum}. Запросите меньше объектов или страницы поменьше.",
    "The query costs {value}, at most {maximum} allowed. Ask for fewer objects or smaller pages.",
)

Variables = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Repetition:
    """Something repeated as often as the request says."""

    kind: Literal["edges", "page", "list"]
    """`page` has a limit and a default size; `list` is as long as an argument; `edges` wait for their connection."""
    sizes: tuple[ValueNode, ...]
    each: "Cost"

    def size(self, variables: Variables) -> int:
        found = [size for node in self.sizes if (size := _size(node, variables)) is not None]
        if self.kind == "list":
            return max(found, default=1)
        size = max(found, default=default_size())
        PAGE.check(size, next((node for node in self.sizes if _size(node, variables) == size), None))
        return max(0, size)


@dataclass(slots=True)
class Cost:
    fixed: int = 0
    repetitions: Counter[Repetition] = field(default_factory=Counter)

    def add(self, other: "Cost", times: int = 1) -> None:
        self.fixed += times * other.fixed
        for repetition, count in other.repetitions.items():
            self.repetitions[repetition] += times * count

    def total(self, variables: Variables, known: dict[Repetition, int] | None = None) -> int:
        """The sum for these variables; `known`: what was computed of the same repetitions before."""
        known = {} if known is None else known
        total = self.fixed
        for repetition, count in self.repetitions.items():
            if repetition not in known:
                known[repetition] = repetition.size(variables) * repetition.each.total(variables, known)
            total += count * known[repetition]
        return total


def cost_of(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments) -> Cost:
    """For a valid document."""
    root = schema.get_root_type(operation.operation)
    if root is None:
        return Cost()
    return _Costs(schema, fragments).of_selections(operation.selection_set, root)


def check(total: int) -> None:
    if total > settings.GRAPHQL_MAX_COST:
        raise RequestRefused(
            "COST_LIMIT",
            TOO_EXPENSIVE,
            details={"limit": "cost", "maximum": settings.GRAPHQL_MAX_COST, "value": total},
            value=total,
            maximum=settings.GRAPHQL_MAX_COST,
        )


def objects_in(data: object) -> int:
    """How many objects an answer holds: what it cost in the end."""
    count = 0
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            count += 1
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return count


class _Costs:
    def __init__(self, schema: GraphQLSchema, fragments: Fragments) -> None:
        self._schema = schema
        self._fragments = fragments
        self._of_fragments: dict[str, Cost] = {}

    def of_selections(self, selections: SelectionSetNode | None, parent: GraphQLNamedType) -> Cost:
        cost = Cost()
        for selection in selections.selections if selections else ():
            match selection:
                case FieldNode():
                    cost.add(self._of_field(selection, parent))
                case FragmentSpreadNode():
                    cost.add(self._of_fragment(selection.name.value))
                case InlineFragmentNode():
                    condition = selection.type_condition
                    type_ = self._schema.type_map[condition.name.value] if condition else parent
                    cost.add(self.of_selections(selection.selection_set, type_))
        return cost

    def _of_fragment(self, name: str) -> Cost:
        if name not in self._of_fragments:
            fragment = self._fragments[name]
            type_ = self._schema.type_map[fragment.type_condition.name.value]
            self._of_fragments[name] = self.of_selections(fragment.selection_set, type_)
        return self._of_fragments[name]

    def _of_field(self, node: FieldNode, parent: GraphQLNamedType) -> Cost:
        name = node.name.value
        # Introspection has limits of its own and reads nothing.
        if name.startswith("__") or not isinstance(parent, GraphQLObjectType | GraphQLInterfaceType):
            return Cost()
        definition = parent.fields[name]
        type_ = get_named_type(definition.type)
        cost = Cost(EXTRA.get(f"{parent.name}.{name}", 0) + (MUTATION if parent is self._schema.mutation_type else 0))
        if is_leaf_type(type_):
            return cost
        below = self.of_selections(node.selection_set, type_)
        if _is_connection(parent) and name in {"edges", "nodes"}:
            below.fixed += name == "nodes"
            return Cost(0, Counter({Repetition("edges", (), below): 1}))
        if _is_connection(type_):
            cost.add(_sized(below, _arguments(node, {"first", "last"})))
            cost.fixed += 1
            return cost
        below.fixed += 1
        if not _is_list(definition.type):
            cost.add(below)
        elif lists := [name for name, argument in definition.args.items() if _is_list(argument.type)]:
            cost.repetitions[Repetition("list", _arguments(node, lists), below)] += 1
        else:
            cost.add(below, NODES_OF_UNKNOWN_NUMBER if _is_node(type_) else 1)
        return cost


def _sized(connection: Cost, sizes: tuple[ValueNode, ...]) -> Cost:
    """Give the edges found below a connection the size that it was asked for."""
    cost = Cost(connection.fixed)
    for repetition, count in connection.repetitions.items():
        sized = Repetition("page", sizes, repetition.each) if repetition.kind == "edges" else repetition
        cost.repetitions[sized] += count
    return cost


def _arguments(node: FieldNode, names: Iterable[str]) -> tuple[ValueNode, ...]:
    return tuple(argument.value for argument in node.arguments or () if argument.name.value in names)


def _size(node: ValueNode, variables: Variables) -> int | None:
    match node:
        case IntValueNode():
            return int(node.value)
        case ListValueNode():
            return len(node.values)
        case VariableNode():
            value = variables.get(node.name.value)
            return len(value) if isinstance(value, list) else value if isinstance(value, int) else None
    return None


def _is_connection(type_: GraphQLNamedType) -> bool:
    return isinstance(type_, GraphQLObjectType) and type_.name.endswith("Connection")


def _is_node(type_: GraphQLNamedType) -> bool:
    return type_.name == "Node" or (
        isinstance(type_, GraphQLObjectType) and any(interface.name == "Node" for interface in type_.interfaces)
    )


def _is_list(type_: GraphQLOutputType | Any) -> bool:
    return isinstance(get_nullable_type(type_), GraphQLList)
