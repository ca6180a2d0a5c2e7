"""Many devices, and a login, at the same moment: nothing is lost and nothing is exceeded."""

from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

import cart.lines
import cart.merge
from cart.line_checks import MAX_LINES, MAX_QUANTITY
from cart.lines import add_lines, remove_lines, set_lines
from cart.merge import Merged, MergeMode, merge_guest_cart
from cart.tests.shop import CUSTOMER, GUEST, carts, fill, line, quantities, sell_many
from gateway.accounts.owners import customer_owner
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once, just_before

pytestmark = pytest.mark.usefixtures("stocked")


def refusals(results: list[Any]) -> list[str]:
    return [reason.code.value for result in results if isinstance(result, DomainError) for reason in result]


def test_twenty_devices_lose_nothing(stocked: Database[Document]) -> None:
    ids = sell_many(stocked, 20)
    fill(CUSTOMER, ("PROD-1", 1))

    at_once(*(partial(add_lines, CUSTOMER, [line("PROD-1", 2), line(each)]) for each in ids))

    (cart,) = carts(stocked)
    assert dict(quantities(cart)) == {"PROD-1": 41, **dict.fromkeys(ids, 1)}
    assert cart["version"] == 21


def test_twenty_devices_that_add_set_and_remove_do_not_disturb_each_other(stocked: Database[Document]) -> None:
    ids = sell_many(stocked, 20)
    fill(CUSTOMER, *((each, 1) for each in ids))

    at_once(
        *(partial(add_lines, CUSTOMER, [line(each, 4)]) for each in ids[:7]),
        *(partial(set_lines, CUSTOMER, [line(each, 9)]) for each in ids[7:14]),
        *(partial(remove_lines, CUSTOMER, [each]) for each in ids[14:]),
    )

    (cart,) = carts(stocked)
    assert quantities(cart) == [*((each, 5) for each in ids[:7]), *((each, 9) for each in ids[7:14])]
    assert cart["version"] == 21


@pytest.mark.parametrize("owner", [GUEST, CUSTOMER])
def test_thirty_two_first_lines_make_one_cart(stocked: Database[Document], owner: str) -> None:
    at_once(*(partial(add_lines, owner, [line("PROD-1")]) for _ in range(32)))

    (cart,) = carts(stocked)
    assert (quantities(cart), cart["version"]) == ([("PROD-1", 32)], 32)


def test_racing_lines_stop_at_the_hundredth(stocked: Database[Document]) -> None:
    ids = sell_many(stocked, MAX_LINES + 15)
    add_lines(CUSTOMER, [line(each) for each in ids[: MAX_LINES - 5]])

    results = at_once(*(partial(add_lines, CUSTOMER, [line(each)]) for each in ids[MAX_LINES - 5 :]))

    assert refusals(results) == ["CART_LIMIT"] * 15
    (cart,) = carts(stocked)
    assert (len(cart["items"]), cart["version"]) == (MAX_LINES, 6)


def test_racing_quantities_stop_at_the_limit(stocked: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", MAX_QUANTITY - 10))

    results = at_once(*(partial(add_lines, CUSTOMER, [line("PROD-1")]) for _ in range(20)))

    assert refusals(results) == ["QUANTITY_LIMIT"] * 10
    (cart,) = carts(stocked)
    assert (quantities(cart), cart["version"]) == ([("PROD-1", MAX_QUANTITY)], 11)


def test_cart_that_another_device_opened_first_takes_the_line(
    stocked: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    just_before(monkeypatch, cart.lines, "new_cart", lambda: add_lines(CUSTOMER, [line("PROD-2")]))

    add_lines(CUSTOMER, [line("PROD-1")])

    (found,) = carts(stocked)
    assert quantities(found) == [("PROD-2", 1), ("PROD-1", 1)]


def test_room_that_another_device_made_meanwhile_is_used(
    stocked: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = sell_many(stocked, MAX_LINES)
    add_lines(CUSTOMER, [line(each) for each in ids])
    # The line is out of room, and looks why.
    just_before(monkeypatch, cart.lines, "active_cart", lambda: remove_lines(CUSTOMER, ids[:1]))

    add_lines(CUSTOMER, [line("PROD-1")])

    (found,) = carts(stocked)
    assert quantities(found) == [*((each, 1) for each in ids[1:]), ("PROD-1", 1)]


def test_cart_that_is_ordered_meanwhile_is_left_alone(
    stocked: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(CUSTOMER, ("PROD-1", 1))

    def order() -> None:
        stocked["carts"].update_one({"owner": CUSTOMER}, {"$set": {"status": "ordered"}, "$inc": {"version": 1}})

    just_before(monkeypatch, cart.lines, "_change", order)

    add_lines(CUSTOMER, [line("PROD-2")])

    assert [(found["status"], quantities(found)) for found in carts(stocked)] == [
        ("ordered", [("PROD-1", 1)]),
        ("active", [("PROD-2", 1)]),
    ]


def test_guests_line_in_flight_while_signing_in_reaches_the_customer(
    stocked: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(GUEST, ("PROD-1", 1))
    just_before(monkeypatch, cart.lines, "_change", lambda: merge_guest_cart(GUEST, CUSTOMER, MergeMode.MERGE))

    add_lines(GUEST, [line("PROD-1", 2), line("PROD-2")])

    (customers,) = carts(stocked, CUSTOMER)
    assert quantities(customers) == [("PROD-1", 3), ("PROD-2", 1)]


@pytest.mark.parametrize(
    ("step", "owner"), [("_abandon", GUEST), ("_abandon", CUSTOMER), ("_replace", CUSTOMER), ("_united", CUSTOMER)]
)
def test_line_added_in_the_middle_of_a_merge_is_kept(
    stocked: Database[Document], monkeypatch: pytest.MonkeyPatch, step: str, owner: str
) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 1))
    just_before(monkeypatch, cart.merge, step, lambda: add_lines(owner, [line("PROD-3", 5)]))

    merge_guest_cart(GUEST, CUSTOMER, MergeMode.MERGE)

    (customers,) = carts(stocked, CUSTOMER)
    assert dict(quantities(customers)) == {"PROD-1": 1, "PROD-2": 1, "PROD-3": 5}


@pytest.mark.parametrize("step", ["_abandon", "_united", "_open", "new_cart"])
def test_first_cart_of_the_customer_in_the_middle_of_a_merge_is_kept(
    stocked: Database[Document], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    fill(GUEST, ("PROD-2", 1))
    just_before(monkeypatch, cart.merge, step, lambda: add_lines(CUSTOMER, [line("PROD-3", 5)]))

    merge_guest_cart(GUEST, CUSTOMER, MergeMode.MERGE)

    (customers,) = carts(stocked, CUSTOMER)
    assert quantities(customers) == [("PROD-3", 5), ("PROD-2", 1)]


def test_order_placed_in_the_middle_of_a_merge_keeps_its_lines(
    stocked: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 1))

    def order() -> None:
        stocked["carts"].update_one({"owner": CUSTOMER}, {"$set": {"status": "ordered"}, "$inc": {"version": 1}})

    just_before(monkeypatch, cart.merge, "_replace", order)

    merge_guest_cart(GUEST, CUSTOMER, MergeMode.MERGE)

    assert [(found["status"], quantities(found)) for found in carts(stocked, CUSTOMER)] == [
        ("ordered", [("PROD-1", 1)]),
        ("active", [("PROD-2", 1)]),
    ]


@pytest.mark.parametrize("mode", [MergeMode.MERGE, MergeMode.KEEP_GUEST])
def test_racing_logins_merge_once(stocked: Database[Document], mode: MergeMode) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-1", 3), ("PROD-2", 2))

    assert at_once(*(partial(merge_guest_cart, GUEST, CUSTOMER, mode) for _ in range(8))) == [Merged()] * 8

    (customers,) = carts(stocked, CUSTOMER)
    (guests,) = carts(stocked, GUEST)
    assert (quantities(customers), customers["version"]) == ([("PROD-1", 3), ("PROD-2", 2)], 2)
    assert (guests["status"], guests["version"]) == ("abandoned", 2)


def test_guest_who_signs_in_to_two_accounts_at_once_brings_the_lines_to_one(stocked: Database[Document]) -> None:
    accounts = [customer_owner(f"665f1c2ab0a1c2d3e4f5061{number}") for number in range(4)]
    fill(GUEST, ("PROD-2", 2))

    at_once(*(partial(merge_guest_cart, GUEST, account, MergeMode.MERGE) for account in accounts))

    (guests,) = carts(stocked, GUEST)
    (taken,) = [found for found in carts(stocked) if found["owner"] != GUEST]
    assert quantities(taken) == [("PROD-2", 2)]
    assert guests["merged_into"] == taken["owner"]


def test_devices_of_guest_and_customer_go_on_while_the_carts_merge(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-2", 1))

    def keep_adding(owner: str, product_id: str) -> None:
        for _ in range(10):
            add_lines(owner, [line(product_id)])

    at_once(
        partial(keep_adding, CUSTOMER, "PROD-1"),
        partial(keep_adding, GUEST, "PROD-2"),
        partial(keep_adding, GUEST, "PROD-3"),
        partial(merge_guest_cart, GUEST, CUSTOMER, MergeMode.MERGE),
    )

    (customers,) = carts(stocked, CUSTOMER)
    (guests,) = carts(stocked, GUEST)
    assert dict(quantities(customers)) == {"PROD-1": 10, "PROD-2": 11, "PROD-3": 10}
    assert guests["status"] == "abandoned"
