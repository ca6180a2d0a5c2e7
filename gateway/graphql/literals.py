"""A document as a log may show it: what was asked for, without the values that it was asked with."""

from typing import Any

from django.conf import settings
from graphql import EnumValueNode, GraphQLSyntaxError, ValueNode, VariableNode, Visitor, parse, print_ast, visit

UNREADABLE = "(no GraphQL)"
PLACEHOLDER = "_"


class _Blanks(Visitor):
    def enter(self, node: Any, *_: Any) -> EnumValueNode | None:
        """Whatever stands for a value: strings, numbers, names of enums, lists, objects. Variables are names."""
        is_value = isinstance(node, ValueNode) and not isinstance(node, VariableNode)
        return EnumValueNode(value=PLACEHOLDER) if is_value else None


def without_literals(text: str) -> str:
    """The document printed anew, which leaves out comments too; nothing of one that cannot be read."""
    try:
        document = parse(text, no_location=True, max_tokens=settings.GRAPHQL_MAX_TOKENS)
    except (GraphQLSyntaxError, RecursionError):
        return UNREADABLE
    return print_ast(visit(document, _Blanks()))
