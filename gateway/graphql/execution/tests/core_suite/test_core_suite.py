"""graphql-core's own tests of execution, with the compiler in front of graphql-core."""

import os
import re
import subprocess
import sys
from pathlib import Path

import graphql
import pytest

from deploy.local.errors import StackError
from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import Source, fetch_source
from deploy.local.launch import Launch
from deploy.local.layout import REPOSITORY
from deploy.local.progress import Progress

SOURCE = Source("graphql-core", "3.3.2", "15d6eee7d4364fbc202833bc6bd0d504004d8ae7c0aaf620fa884d8e437622f2")
PLUGIN = "gateway.graphql.execution.tests.core_suite.plugin"
# Measured: 142 executions in 458 tests. Fewer would mean that the compiler is not asked any more.
LEAST_COMPILED = 140

ANSWERS_AT_ONCE = "the compiler is asynchronous where a field is, graphql-core tells the error before it waits"
RUNS_TWICE = "its barrier counts those who wait, and a query that falls is executed twice"
NOT_AWAITED = "executes synchronously what is not: the gateway always awaits"

EXPECTED = {
    "test_executor.py::describe_execute_handles_basic_execution_tasks"
    "::handles_sync_errors_combined_with_async_ones": ANSWERS_AT_ONCE,
    "test_executor.py::describe_execute_handles_basic_execution_tasks"
    "::handles_sync_errors_combined_with_async_ones_in_async_context": ANSWERS_AT_ONCE,
    "test_parallel.py::describe_parallel_execution::describe_cancel_on_exception::cancel_selection_sets": RUNS_TWICE,
    "test_sync.py::describe_execute_synchronously_when_possible::describe_execute_sync"
    "::throws_if_encountering_async_operation_without_check_sync": NOT_AWAITED,
    "test_sync.py::describe_execute_synchronously_when_possible::describe_graphql_sync"
    "::throws_if_encountering_async_operation_without_check_sync": NOT_AWAITED,
}
"""The tests that fail because of the adapter, and why. They are executed too: one that passes is noticed."""


@pytest.fixture(scope="module")
def tests() -> Path:
    """The folder of graphql-core's sources."""
    assert SOURCE.version == graphql.__version__, "pin the source of the version that is installed"
    launch = Launch(Progress(), dict(os.environ))
    name = f"{SOURCE.name}-{SOURCE.version}-source"
    try:
        found = cached(
            launch, name, lambda into: fetch_source(launch, SOURCE, into), announce="fetching its tests with pip"
        )
    except StackError as error:
        pytest.skip(f"the tests of graphql-core cannot be fetched: {error}")
    return next(found.iterdir())


def test_own_tests_of_graphql_core_pass_with_the_compiler_in_front(tests: Path, tmp_path: Path) -> None:
    nothing_of_ours = tmp_path / "pytest.ini"
    nothing_of_ours.write_text("[pytest]\n")
    without = ("cacheprovider", "django", "xdist")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(nothing_of_ours), "--rootdir", str(tests), "-p", PLUGIN]
        + [option for name in without for option in ("-p", f"no:{name}")]
        # Answers in several parts are not what the compiler is asked for.
        + ["-q", "-rf", "--tb=short", "-W", "ignore", "tests/execution", "--ignore", "tests/execution/incremental"],
        cwd=tests,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    failed = set(re.findall(r"^FAILED tests/execution/(\S+)", done.stdout, re.MULTILINE))
    assert failed == set(EXPECTED), done.stdout[-8_000:] + done.stderr[-2_000:]
    assert int(re.findall(r"^compiled=(\d+)$", done.stdout, re.MULTILINE)[0]) >= LEAST_COMPILED
