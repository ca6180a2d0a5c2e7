"""Documents parsed, validated and measured once and remembered by hash, refused ones too, within a bound of bytes."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from graphql import (
    ASTValidationRule,
    DocumentNode,
    GraphQLSchema,
    GraphQLSyntaxError,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OperationType,
    assert_valid_schema,
    parse,
    validate,
)
from graphql.execution.values import VariableValues, get_variable_values

from gateway.domain.texts import Text
from gateway.graphql.documents import limits
from gateway.graphql.documents.cost import Cost, cost_of
from gateway.graphql.documents.memory import Memory, size_of
from gateway.graphql.documents.validation import RULES
from gateway.graphql.errors import MAX_ERRORS, InvalidDocument, RequestRefused

# Of the bytes remembered: refusals are short, and nobody shall drive out what the shop needs by sending nonsense.
SHARE_OF_REFUSALS = 1 / 8

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
    key: bytes
    """Of this operation of this text: what is worked out from both may be remembered by it."""

    @property
    def is_query(self) -> bool:
        return self.node.operation is OperationType.QUERY


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document that may be executed. Its nodes have no locations, which would keep its text and tokens alive."""

    document: DocumentNode
    operations: Mapping[str | None, Operation]

    def operation(self, name: str | None) -> Operation:
        if name is not None:
            if name not in self.operations:
                raise RequestRefused("OPERATION_RESOLUTION_FAILURE", UNKNOWN_OPERATION, name=name)
            return self.operations[name]
        if len(self.operations) != 1:
            raise RequestRefused("OPERATION_RESOLUTION_FAILURE", WHICH_OPERATION if self.operations else NO_OPERATION)
        return next(iter(self.operations.values()))


class PreparationOutcome(NamedTuple):
    """What came of preparing a document, and what it cost."""

    found: PreparedDocument | RequestRefused
    bytes: int
    milliseconds: float
    """CPU time that this took; 0 when the outcome was remembered."""

    def prepared(self) -> PreparedDocument:
        """The document; raises RequestRefused if it was refused."""
        if isinstance(self.found, RequestRefused):
            raise self.found.again()
        return self.found


class Documents:
    """Prepares and remembers the documents of one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        # Once and here, or the first request would pay for it.
        assert_valid_schema(schema)
        self._schema = schema
        self._valid: Memory[PreparedDocument] = Memory(
            lambda: int(settings.GRAPHQL_REMEMBERED_BYTES * (1 - SHARE_OF_REFUSALS))
        )
        self._refused: Memory[RequestRefused] = Memory(
            lambda: int(settings.GRAPHQL_REMEMBERED_BYTES * SHARE_OF_REFUSALS)
        )

    @property
    def bytes(self) -> int:
        """Bytes that everything remembered takes."""
        return self._valid.bytes + self._refused.bytes

    def prepared(self, text: str) -> PreparedDocument:
        """The document, prepared here and now unless it is remembered. Raises RequestRefused."""
        check_size(text)
        outcome = self.known(text)
        if outcome is None:
            outcome = self.prepare(text)
            self.remember(text, outcome)
        return outcome.prepared()

    def known(self, text: str) -> PreparationOutcome | None:
        """The remembered outcome for this text; None when there is none."""
        digest = digest_of(text)
        found = self._valid.get(digest) or self._refused.get(digest)
        return None if found is None else PreparationOutcome(found, 0, 0.0)

    def prepare(self, text: str) -> PreparationOutcome:
        """Parse, measure and validate a text within the limit. Remembers nothing, and may run in any thread."""
        began = time.thread_time()
        try:
            found: PreparedDocument | RequestRefused = self._prepare(text)
        except RequestRefused as refused:
            found = refused.again()
        size = size_of(found)
        return PreparationOutcome(found, size, (time.thread_time() - began) * 1000)

    def remember(self, text: str, outcome: PreparationOutcome) -> None:
        if isinstance(outcome.found, PreparedDocument):
            self._valid.keep(digest_of(text), outcome.found, outcome.bytes)
        else:
            self._refused.keep(digest_of(text), outcome.found, outcome.bytes)

    def variables(self, operation: Operation, given: Mapping[str, Any]) -> VariableValues:
        """The given variables, coerced as execution will coerce them.

        Raises RequestRefused for wrong or too long ones.
        """
        limits.check_values(given)
        coerced = get_variable_values(
            self._schema,
            operation.node.variable_definitions or (),
            dict(given),
            max_errors=MAX_ERRORS - 1,
            hide_suggestions=not settings.GRAPHQL_SUGGESTIONS,
        )
        if isinstance(coerced, list):
            raise InvalidDocument("BAD_USER_INPUT", coerced)
        return coerced

    def _prepare(self, text: str) -> PreparedDocument:
        located = _parsed(text)
        limits.check_document(located)
        self._validate(located)
        # Once more, for what is kept: locations are for the errors of validation, and hold the text and every token.
        document = parse(text, no_location=True)
        fragments = limits.fragments_of(document)
        digest = digest_of(text)
        operations = {
            definition.name.value if definition.name else None: Operation(
                definition, cost_of(self._schema, definition, fragments), digest + _name_of(definition).encode()
            )
            for definition in document.definitions
            if isinstance(definition, OperationDefinitionNode)
        }
        return PreparedDocument(document, operations)

    def _validate(self, document: DocumentNode) -> None:
        rules: list[type[ASTValidationRule]] = [*RULES]
        if not settings.GRAPHQL_INTROSPECTION:
            rules.append(NoSchemaIntrospectionCustomRule)
        errors = validate(
            self._schema,
            document,
            rules,
            max_errors=MAX_ERRORS - 1,
            hide_suggestions=not settings.GRAPHQL_SUGGESTIONS,
        )
        if errors:
            raise InvalidDocument("GRAPHQL_VALIDATION_FAILED", errors)


def check_size(text: str) -> None:
    """Refuse a text of too many bytes of UTF-8, before anything looks at it."""
    maximum = settings.GRAPHQL_MAX_DOCUMENT_BYTES
    # A text of so many characters has at least as many bytes: what is far too long is not even encoded.
    limits.DOCUMENT.check(len(text) if len(text) > maximum else len(text.encode()))


def digest_of(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _name_of(operation: OperationDefinitionNode) -> str:
    return operation.name.value if operation.name else ""


def _parsed(text: str) -> DocumentNode:
    maximum = settings.GRAPHQL_MAX_TOKENS
    try:
        # Comments count too: reading them is work.
        return parse(text, max_tokens=maximum)
    except GraphQLSyntaxError as error:
        if error.message.startswith("Syntax Error: Document contains more than"):
            raise limits.TOKENS.refusal(f"> {maximum}", maximum) from None
        raise InvalidDocument("GRAPHQL_PARSE_FAILED", [error]) from None
