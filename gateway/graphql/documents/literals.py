"""A document as a log may show it: what was asked for, without the values that it was asked with."""

from typing import Any

from graphql import DocumentNode, EnumValueNode, ValueNode, VariableNode, Visitor, print_ast, visit

PLACEHOLDER = "_"


class _Blanks(Visitor):
    def enter(self, node: Any, *_: Any) -> EnumValueNode | None:
        """Whatever stands for a value: strings, numbers, names of enums, lists, objects. Variables are names."""
        is_value = isinstance(node, ValueNode) and not isinstance(node, VariableNode)
        return EnumValueNode(value=PLACEHOLDER) if is_value else None


def without_literals(document: DocumentNode) -> str:
    """The document printed anew, which leaves out comments too."""
    return print_ast(visit(document, _Blanks()))
