"""The variables in @skip and @include of an operation: with them given, it asks for the same fields every time."""

from collections.abc import Iterable
from typing import Any

from graphql import (
    DirectiveNode,
    DocumentNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLIncludeDirective,
    GraphQLSkipDirective,
    VariableNode,
    Visitor,
    visit,
)

from gateway.graphql.execution.errors import NotCompilable

CONDITIONS = (GraphQLSkipDirective.name, GraphQLIncludeDirective.name)
# Each doubles the plans that there may be of one operation.
MAX_CONDITIONS = 6


def conditions_of(document: DocumentNode) -> tuple[str, ...]:
    """The variables on which it depends which fields are asked for. Raises NotCompilable for what changes more."""
    finder = _Finder()
    visit(document, finder)
    if len(finder.found) > MAX_CONDITIONS:
        raise NotCompilable("conditions")
    return tuple(finder.found)


class _Finder(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, None] = {}

    def enter_directive(self, node: DirectiveNode, *_: Any) -> None:
        if node.name.value not in CONDITIONS:
            raise NotCompilable("directive")
        self._note(argument.value for argument in node.arguments or ())

    def enter_fragment_definition(self, node: FragmentDefinitionNode, *_: Any) -> None:
        if node.variable_definitions:
            raise NotCompilable("fragment_arguments")

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: Any) -> None:
        if node.arguments:
            raise NotCompilable("fragment_arguments")

    def _note(self, values: Iterable[Any]) -> None:
        self.found |= {value.name.value: None for value in values if isinstance(value, VariableNode)}
