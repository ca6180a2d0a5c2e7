"""Documents parsed, validated and measured once, and remembered by their text: valid or not, within a bound."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from graphql import (
    ASTValidationRule,
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLSchema,
    GraphQLSyntaxError,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OperationType,
    parse,
    specified_rules,
    validate,
)
from graphql.execution.values import VariableValues, get_variable_values

from gateway.graphql import limits
from gateway.graphql.cost import Cost, cost_of
from gateway.graphql.errors import InvalidDocument, Refused
from gateway.texts import Text

# Enough to see what is wrong; a hostile document could make one for every token.
MAX_ERRORS = 20

NO_OPERATION = Text("В документе нет операции.", "The document has no operation.")
WHICH_OPERATION = Text(
    "В документе несколько операций: назовите одну в operationName.",
    "The document has several operations: name one in operationName.",
)
UNKNOWN_OPERATION = Text("В документе нет операции «{name}».", "The document has no operation named «{name}».")


@dataclass(frozen=True, slots=True)
class Operation:
    node: OperationDefinitionNode
    cost: Cost

    @property
    def is_query(self) -> bool:
        return self.node.operation is OperationType.QUERY


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that may be executed."""

    document: DocumentNode
    operations: Mapping[str | None, Operation]

    def operation(self, name: str | None) -> Operation:
        if name is not None:
            if name not in self.operations:
                raise Refused("OPERATION_RESOLUTION_FAILURE", UNKNOWN_OPERATION, name=name)
            return self.operations[name]
        if len(self.operations) != 1:
            raise Refused("OPERATION_RESOLUTION_FAILURE", WHICH_OPERATION if self.operations else NO_OPERATION)
        return next(iter(self.operations.values()))


class Documents:
    """The documents of one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._known: OrderedDict[str, tuple[int, Prepared | Refused]] = OrderedDict()
        self._tokens = 0

    def prepared(self, text: str) -> Prepared:
        """The document, or the reason why it is refused."""
        if text in self._known:
            self._known.move_to_end(text)
            _, found = self._known[text]
        else:
            found = self._prepare(text)
            self._remember(text, found)
        if isinstance(found, Refused):
            # The same exception every time: without this its traceback would grow with every request.
            raise found.with_traceback(None)
        return found

    def variables(self, operation: Operation, given: Mapping[str, Any]) -> VariableValues:
        """Coerced as execution will coerce them, within the limit on lists."""
        limits.check_values(given)
        coerced = get_variable_values(
            self._schema,
            operation.node.variable_definitions or (),
            dict(given),
            max_errors=MAX_ERRORS,
            hide_suggestions=not settings.GRAPHQL_SUGGESTIONS,
        )
        if isinstance(coerced, list):
            raise InvalidDocument("BAD_USER_INPUT", coerced)
        return coerced

    def _remember(self, text: str, found: Prepared | Refused) -> None:
        weight = found.document.token_count if isinstance(found, Prepared) else 1 + len(text) // 100
        self._known[text] = (weight, found)
        self._tokens += weight
        while self._tokens > settings.GRAPHQL_REMEMBERED_TOKENS:
            _, (forgotten, _) = self._known.popitem(last=False)
            self._tokens -= forgotten

    def _prepare(self, text: str) -> Prepared | Refused:
        try:
            limits.CHARACTERS.check(len(text))
            document = _parsed(text)
            limits.check_syntax(document)
            self._validate(document)
            fragments = {
                definition.name.value: definition
                for definition in document.definitions
                if isinstance(definition, FragmentDefinitionNode)
            }
            limits.check_operations(document, fragments)
        except Refused as refused:
            # What it was raised from would keep the parser and the document alive.
            refused.__context__ = None
            return refused
        operations = {
            definition.name.value if definition.name else None: Operation(
                definition, cost_of(self._schema, definition, fragments)
            )
            for definition in document.definitions
            if isinstance(definition, OperationDefinitionNode)
        }
        return Prepared(document, operations)

    def _validate(self, document: DocumentNode) -> None:
        rules: list[type[ASTValidationRule]] = [*specified_rules]
        if not settings.GRAPHQL_INTROSPECTION:
            rules.append(NoSchemaIntrospectionCustomRule)
        errors = validate(
            self._schema,
            document,
            rules,
            max_errors=MAX_ERRORS,
            hide_suggestions=not settings.GRAPHQL_SUGGESTIONS,
        )
        if errors:
            raise InvalidDocument("GRAPHQL_VALIDATION_FAILED", errors)


def _parsed(text: str) -> DocumentNode:
    maximum = settings.GRAPHQL_MAX_TOKENS
    try:
        # Comments count too: they are kept as tokens.
        return parse(text, max_tokens=maximum)
    except GraphQLSyntaxError as error:
        if error.message.startswith("Syntax Error: Document contains more than"):
            raise limits.TOKENS.refusal(f"> {maximum}", maximum) from None
        raise InvalidDocument("GRAPHQL_PARSE_FAILED", [error]) from None
