"""The whole suite in lanes: one pytest, with a worker on each of several stacks.

Most of a test's time is waiting: for an election, for a dead client's transaction to expire, for a process to start.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from deploy.local.command import execute, run_command
from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.process import lock
from deploy.local.process.signals import uninterrupted
from deploy.local.progress import Progress
from deploy.local.servers.server import VARIABLE
from deploy.local.start.stack import Stack
from deploy.local.start.start import start
from deploy.local.start.stop import running_servers, stop

# Tells a worker its root; gateway/test_settings.py takes the addresses from there.
ROOT_VARIABLE = "TEST_ROOT"


def execute_in_lanes(roots: Sequence[Path], pytest: Sequence[str]) -> int:
    """The exit status of pytest. Servers from outside are one set of servers: there all goes through one lane."""
    if len(roots) == 1 or any(os.environ.get(name) for name in VARIABLE.values()):
        return execute(roots[0], pytest, keep=False)
    with serving(roots) as stacks:
        return run_command([*pytest, *options(roots)], {**os.environ, **stacks[0].env()})


def options(roots: Sequence[Path]) -> list[str]:
    """For pytest-xdist: whichever worker is free takes the next file, in the order of the files."""
    workers = [f"--tx=popen//env:{ROOT_VARIABLE}={root}" for root in roots]
    return ["--dist=loadfile", "--no-loadscope-reorder", *workers]


@contextmanager
def serving(roots: Sequence[Path]) -> Iterator[list[Stack]]:
    """All stacks, started at the same time. However it ends, what ran before or is used by others is left running."""
    layouts = {root: Layout(root.resolve()) for root in roots}
    idle = [root for root in roots if not running_servers(layouts[root])]
    with ExitStack() as after:
        for root in idle:
            after.callback(_stop_unused, root)
        stacks = _start(roots)
        for root in roots:
            after.enter_context(lock.shared(layouts[root].users_lock))
        yield [stacks[root] for root in roots]


def _start(roots: Sequence[Path]) -> Mapping[Path, Stack]:
    with Progress() as progress:
        launch = Launch(progress)
        started = launch.together({root: partial(start, root, launch) for root in roots})
    return {root: each.stack for root, each in started.items()}


def _stop_unused(root: Path) -> None:
    if lock.holder(Layout(root.resolve()).users_lock) is None:
        with uninterrupted(), Progress() as progress:
            stop(root, progress)
