"""A guest signs in: every mode, every pair of carts, and only once."""

from datetime import timedelta
from decimal import Decimal

import pytest
from bson import Decimal128
from django.conf import settings
from pymongo.database import Database

from cart.lines import add_lines, clear, remove_lines, set_lines
from cart.merge import Merged, MergeMode, merge_guest_cart
from cart.tests.shop import CUSTOMER, GUEST, carts, fill, line, quantities, sell, sell_many
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent

pytestmark = pytest.mark.usefixtures("stocked")

MERGE, KEEP_CUSTOMER, KEEP_GUEST = MergeMode
Lines = list[tuple[str, int]]


def own_cart(database: Database[Document]) -> Document | None:
    return database["carts"].find_one({"owner": CUSTOMER, "status": "active"})


@pytest.mark.parametrize(
    ("mode", "result"),
    [
        (MERGE, [("PROD-1", 5), ("PROD-2", 4), ("PROD-3", 1)]),
        (KEEP_CUSTOMER, [("PROD-1", 5), ("PROD-2", 1)]),
        (KEEP_GUEST, [("PROD-3", 1), ("PROD-1", 2), ("PROD-2", 4)]),
    ],
)
def test_carts_of_both(stocked: Database[Document], mode: MergeMode, result: Lines) -> None:
    fill(CUSTOMER, ("PROD-1", 5), ("PROD-2", 1))
    fill(GUEST, ("PROD-3", 1), ("PROD-1", 2), ("PROD-2", 4))

    assert merge_guest_cart(GUEST, CUSTOMER, mode) == Merged()

    assert quantities(own_cart(stocked)) == result
    (guests,) = carts(stocked, GUEST)
    assert (guests["status"], guests["merged_into"], guests["version"]) == ("abandoned", CUSTOMER, 2)
    assert guests["abandoned_at"] == guests["updated_at"]
    assert guests["expires_at"] - guests["abandoned_at"] == timedelta(days=settings.CART_KEPT_DAYS)
    assert quantities(guests) == [("PROD-3", 1), ("PROD-1", 2), ("PROD-2", 4)]


@pytest.mark.parametrize(("mode", "taken"), [(MERGE, True), (KEEP_CUSTOMER, False), (KEEP_GUEST, True)])
def test_customer_without_a_cart(stocked: Database[Document], mode: MergeMode, taken: bool) -> None:
    fill(GUEST, ("PROD-1", 2), geozone="spb")

    merge_guest_cart(GUEST, CUSTOMER, mode)

    own = own_cart(stocked)
    if not taken:
        assert own is None
    else:
        assert own is not None
        assert (quantities(own), own["geozone"], own["version"]) == ([("PROD-1", 2)], "spb", 1)
        assert (own["user_id"], own["session_id"]) == (CUSTOMER.removeprefix("u:"), None)
        assert own["expires_at"] - own["updated_at"] == timedelta(days=settings.CART_CUSTOMER_DAYS)
    assert [cart["status"] for cart in carts(stocked, GUEST)] == ["abandoned"]


@pytest.mark.parametrize(
    ("mode", "result"), [(MERGE, [("PROD-1", 2)]), (KEEP_CUSTOMER, []), (KEEP_GUEST, [("PROD-1", 2)])]
)
def test_customer_with_an_empty_cart(stocked: Database[Document], mode: MergeMode, result: Lines) -> None:
    fill(CUSTOMER, ("PROD-2", 1))
    clear(CUSTOMER)
    fill(GUEST, ("PROD-1", 2))

    merge_guest_cart(GUEST, CUSTOMER, mode)

    own = own_cart(stocked)
    assert quantities(own) == result
    assert own is not None
    assert own["expires_at"] - own["updated_at"] == (timedelta(days=90) if result else timedelta(hours=6))


@pytest.mark.parametrize("mode", MergeMode)
def test_empty_guest_cart_is_only_marked(stocked: Database[Document], mode: MergeMode) -> None:
    before = fill(CUSTOMER, ("PROD-1", 5))
    fill(GUEST, ("PROD-2", 1))
    clear(GUEST)

    merge_guest_cart(GUEST, CUSTOMER, mode)

    own = own_cart(stocked)
    assert own is not None
    assert (quantities(own), own["version"]) == (quantities(before), before["version"])
    (guests,) = carts(stocked, GUEST)
    assert (guests["status"], guests["merged_into"]) == ("abandoned", CUSTOMER)


@pytest.mark.parametrize("mode", MergeMode)
def test_guest_without_a_cart_changes_nothing(stocked: Database[Document], mode: MergeMode) -> None:
    fill(CUSTOMER, ("PROD-1", 5))
    before = carts(stocked)

    assert merge_guest_cart(GUEST, CUSTOMER, mode) == Merged()
    assert carts(stocked) == before


@pytest.mark.parametrize("mode", MergeMode)
def test_repeated_merge_changes_nothing(stocked: Database[Document], mode: MergeMode) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-1", 2), ("PROD-2", 1))
    merge_guest_cart(GUEST, CUSTOMER, mode)
    before = carts(stocked)

    assert merge_guest_cart(GUEST, CUSTOMER, mode) == Merged()
    assert carts(stocked) == before


def test_lines_that_do_not_fit_are_named(stocked: Database[Document]) -> None:
    ids = sell_many(stocked, 99)
    add_lines(CUSTOMER, [line(each) for each in ids])
    fill(GUEST, (ids[7], 5), ("PROD-1", 1), ("PROD-2", 2), ("PROD-3", 3))

    merged = merge_guest_cart(GUEST, CUSTOMER, MERGE)

    assert merged == Merged(("Телевизор Окно", "Колонка Эхо"))
    own = own_cart(stocked)
    assert len(quantities(own)) == 100
    assert quantities(own)[7] == (ids[7], 5)
    assert quantities(own)[99] == ("PROD-1", 1)


@pytest.mark.parametrize(("guests", "result"), [("spb", "spb"), (None, "msk")])
def test_geozone_is_the_guests_if_said(stocked: Database[Document], guests: str | None, result: str) -> None:
    fill(CUSTOMER, ("PROD-1", 1), geozone="msk")
    fill(GUEST, ("PROD-2", 1), geozone=guests)

    merge_guest_cart(GUEST, CUSTOMER, MERGE)

    assert (own_cart(stocked) or {})["geozone"] == result


def test_price_seen_of_the_customers_own_line_stays(stocked: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    sell("PROD-1", Decimal("4490.00"))
    fill(GUEST, ("PROD-1", 3))

    merge_guest_cart(GUEST, CUSTOMER, MERGE)

    own = own_cart(stocked)
    assert own is not None
    assert [(item["quantity"], item["price_seen"]) for item in own["items"]] == [(3, Decimal128("3990.00"))]


def test_guests_write_that_comes_just_after_the_merge_goes_to_the_customer(stocked: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 1))
    merge_guest_cart(GUEST, CUSTOMER, MERGE)

    add_lines(GUEST, [line("PROD-3", 1)])
    set_lines(GUEST, [line("PROD-2", 4)])
    after = remove_lines(GUEST, ["PROD-1"])

    assert after == own_cart(stocked)
    assert quantities(after) == [("PROD-2", 4), ("PROD-3", 1)]
    assert [cart["status"] for cart in carts(stocked, GUEST)] == ["abandoned"]


def test_guests_late_line_opens_the_customers_cart(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-2", 1))
    merge_guest_cart(GUEST, CUSTOMER, KEEP_CUSTOMER)

    add_lines(GUEST, [line("PROD-3", 1)])

    assert quantities(own_cart(stocked)) == [("PROD-3", 1)]


def test_guests_late_clear_leaves_the_customers_cart_alone(stocked: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 1))
    merge_guest_cart(GUEST, CUSTOMER, MERGE)
    before = carts(stocked)

    assert clear(GUEST) is None
    assert carts(stocked) == before


def test_guest_of_long_ago_begins_a_cart_of_their_own(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-2", 1))
    merge_guest_cart(GUEST, CUSTOMER, MERGE)
    (guests,) = carts(stocked, GUEST)
    long_ago = guests["abandoned_at"] - timedelta(hours=1)
    stocked["carts"].update_one({"owner": GUEST}, {"$set": {"abandoned_at": long_ago}})

    fill(GUEST, ("PROD-3", 1))

    assert quantities(own_cart(stocked)) == [("PROD-2", 1)]
    assert [quantities(cart) for cart in carts(stocked, GUEST)] == [[("PROD-2", 1)], [("PROD-3", 1)]]


def test_merge_reads_and_writes_each_cart_once_on_its_shard() -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-2", 1))

    with COMMANDS.counted() as sent:
        merge_guest_cart(GUEST, CUSTOMER, MERGE)

    assert sent == {Sent("find", "carts", "carts.merge", 1): 2, Sent("update", "carts", "", 1): 2}


def test_login_without_a_guest_cart_costs_one_command() -> None:
    with COMMANDS.counted() as sent:
        merge_guest_cart(GUEST, CUSTOMER, MERGE)

    assert sent == {Sent("find", "carts", "carts.merge", 1): 1}
