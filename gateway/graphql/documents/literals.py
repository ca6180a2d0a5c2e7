"""Documents as a log may show them: without the values that they were sent with."""

from typing import Any

from graphql import DocumentNode, EnumValueNode, ValueNode, VariableNode, Visitor, print_ast, visit

PLACEHOLDER = "_"


class _Blanks(Visitor):
    def enter(self, node: Any, *_: Any) -> EnumValueNode | None:
        """Blank out a value: a string, number, enum, list or object. Variables, which are names, stay."""
        is_value = isinstance(node, ValueNode) and not isinstance(node, VariableNode)
        return EnumValueNode(value=PLACEHOLDER) if is_value else None


def without_literals(document: DocumentNode) -> str:
    """The document printed anew with its values blanked out; comments go, too."""
    return print_ast(visit(document, _Blanks()))
