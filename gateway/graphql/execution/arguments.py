"""Arguments of fields, worked out once per request: they depend on its variables alone."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple

from graphql import FieldNode, GraphQLField, VariableNode, is_non_null_type
from graphql.execution.values import VariableValues, get_argument_values
from graphql.pyutils import Undefined
from strawberry.types.field import StrawberryField

from gateway.graphql.execution.errors import NotCompilable, Unexpected
from gateway.graphql.execution.inputs import Convert, converter
from gateway.graphql.execution.literals import Evaluate, given_or_default, has_variables
from gateway.graphql.execution.schema_parts import SchemaParts

Values = dict[str, Any]
Make = Callable[[VariableValues], Values]
"""The keyword arguments of one field."""

# Of these a request can change nothing that the next one would see.
_IMMUTABLE = (str, int, float, Decimal, date, datetime, Enum, type(None))
_NO_VARIABLES = VariableValues({}, {})


class _Argument(NamedTuple):
    parameter: str
    evaluate: Evaluate
    convert: Convert
    must_be: bool
    """Whether graphql-core has an error to tell when there is no value."""

    def values(self, variables: VariableValues) -> Values:
        value = self.evaluate(variables)
        if value is Undefined:
            if self.must_be:
                raise Unexpected(self.parameter)
            return {}
        return {self.parameter: self.convert(value)}


def raw_arguments(field: GraphQLField, node: FieldNode) -> Make:
    """The arguments as graphql-core gives them to a resolver."""

    def make(variables: VariableValues) -> Values:
        return get_argument_values(field, node, variables)

    return make


def method_arguments(
    parts: SchemaParts, definition: StrawberryField, field: GraphQLField, node: FieldNode
) -> Values | Make:
    """The arguments as Strawberry gives them to a function: the values, where no variable can change them.

    Raises NotCompilable where what the document says is an error to be told.
    """
    try:
        return _method_arguments(parts, definition, field, node)
    except Exception as error:
        # Whatever it is: Strawberry and scalars look at values in their own ways, after graphql-core validated them.
        raise NotCompilable("argument") from error


def _method_arguments(
    parts: SchemaParts, definition: StrawberryField, field: GraphQLField, node: FieldNode
) -> Values | Make:
    nodes = {argument.name.value: argument.value for argument in node.arguments or ()}
    fixed: Values = {}
    varying: list[_Argument] = []
    for argument in definition.arguments:
        name = parts.config.name_converter.from_argument(argument)
        value = nodes.get(name)
        one = _Argument(
            argument.python_name,
            given_or_default(value, field.args[name]),
            converter(parts, argument.type, name),
            # A variable without a value is as if the argument were not there; anything else undefined is wrong.
            is_non_null_type(field.args[name].type) or not isinstance(value, VariableNode | None),
        )
        values = {} if value is not None and has_variables(value) else one.values(_NO_VARIABLES)
        if values and all(isinstance(each, _IMMUTABLE) for each in values.values()):
            fixed |= values
        elif value is not None or values:
            varying.append(one)
    if not varying:
        return fixed

    def make(variables: VariableValues) -> Values:
        found = fixed.copy()
        for each in varying:
            found |= each.values(variables)
        return found

    return make
