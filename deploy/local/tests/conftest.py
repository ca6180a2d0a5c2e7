"""A launcher under a root of its own, with whatever the surrounding test run knows about servers taken away."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deploy.local.layout import REPOSITORY, Layout
from deploy.local.process.process import MARK
from deploy.local.servers.server import VARIABLE

# Named, they are not started: what remains is Redis and its cache, the cheapest servers to play with.
REDIS_ALONE = {"MONGODB_URI": "mongodb://127.0.0.1:1/", "CASSANDRA_CONTACT_POINTS": "127.0.0.1:1"}


@dataclass(frozen=True)
class Launcher:
    """Runs `python -m deploy.local` as a user would."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def layout(self) -> Layout:
        return Layout(self.root)

    def begin(self, *arguments: str, **environ: str) -> subprocess.Popen[str]:
        command, *rest = arguments
        inherited = {name: value for name, value in os.environ.items() if name not in {*VARIABLE.values(), MARK}}
        return subprocess.Popen(
            [sys.executable, "-m", "deploy.local", command, "--root", str(self.root), *rest],
            cwd=REPOSITORY,
            env={**inherited, **self.environ, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __call__(self, *arguments: str, **environ: str) -> tuple[int, str]:
        """The exit status and everything printed."""
        with self.begin(*arguments, **environ) as process:
            output, _ = process.communicate(timeout=120)
        return process.returncode, output


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path / "root")
    yield launcher
    launcher("clean")


@pytest.fixture
def redis_launcher(tmp_path: Path) -> Iterator[Launcher]:
    """A launcher whose stack consists of Redis and its cache."""
    launcher = Launcher(tmp_path / "root", REDIS_ALONE)
    yield launcher
    launcher("clean")
