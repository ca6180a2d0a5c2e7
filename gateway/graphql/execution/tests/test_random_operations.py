"""Thousands of operations made at random over the schemas of traps: compiled code answers as graphql-core does."""

import asyncio
from collections import Counter
from collections.abc import Iterable

import pytest

from gateway.graphql.execution import counters
from gateway.graphql.execution.schema_parts import parts_of, plain_parts
from gateway.graphql.execution.tests.plain_trap_schema import plain_trap_schema
from gateway.graphql.execution.tests.random_operations import RandomOperations
from gateway.graphql.execution.tests.trap_schema import TrapContext, trap_schema
from gateway.graphql.execution.tests.twins import Twins

# In parts, none of which takes long on a busy machine.
SEEDS = [range(start, start + 250) for start in range(0, 1_500, 250)]
# Measured: 87 and 90 of a hundred; the rest has what falls, what is refused, and variables that are wrong.
LEAST_SHARE = 0.75


async def outcomes_of(twins: Twins, seeds: Iterable[int]) -> Counter[str]:
    """How the operations of these seeds were executed; fails where an answer, or what loaders were asked, differs."""
    found: Counter[str] = Counter()
    for seed in seeds:
        asked = RandomOperations(twins.parts.schema, seed).operation()
        try:
            seen = await twins.ask(asked.text, asked.variables)
            if seen.outcome == counters.COMPILED:
                assert seen.ours.batches == seen.theirs.batches
                assert sorted(seen.ours.calls) == sorted(seen.theirs.calls)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {asked.text}\n{asked.variables}") from error
        found[seen.outcome] += 1
    return found


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_operations_over_types_of_strawberry_are_answered_alike(seeds: range) -> None:
    schema = trap_schema()
    twins = Twins(parts_of(schema, schema._schema), TrapContext, executor=schema.execution_context_class)

    outcomes = asyncio.run(outcomes_of(twins, seeds))

    assert outcomes[counters.COMPILED] > LEAST_SHARE * len(seeds), outcomes
    assert outcomes["fell:Unexpected"]


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_operations_over_dictionaries_are_answered_alike(seeds: range) -> None:
    twins = Twins(plain_parts(plain_trap_schema()), TrapContext)

    outcomes = asyncio.run(outcomes_of(twins, seeds))

    assert outcomes[counters.COMPILED] > LEAST_SHARE * len(seeds), outcomes
    assert outcomes["fell:Unexpected"]
