"""Mutations: what their fields return is completed by compiled code, and no field ever runs twice."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest
from graphql import OperationDefinitionNode, execute, parse
from graphql.execution.values import VariableValues, get_variable_values
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from gateway.graphql.execution import counters
from gateway.graphql.execution.operations import CompiledOperations, Sought
from gateway.graphql.execution.results import ResultsExecutor
from gateway.graphql.execution.schema_parts import parts_of
from gateway.graphql.execution.tests.trap_schema import TrapContext, trap_schema
from gateway.graphql.execution.tests.twins import written

SCHEMA = trap_schema()
CORE = SCHEMA._schema


def send(text: str, **variables: Any) -> tuple[dict[str, int], TrapContext, dict[str, Any]]:
    """Outcomes, what was called, and the answer, which must be graphql-core's."""
    expected_context = TrapContext()
    expected = asyncio.run(_executed(text, variables, expected_context, StrawberryGraphQLCoreExecutionContext))
    context = TrapContext()
    document = parse(text)
    (node,) = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    coerced = get_variable_values(CORE, node.variable_definitions or (), variables)
    assert isinstance(coerced, VariableValues)
    compiled = CompiledOperations(parts_of(SCHEMA, CORE), most_bytes=lambda: 2**20, compiled_at=1)
    before = counters.executed.copy()
    context.results = compiled.plan(Sought(b"key", document, node, coerced))
    found = asyncio.run(_executed(text, variables, context, ResultsExecutor))
    assert written(found.data, found.errors or ()) == written(expected.data, expected.errors or ())
    assert context.calls == expected_context.calls
    return dict(counters.executed - before), context, found.formatted


async def _executed(text: str, variables: dict[str, Any], context: TrapContext, executor: Any) -> Any:
    found = execute(CORE, parse(text), None, context, variables, executor_class=executor)
    return await found if isinstance(found, Awaitable) else found


def test_results_of_several_fields_are_compiled_and_the_fields_keep_their_order() -> None:
    outcomes, context, answer = send(
        "mutation ($n: Int!) { a: write(number: $n) { ...W } b: write(number: 2) { x: number ...W } "
        "c: writeNow(number: 3) { number } } fragment W on Written { number owner { id name } }",
        n=1,
    )

    assert outcomes == {"compiled": 3}
    assert context.calls == ["begin 1", "end 1", "begin 2", "end 2", "now 3"]
    assert list(answer["data"]["b"]) == ["x", "number", "owner"]


def test_null_result_is_null() -> None:
    outcomes, _, answer = send("mutation { writeNow(number: 0) { __typename number } }")

    assert outcomes == {"compiled": 1}
    assert answer == {"data": {"writeNow": None}}


@pytest.mark.parametrize(
    ("selection", "outcome", "path"),
    [
        ("number badNull", "fell:Unexpected", ["write", "badNull"]),
        ("owner { id } badLater", "fell:ValueError", ["write", "badLater"]),
    ],
)
def test_error_in_a_result_is_told_by_graphql_core_and_the_field_has_run_once(
    selection: str, outcome: str, path: list[str]
) -> None:
    outcomes, context, answer = send(f"mutation {{ write(number: 1) {{ {selection} }} }}")

    assert outcomes == {outcome: 1}
    assert context.calls == ["begin 1", "end 1"]
    assert answer["errors"][0]["path"] == path


def test_error_of_a_field_leaves_those_before_and_after_it_alone() -> None:
    outcomes, context, answer = send(
        "mutation { a: writeNow(number: 1) { number } refuse { number } b: writeNow(number: 2) { number } }"
    )

    assert outcomes == {"compiled": 2}
    assert context.calls == ["now 1", "refuse", "now 2"]
    assert answer["data"] == {"a": {"number": 1}, "refuse": None, "b": {"number": 2}}


def test_wrong_argument_of_a_mutation_runs_nothing() -> None:
    _, context, answer = send("mutation ($n: Int = 1) { writeNow(number: $n) { number } }", n=None)

    assert context.calls == []
    assert answer["data"] == {"writeNow": None}
