"""A plugin of pytest: graphql-core, wherever it executes a query, lets the compiler try first.

For graphql-core's own tests, in a process of their own. At the end it writes how many executions were compiled.
"""

import sys
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest
from graphql import DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode, OperationType, validate
from graphql.execution.values import get_variable_values

from gateway.graphql.execution import counters
from gateway.graphql.execution.info import Request
from gateway.graphql.execution.operations import Attempt, CompiledOperations, Data, Sought
from gateway.graphql.execution.schema_parts import plain_parts

# The package has a function of the same name, which hides the module.
EXECUTE = sys.modules["graphql.execution.execute"]
by_graphql_core: Callable[..., Any] = EXECUTE.experimental_execute_incrementally
keys = count()


def execute(
    schema: GraphQLSchema,
    document: DocumentNode,
    root_value: Any = None,
    context_value: Any = None,
    variable_values: dict[str, Any] | None = None,
    operation_name: str | None = None,
    *options: Any,
    **more_options: Any,
) -> Any:
    """What graphql-core makes of it, unless the compiler has an answer."""

    def again() -> Any:
        return by_graphql_core(
            schema, document, root_value, context_value, variable_values, operation_name, *options, **more_options
        )

    # Other resolvers, executors, hooks: not what the gateway does. What is not valid never comes so far there.
    if any(options[:3]) or any(options[5:7]) or any(more_options.values()) or not _is_valid(schema, document):
        return again()
    found = _attempt(schema, document, variable_values or {}, operation_name)
    if found is None:
        return again()
    attempt, variables = found
    data = attempt.data(Request(root_value, context_value, variables))
    return _later(data, again) if attempt.plan.is_async else _now(data, again)


def _is_valid(schema: GraphQLSchema, document: DocumentNode) -> bool:
    try:
        return not validate(schema, document)
    except Exception:  # noqa: BLE001 - no schema at all, or no document: what graphql-core's tests try as well
        return False


def _attempt(
    schema: GraphQLSchema, document: DocumentNode, given: dict[str, Any], name: str | None
) -> tuple[Attempt, Any] | None:
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    chosen = [each for each in operations if name is None or (each.name and each.name.value == name)]
    if len(chosen) != 1 or chosen[0].operation is not OperationType.QUERY:
        return None
    variables = get_variable_values(schema, chosen[0].variable_definitions or (), given)
    if isinstance(variables, list):
        return None
    operations_of_schema = CompiledOperations(plain_parts(schema), most_bytes=lambda: 10**9, compiled_at=1)
    attempt = operations_of_schema.plan(Sought(str(next(keys)).encode(), document, chosen[0], variables))
    return None if attempt is None else (attempt, variables)


def _now(data: Any, again: Callable[[], Any]) -> Any:
    try:
        data.send(None)
    except StopIteration as stopped:
        return again() if stopped.value is None else ExecutionResult(stopped.value.fields, None)
    raise AssertionError("a plan that is not asynchronous waited for something")


async def _later(data: Awaitable[Data | None], again: Callable[[], Any]) -> Any:
    found = await data
    if found is not None:
        return ExecutionResult(found.fields, None)
    result = again()
    return await result if isinstance(result, Awaitable) else result


def pytest_configure() -> None:
    EXECUTE.experimental_execute_incrementally = execute  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"compiled={counters.executed[counters.COMPILED]}")
    for outcome, number in sorted(counters.executed.items()):
        terminalreporter.write_line(f"outcome {outcome} {number}")
