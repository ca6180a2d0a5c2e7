"""A process killed in the middle of a merge: the carts are as before or merged, and merging again ends well."""

import os
import signal

import pytest
from pymongo.database import Database

from cart.merge import Merged, MergeMode, merge_guest_cart
from cart.tests.shop import CUSTOMER, GUEST, carts, fill, quantities
from gateway.mongo.client import Document
from gateway.tests.races import paused_process

MERGE = f"""
from cart.merge import MergeMode, merge_guest_cart
merge_guest_cart({GUEST!r}, {CUSTOMER!r}, MergeMode.MERGE)
"""


def merge() -> Merged:
    return merge_guest_cart(GUEST, CUSTOMER, MergeMode.MERGE)


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

    with paused_process(stocked, MERGE, command=command, number=number) as process:
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

    with paused_process(stocked, MERGE, command="commitTransaction", when="answered") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    merged = carts(stocked)

    assert merge() == Merged()
    assert carts(stocked) == merged
    assert [quantities(cart) for cart in carts(stocked, CUSTOMER)] == [[("PROD-1", 1), ("PROD-2", 2)]]


def test_buyer_goes_on_adding_while_a_dead_process_holds_the_cart(stocked: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 2))

    with paused_process(stocked, MERGE, command="commitTransaction") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        fill(GUEST, ("PROD-2", 1))
        fill(CUSTOMER, ("PROD-1", 1))

    assert [quantities(cart) for cart in (*carts(stocked, GUEST), *carts(stocked, CUSTOMER))] == [
        [("PROD-2", 3)],
        [("PROD-1", 2)],
    ]
