"""What is compiled, when, and how much of it is remembered."""

import asyncio
from typing import Any

import pytest
from graphql import OperationDefinitionNode, parse
from graphql.execution.values import VariableValues, get_variable_values

from gateway.graphql.documents.memory import ENTRY
from gateway.graphql.execution import counters, operations
from gateway.graphql.execution.compiler import MAX_NAMES
from gateway.graphql.execution.info import Request
from gateway.graphql.execution.operations import MAX_FALLS, RECORD_BYTES, Attempt, CompiledOperations, Sought
from gateway.graphql.execution.schema_parts import parts_of
from gateway.graphql.execution.tests.trap_schema import TrapContext, trap_schema

SCHEMA = trap_schema()
PARTS = parts_of(SCHEMA, SCHEMA._schema)
MEGABYTE = 2**20


def compiled(most_bytes: int = MEGABYTE, compiled_at: int = 1) -> CompiledOperations:
    return CompiledOperations(PARTS, most_bytes=lambda: most_bytes, compiled_at=compiled_at)


def sought(text: str, **variables: Any) -> Sought:
    document = parse(text, no_location=True, experimental_fragment_arguments=True)
    (node,) = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    coerced = get_variable_values(PARTS.schema, node.variable_definitions or (), variables)
    assert isinstance(coerced, VariableValues)
    return Sought(text.encode(), document, node, coerced)


def outcome_of(found: CompiledOperations, text: str, **variables: Any) -> str:
    """Why there is no plan, or `planned`."""
    before = counters.executed.copy()
    if found.plan(sought(text, **variables)) is not None:
        return "planned"
    (outcome,) = counters.executed - before
    return outcome


def data_of(attempt: Attempt | None, asked: Sought) -> Any:
    assert attempt is not None
    data = asyncio.run(attempt.data(Request(None, TrapContext(), asked.variables)))
    return None if data is None else data.fields


def test_operation_is_compiled_when_it_comes_again() -> None:
    found = compiled(compiled_at=2)

    assert [outcome_of(found, "{ static }") for _ in range(3)] == ["new", "planned", "planned"]


def test_each_set_of_booleans_has_a_plan_of_its_own() -> None:
    found = compiled(compiled_at=2)
    query = "query ($a: Boolean!) { static @include(if: $a) renamed }"

    outcomes = [outcome_of(found, query, a=flag) for flag in (True, False, True, False)]

    assert outcomes == ["new", "new", "planned", "planned"]
    with_it, without = (sought(query, a=flag) for flag in (True, False))
    assert data_of(found.plan(with_it), with_it) == {"static": 21, "renamed": 1}
    assert data_of(found.plan(without), without) == {"renamed": 1}


@pytest.mark.parametrize(("number", "outcome"), [(6, "planned"), (7, "refused:conditions")])
def test_at_most_six_conditions(number: int, outcome: str) -> None:
    names = [f"f{each}" for each in range(number)]
    declared = ", ".join(f"${name}: Boolean!" for name in names)
    fields = " ".join(f"{name}: static @skip(if: ${name})" for name in names)

    assert outcome_of(compiled(), f"query ({declared}) {{ {fields} }}", **dict.fromkeys(names, False)) == outcome


@pytest.mark.parametrize(
    ("query", "outcome"),
    [
        ("{ ... @defer { static } }", "refused:directive"),
        ("{ static @unknown }", "refused:directive"),
        ("query @unknown { static }", "refused:directive"),
        ("{ ...F(a: 1) } fragment F($a: Int) on Query { static(factor: $a) }", "refused:fragment_arguments"),
        ("{ __schema { description } }", "refused:introspection"),
        ('{ __type(name: "Dog") { name } }', "refused:introspection"),
    ],
)
def test_what_changes_the_meaning_otherwise_is_refused(query: str, outcome: str) -> None:
    found = compiled()

    assert [outcome_of(found, query) for _ in range(2)] == [outcome, outcome]


def test_operation_that_would_take_too_many_names_is_refused() -> None:
    fields = " ".join(f"a{number}: age" for number in range(MAX_NAMES // 2))

    assert outcome_of(compiled(), f"{{ animals {{ {fields} }} }}") == "refused:too_large"


def test_plans_are_remembered_within_a_bound_of_bytes() -> None:
    most = 60_000
    found = compiled(most)

    for number in range(150):
        outcome_of(found, f"{{ a{number}: static inner {{ deeper {{ depth }} }} }}")
        assert found.bytes <= most

    assert found.bytes > most / 2
    assert outcome_of(compiled(), "{ static }") == "planned"


def test_refused_operation_takes_no_more_than_its_record() -> None:
    found = compiled()

    outcome_of(found, "{ ... @defer { static } }")

    assert found.bytes == ENTRY + RECORD_BYTES


def test_record_counts_its_document_and_every_plan() -> None:
    found = compiled()
    query = "query ($a: Boolean!) { static @include(if: $a) }"

    sizes = []
    for flag in (True, False):
        outcome_of(found, query, a=flag)
        sizes.append(found.bytes)
    outcome_of(found, query, a=True)

    assert ENTRY + RECORD_BYTES < sizes[0] < sizes[1] == found.bytes


def test_operation_that_keeps_falling_rests_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr("gateway.graphql.execution.operations.time.monotonic", lambda: now[0])
    found, falling = compiled(), sought("{ badRaise }")

    for _ in range(MAX_FALLS):
        assert data_of(found.plan(falling), falling) is None

    assert outcome_of(found, "{ badRaise }") == "resting"
    assert outcome_of(found, "{ static }") == "planned"
    now[0] += operations.REST_SECONDS + 1
    assert outcome_of(found, "{ badRaise }") == "planned"


def test_falls_count_only_in_a_row() -> None:
    found = compiled()
    query = "query ($n: Int = 0) { owner(number: $n) { id } }"

    for _ in range(MAX_FALLS):
        wrong, right = sought(query, n=None), sought(query, n=1)
        assert data_of(found.plan(wrong), wrong) is None
        assert data_of(found.plan(right), right) == {"owner": {"id": "1"}}

    assert outcome_of(found, query) == "planned"
