"""A process killed in the middle of a merge: the carts are as before or merged, and merging again ends well."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.monitoring import CommandListener

from cart.merge import Merged, MergeMode, merge_guest_cart
from cart.tests.shop import CUSTOMER, GUEST, carts, fill, quantities, shop, stocked, two_shards
from gateway.mongo.client import Document

__all__ = ["shop", "stocked", "two_shards"]

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import sys, django
from pymongo import monitoring
django.setup()
from cart.tests.test_merge_crash import Pause, merge
monitoring.register(Pause(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
merge()
"""


class Pause(CommandListener):
    """Stops the process for good when it sends the nth command of this name, or has the answer to it."""

    def __init__(self, command: str, number: int, when: str) -> None:
        self._command = command
        self._left = number
        self._when = when

    def started(self, event: Any) -> None:
        self._seen(event, "sent")

    def succeeded(self, event: Any) -> None:
        self._seen(event, "answered")

    def failed(self, event: Any) -> None:
        """A retry is counted like a first attempt."""

    def _seen(self, event: Any, when: str) -> None:
        if event.command_name != self._command or when != self._when:
            return
        self._left -= 1
        if self._left == 0:
            os.write(sys.stdout.fileno(), b"paused\n")
            while True:
                time.sleep(60)


def merge() -> Merged:
    return merge_guest_cart(GUEST, CUSTOMER, MergeMode.MERGE)


@contextmanager
def merging(database: Database[Document], command: str, number: int, when: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that merges and has come to a stop there."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "gateway.test_settings", "MONGODB_DATABASE": database.name}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, command, str(number), when], cwd=ROOT, env=environment, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"paused\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("own", "command", "number"),
    [
        pytest.param([("PROD-1", 1)], "update", 2, id="between the two writes"),
        pytest.param([], "insert", 1, id="before the customer's first cart"),
        pytest.param([("PROD-1", 1)], "commitTransaction", 1, id="before the commit"),
    ],
)
def test_process_killed_inside_a_merge_leaves_both_carts_as_they_were(
    stocked: Database[Document], own: list[tuple[str, int]], command: str, number: int
) -> None:
    if own:
        fill(CUSTOMER, *own)
    fill(GUEST, ("PROD-2", 2))
    before = carts(stocked)

    with merging(stocked, command, number, "sent") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert carts(stocked) == before

        # Waits until the server has dropped the transaction of the dead.
        merge()

    (customers,) = carts(stocked, CUSTOMER)
    (guests,) = carts(stocked, GUEST)
    assert quantities(customers) == [*own, ("PROD-2", 2)]
    assert (guests["status"], guests["merged_into"], guests["version"]) == ("abandoned", CUSTOMER, 2)


def test_process_killed_after_the_commit_has_merged_and_nothing_happens_twice(stocked: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 2))

    with merging(stocked, "commitTransaction", 1, "answered") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    merged = carts(stocked)

    assert merge() == Merged()
    assert carts(stocked) == merged
    assert [quantities(cart) for cart in carts(stocked, CUSTOMER)] == [[("PROD-1", 1), ("PROD-2", 2)]]


def test_buyer_goes_on_adding_while_a_dead_process_holds_the_cart(stocked: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 2))

    with merging(stocked, "commitTransaction", 1, "sent") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        fill(GUEST, ("PROD-2", 1))
        fill(CUSTOMER, ("PROD-1", 1))

    assert [quantities(cart) for cart in (*carts(stocked, GUEST), *carts(stocked, CUSTOMER))] == [
        [("PROD-2", 3)],
        [("PROD-1", 2)],
    ]
