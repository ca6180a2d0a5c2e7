"""Values written in a document, with variables somewhere in them: worked out for each request, as graphql-core does.

What cannot be told beforehand is left to graphql-core's own `coerce_input_literal`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from graphql import (
    GraphQLArgument,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    Node,
    ObjectValueNode,
    ValueNode,
    VariableNode,
    Visitor,
    get_nullable_type,
    is_non_null_type,
    visit,
)
from graphql.execution.values import VariableValues
from graphql.pyutils import Undefined
from graphql.utilities.coerce_input_value import coerce_default_value, coerce_input_literal

Evaluate = Callable[[VariableValues], Any]
"""The coerced value for a request's variables; Undefined: it is not valid, or not given."""


def evaluator(node: ValueNode, type_: GraphQLInputType) -> Evaluate:
    """How the value is worked out that stands at this place of a valid document."""
    if isinstance(node, VariableNode):
        return _variable(node.name.value, must_be=is_non_null_type(type_))
    if not has_variables(node):
        value = coerce_input_literal(node, type_)
        return lambda _: value
    inner = get_nullable_type(type_)
    if isinstance(node, ObjectValueNode) and isinstance(inner, GraphQLInputObjectType) and not inner.is_one_of:
        return _object(node, inner)
    return lambda variables: coerce_input_literal(node, type_, variables)


def given_or_default(node: ValueNode | None, definition: GraphQLArgument | GraphQLInputField) -> Evaluate:
    """The same for an argument or a field, which has its default where nothing is given, or a variable without value.

    Undefined where it must be given and is not, too: a document for which that can be so is not valid.
    """
    default = coerce_default_value(definition)
    if node is None:
        return lambda _: default
    evaluate = evaluator(node, definition.type)
    if not isinstance(node, VariableNode) or default is Undefined:
        return evaluate
    name = node.name.value
    return lambda variables: evaluate(variables) if name in variables.coerced else default


def has_variables(node: Node) -> bool:
    finder = _VariableFinder()
    visit(node, finder)
    return finder.found


def _variable(name: str, *, must_be: bool) -> Evaluate:
    def evaluate(variables: VariableValues) -> Any:
        value = variables.coerced.get(name, Undefined)
        return Undefined if must_be and value is None else value

    return evaluate


class _Field(NamedTuple):
    name: str
    evaluate: Evaluate
    must_be: bool
    """Whether the object is not valid without it."""


def _object(node: ObjectValueNode, type_: GraphQLInputObjectType) -> Evaluate:
    given = {field.name.value: field.value for field in node.fields}
    fields = [
        _Field(
            definition.out_name or name,
            given_or_default(given.get(name), definition),
            # A variable without a value is as if the field were not there; anything else that is undefined is wrong.
            is_non_null_type(definition.type) or not isinstance(given.get(name), VariableNode | None),
        )
        for name, definition in type_.fields.items()
    ]
    out_type = type_.out_type

    def evaluate(variables: VariableValues) -> Any:
        values: dict[str, Any] = {}
        for name, value_for, must_be in fields:
            value = value_for(variables)
            if value is not Undefined:
                values[name] = value
            elif must_be:
                return Undefined
        return out_type(values)

    return evaluate


class _VariableFinder(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def enter_variable(self, *_: Any) -> None:
        self.found = True
