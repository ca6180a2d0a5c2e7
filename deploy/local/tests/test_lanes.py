"""Stacks side by side and the pytest that uses all of them, on Redis alone and with tests that say where they ran."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.lanes import options, serving
from deploy.local.layout import Layout
from deploy.local.process import lock
from deploy.local.start.stack import Stack
from deploy.local.tests.conftest import REDIS_ALONE, Launcher

WHERE = """
import os
import pytest

@pytest.mark.parametrize("number", range(3))
def test_says_where_it_ran(number):
    with open("ran", "a") as ran:
        ran.write(f"{__name__} {number} {os.environ['TEST_ROOT']}\\n")
"""


@pytest.fixture
def roots(tmp_path: Path) -> list[Path]:
    return [tmp_path / "lane-1", tmp_path / "lane-2"]


@pytest.fixture
def redis_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.delenv("REDIS_CACHE_URL", raising=False)
    for name, address in REDIS_ALONE.items():
        monkeypatch.setenv(name, address)


def running(root: Path) -> bool:
    return Stack.at(root).process("redis").identity is not None


def test_stacks_serve_side_by_side_and_are_stopped_afterwards(redis_alone: None, roots: list[Path]) -> None:
    with serving(roots) as stacks:
        assert [running(root) for root in roots] == [True, True]
        assert len({stack.env()["REDIS_URL"] for stack in stacks}) == 2

    assert [running(root) for root in roots] == [False, False]


def test_stack_that_ran_before_is_left_running(redis_alone: None, roots: list[Path]) -> None:
    before = Launcher(roots[0], REDIS_ALONE)
    before("start")

    with serving(roots):
        pass

    assert [running(root) for root in roots] == [True, False]
    before("clean")


def test_stack_that_somebody_else_uses_is_left_running(redis_alone: None, roots: list[Path]) -> None:
    with lock.shared(Layout(roots[0]).users_lock), serving(roots):
        pass

    assert [running(root) for root in roots] == [True, False]
    Launcher(roots[0], REDIS_ALONE)("clean")


def test_stacks_are_stopped_when_one_of_them_cannot_start(redis_alone: None, roots: list[Path]) -> None:
    roots[1].mkdir()
    (roots[1] / "data").write_text("no directory")

    with pytest.raises(FileExistsError), serving(roots):
        pass

    assert not running(roots[0])


def test_servers_from_outside_are_one_lane(redis_launcher: Launcher, roots: list[Path]) -> None:
    status, output = redis_launcher("lanes", "--beside", str(roots[1]), "--", "echo", "pytest", "-x")

    assert status == 0
    assert "\npytest -x\n" in output
    assert not roots[1].exists()


def test_every_test_runs_once_every_file_in_one_lane_and_a_failure_in_any_fails_the_whole(
    tmp_path: Path, roots: list[Path]
) -> None:
    for name in ("test_a", "test_b", "test_c"):
        (tmp_path / f"{name}.py").write_text(WHERE)
    (tmp_path / "test_d.py").write_text("def test_fails():\n    raise LookupError\n")

    # A pytest that knows nothing of ours.
    outcome = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "no:cacheprovider", *options(roots)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert outcome.returncode == 1
    assert "FAILED test_d.py::test_fails - LookupError" in outcome.stdout
    assert "1 failed, 9 passed" in outcome.stdout.splitlines()[-1]
    ran = [line.split() for line in (tmp_path / "ran").read_text().splitlines()]
    assert sorted((name, number) for name, number, _ in ran) == [
        (name, number) for name in ("test_a", "test_b", "test_c") for number in ("0", "1", "2")
    ]
    assert len({(name, root) for name, _, root in ran}) == 3
    assert {root for _, _, root in ran} == {str(root) for root in roots}
