"""Lines of a cart: what each action makes of the document."""

from datetime import timedelta
from decimal import Decimal

import pytest
from bson import Decimal128
from pymongo.database import Database

from cart.documents import CartDocument
from cart.lines import add_lines, clear, remove_lines, set_lines
from cart.tests.shop import CUSTOMER, GUEST, carts, fill, line, quantities, sell
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent

pytestmark = pytest.mark.usefixtures("stocked")


def test_first_line_makes_the_cart_of_a_guest(stocked: Database[Document]) -> None:
    add_lines(GUEST, [line("PROD-1", 2)], "msk")

    (cart,) = carts(stocked)
    assert cart["expires_at"] - cart["updated_at"] == timedelta(days=30)
    assert {**cart, "_id": 0, "created_at": 0, "updated_at": 0, "expires_at": 0} == {
        "_id": 0,
        "owner": GUEST,
        "user_id": None,
        "session_id": GUEST.removeprefix("s:"),
        "status": "active",
        "geozone": "msk",
        "items": [
            {
                "product_id": "PROD-1",
                "category": "audio",
                "name": "Наушники Тишина",
                "quantity": 2,
                "price_seen": Decimal128("3990.00"),
            }
        ],
        "version": 1,
        "created_at": 0,
        "updated_at": 0,
        "expires_at": 0,
        "abandoned_at": None,
        "order_id": None,
        "merged_into": None,
    }


def test_cart_of_a_customer_names_the_user_and_lives_longer(stocked: Database[Document]) -> None:
    add_lines(CUSTOMER, [line("PROD-1")])

    (cart,) = carts(stocked)
    assert (cart["user_id"], cart["session_id"], cart["geozone"]) == (CUSTOMER.removeprefix("u:"), None, None)
    assert cart["expires_at"] - cart["updated_at"] == timedelta(days=90)


def test_adding_sums_quantities_and_appends_new_products(stocked: Database[Document]) -> None:
    made = fill(GUEST, ("PROD-1", 2))

    after = add_lines(GUEST, [line("PROD-2", 1), line("PROD-1", 3), line("PROD-2", 1)]).cart

    assert quantities(after) == [("PROD-1", 5), ("PROD-2", 2)]
    assert after is not None
    assert (after["_id"], after["version"]) == (made["_id"], 2)
    assert list(carts(stocked)) == [after]


def test_adding_again_shows_todays_price_and_setting_keeps_the_price_seen() -> None:
    fill(GUEST, ("PROD-1", 1), ("PROD-2", 1))
    sell("PROD-1", Decimal("4490.00"))
    sell("PROD-2", Decimal("44990.00"))

    add_lines(GUEST, [line("PROD-1")])
    after = set_lines(GUEST, [line("PROD-2", 2)])

    assert quantities(after) == [("PROD-1", 2), ("PROD-2", 2)]
    assert after is not None
    assert [item["price_seen"] for item in after["items"]] == [Decimal128("4490.00"), Decimal128("49990.00")]


def test_setting_changes_removes_and_adds() -> None:
    fill(GUEST, ("PROD-1", 5), ("PROD-2", 1))

    after = set_lines(GUEST, [line("PROD-3", 4), line("PROD-1", 0), line("PROD-2", 7)])

    assert quantities(after) == [("PROD-2", 7), ("PROD-3", 4)]
    assert after is not None
    assert after["version"] == 2


def test_setting_zero_removes_even_what_is_withdrawn_or_gone(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 1), ("PROD-3", 1))
    sell("PROD-1", Decimal("3990.00"), withdrawn=True)
    stocked["products"].delete_one({"category": "audio", "_id": "PROD-3"})

    assert quantities(set_lines(GUEST, [line("PROD-1", 0), line("PROD-3", 0)])) == []


def test_setting_only_zeros_makes_no_cart(stocked: Database[Document]) -> None:
    assert set_lines(GUEST, [line("PROD-1", 0)]) is None
    assert carts(stocked) == []


def test_last_line_removed_leaves_an_empty_cart_that_goes_soon() -> None:
    made = fill(CUSTOMER, ("PROD-1", 5))

    after = remove_lines(CUSTOMER, ["PROD-1"])

    assert after is not None
    assert (after["_id"], after["items"], after["version"]) == (made["_id"], [], 2)
    assert after["expires_at"] - after["updated_at"] == timedelta(hours=6)


def test_cart_that_was_empty_lives_longer_once_filled() -> None:
    fill(CUSTOMER, ("PROD-1", 5))
    clear(CUSTOMER)

    after = add_lines(CUSTOMER, [line("PROD-2")]).cart

    assert after is not None
    assert after["expires_at"] - after["updated_at"] == timedelta(days=90)


def test_removing_takes_out_what_is_in() -> None:
    fill(GUEST, ("PROD-1", 1), ("PROD-2", 2), ("PROD-3", 3))

    assert quantities(remove_lines(GUEST, ["PROD-3", "PROD-404", "PROD-1"])) == [("PROD-2", 2)]


def test_removing_and_clearing_twice_changes_nothing_the_second_time(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 1), ("PROD-2", 2))

    removed = remove_lines(GUEST, ["PROD-1"])
    assert remove_lines(GUEST, ["PROD-1"]) == removed
    cleared = clear(GUEST)
    assert clear(GUEST) == cleared

    assert list(carts(stocked)) == [cleared]
    assert cleared is not None
    assert (cleared["items"], cleared["version"]) == ([], 3)


def test_removing_and_clearing_without_a_cart_makes_none(stocked: Database[Document]) -> None:
    assert remove_lines(GUEST, ["PROD-1"]) is None
    assert clear(GUEST) is None
    assert carts(stocked) == []


def geozone_of(cart: CartDocument | None) -> str | None:
    assert cart is not None
    return cart["geozone"]


def test_geozone_is_kept_until_another_is_given() -> None:
    fill(GUEST, ("PROD-1", 1), geozone="msk")

    assert geozone_of(add_lines(GUEST, [line("PROD-1")]).cart) == "msk"
    assert geozone_of(set_lines(GUEST, [line("PROD-1", 1)], "spb")) == "spb"
    assert geozone_of(clear(GUEST)) == "spb"


def test_product_that_moved_since_its_page_was_shown_is_added_from_its_new_category() -> None:
    upsert_product(draft(category="video", stock=None), actor=MARINA)

    after = add_lines(GUEST, [line("PROD-1")]).cart

    assert after is not None
    assert [(item["product_id"], item["category"]) for item in after["items"]] == [("PROD-1", "video")]


def test_ordered_cart_is_left_alone_and_a_new_one_begins(stocked: Database[Document]) -> None:
    first = fill(CUSTOMER, ("PROD-1", 1))
    stocked["carts"].update_one({"owner": CUSTOMER}, {"$set": {"status": "ordered"}})

    second = fill(CUSTOMER, ("PROD-2", 1))

    assert second["_id"] != first["_id"]
    assert [(cart["status"], quantities(cart)) for cart in carts(stocked)] == [
        ("ordered", [("PROD-1", 1)]),
        ("active", [("PROD-2", 1)]),
    ]


def test_owners_do_not_meet(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 1))
    fill(CUSTOMER, ("PROD-2", 1))

    clear(GUEST)

    assert [quantities(cart) for cart in carts(stocked)] == [[], [("PROD-2", 1)]]


def test_change_of_a_cart_is_one_command_to_one_shard() -> None:
    fill(GUEST, ("PROD-1", 1))

    with COMMANDS.counted() as added:
        add_lines(GUEST, [line("PROD-1"), line("PROD-3")])
    with COMMANDS.counted() as placed:
        add_lines(GUEST, [line("PROD-1")], "msk")
    with COMMANDS.counted() as placed_again:
        add_lines(GUEST, [line("PROD-1")], "msk")
    with COMMANDS.counted() as removed:
        remove_lines(GUEST, ["PROD-1"])
    with COMMANDS.counted() as cleared:
        clear(GUEST)

    products = Sent("find", "products", "stock.check", 1)
    change = Sent("findAndModify", "carts", "", 1)
    assert added == {products: 1, change: 1}
    # The geozones are read once in a few seconds.
    assert placed == {products: 1, Sent("find", "geozones", "catalog.list", 1): 1, change: 1}
    assert placed_again == {products: 1, change: 1}
    assert removed == {change: 1}
    assert cleared == {change: 1}


@pytest.mark.usefixtures("known_tree")
def test_first_cart_takes_a_few_commands_to_one_shard_each() -> None:
    with COMMANDS.counted() as by_customer:
        fill(CUSTOMER, ("PROD-1", 1))
    with COMMANDS.counted() as by_guest:
        fill(GUEST, ("PROD-1", 1))
    with COMMANDS.counted() as by_new_guest:
        add_lines(lambda: "s:new", [line("PROD-1")])

    common = {
        Sent("find", "products", "stock.check", 1): 1,
        Sent("findAndModify", "carts", "", 1): 1,
        Sent("insert", "carts", "", 1): 1,
    }
    assert by_customer == {**common, Sent("find", "carts", "carts.active", 1): 1}
    assert by_guest == {**common, Sent("find", "carts", "carts.active", 1): 2}
    # Nobody looks for the cart of an owner who has just been made.
    assert by_new_guest == {each: 1 for each in common if each.command != "findAndModify"}


def test_owner_who_was_not_new_after_all_keeps_the_cart(database: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 1))

    put = add_lines(lambda: GUEST, [line("PROD-1"), line("PROD-3")])

    assert put.cart is not None
    assert [(item["product_id"], item["quantity"]) for item in put.cart["items"]] == [("PROD-1", 2), ("PROD-3", 1)]
    assert database["carts"].count_documents({"owner": GUEST}) == 1
