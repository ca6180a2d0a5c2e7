"""One operation executed twice, by compiled code and by graphql-core alone, and the answers compared byte for byte."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from graphql import ExecutionResult, GraphQLError, OperationDefinitionNode, execute, parse
from graphql.execution import Executor
from graphql.execution.values import get_variable_values

from gateway.graphql.documents.cost import objects_in
from gateway.graphql.execution import counters
from gateway.graphql.execution.info import Request
from gateway.graphql.execution.operations import CompiledOperations, Sought
from gateway.graphql.execution.schema_parts import SchemaParts

MEGABYTE = 2**20
WRONG_VARIABLES = "wrong_variables"
_KEYS = count()


class Seen(NamedTuple):
    """What came of one operation: `compiled`, or why not in the words of the counters, and the answer of both."""

    outcome: str
    answer: dict[str, Any]
    ours: Any
    """The context of the compiled execution."""
    theirs: Any


@dataclass
class Twins:
    """A schema of which compiled code and graphql-core are asked the same."""

    parts: SchemaParts
    context: Callable[[], Any] = lambda: None
    root: Any = None
    executor: type[Executor] | None = None
    operations: CompiledOperations = field(init=False)

    def __post_init__(self) -> None:
        self.operations = CompiledOperations(self.parts, most_bytes=lambda: MEGABYTE, compiled_at=1)

    async def ask(self, text: str, variables: Mapping[str, Any] | None = None) -> Seen:
        """Execute a query, which must be valid, both ways; fails where the answers differ."""
        document = parse(text)
        given = dict(variables or {})
        theirs = self.context()
        expected = await self._by_graphql_core(document, given, theirs)
        ours = self.context()
        node = next(each for each in document.definitions if isinstance(each, OperationDefinitionNode))
        coerced = get_variable_values(self.parts.schema, node.variable_definitions or (), given)
        if isinstance(coerced, list):
            return Seen(WRONG_VARIABLES, expected.formatted, ours, theirs)  # type: ignore[arg-type]
        before = counters.executed.copy()
        attempt = self.operations.plan(Sought(str(next(_KEYS)).encode(), document, node, coerced))
        data = None if attempt is None else await attempt.data(Request(self.root, ours, coerced))
        (outcome,) = counters.executed - before
        if data is not None:
            assert written(data.fields, ()) == written(expected.data, expected.errors or ())
            assert data.objects == objects_in(data.fields)
        return Seen(outcome, expected.formatted, ours, theirs)  # type: ignore[arg-type]

    async def _by_graphql_core(self, document: Any, variables: dict[str, Any], context: Any) -> ExecutionResult:
        found = execute(self.parts.schema, document, self.root, context, variables, executor_class=self.executor)
        return await found if isinstance(found, Awaitable) else found


def written(data: Any, errors: Sequence[GraphQLError]) -> str:
    """The answer as bytes would have it: with the order of its keys, and 1 is neither 1.0 nor true."""
    told = [error.formatted for error in errors]
    return json.dumps({"data": data, "errors": told}, default=repr, ensure_ascii=False)
