"""What one buyer and one network may hold unpaid: never more, however many ask at once; room once they pay."""

from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import httpx
import pytest
from pymongo.database import Database
from pytest_django import Settings

from cart.tests.buyer import Buyer
from cart.tests.shop import CUSTOMER, GUEST, fill, sell
from catalog.tests.shop import raised
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once
from ordering.checkout.checkout import Bought, check_out
from ordering.checkout.holds import settle_queued
from ordering.events import BY_BUYER
from ordering.lifecycle.claim import claim_orders
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.tests.api import CHECKOUT, INPUT
from ordering.tests.payments_api import expired, pay
from ordering.tests.shop import assert_nothing_oversold, buy, buyer, purchase, reserved

NETWORK = "203.0.113.7"


@pytest.fixture(autouse=True)
def limits(settings: Settings, orders: Database[Document]) -> None:
    settings.ORDER_UNPAID_PER_BUYER = 3
    settings.ORDER_UNPAID_PER_ADDRESS = 5
    settings.ORDER_UNPAID_PIECES_PER_BUYER = 20
    settings.ORDER_UNPAID_PIECES_PER_ADDRESS = 30
    sell("PROD-1", Decimal("3990.00"), msk=1_000)


def buy_from(network: str, owner: str = CUSTOMER, quantity: int = 1, **changes: Any) -> Bought:
    fill(owner, ("PROD-1", quantity))
    return check_out(owner, purchase(**changes), network=network)


def holdings(database: Database[Document]) -> list[tuple[int, dict[str, int]]]:
    found = [(len(each["held"]), each["pieces"]) for each in database["unpaid_holdings"].find()]
    return sorted(found, key=str)


def test_order_beyond_the_limit_is_refused_says_what_to_do_and_nothing_changes(orders: Database[Document]) -> None:
    for _ in range(3):
        buy_from(NETWORK)
    before = holdings(orders)

    with pytest.raises(DomainError, match="You have 3 unpaid orders already") as refusal:
        buy_from(NETWORK)

    assert [reason.code.value for reason in refusal.value] == ["RATE_LIMITED"]
    assert orders["orders"].count_documents({}) == 3
    assert reserved(orders, "PROD-1") == (1_000, 3)
    assert holdings(orders) == before


@pytest.mark.parametrize("freed", ["paid", "cancelled", "expired"])
def test_order_that_is_no_longer_unpaid_makes_room(orders: Database[Document], freed: str) -> None:
    made = [buy_from(NETWORK).order for _ in range(3)]
    settle_queued()
    if freed == "paid":
        pay(made[1], "3990.00")
    elif freed == "cancelled":
        move_order(made[1]["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
    else:
        orders["orders"].update_many(
            {"_id": {"$ne": made[1]["_id"]}}, [{"$set": {"reserved_until": {"$add": ["$reserved_until", 10**10]}}}]
        )
        expired(made[1])

    assert buy_from(NETWORK).replayed is False
    assert raised(lambda: buy_from(NETWORK)) == [("RATE_LIMITED", ())]


def test_pieces_of_one_product_are_counted_over_all_unpaid_orders(orders: Database[Document]) -> None:
    buy_from(NETWORK, quantity=12)

    with pytest.raises(DomainError, match='"Наушники Тишина": at most 20 can be held unpaid, 12 are in unpaid') as no:
        buy_from(NETWORK, quantity=9)
    assert [reason.code.value for reason in no.value] == ["QUANTITY_LIMIT"]
    assert reserved(orders, "PROD-1") == (1_000, 12)
    assert orders["orders"].count_documents({}) == 1


def test_cart_that_is_too_large_in_itself_is_refused(orders: Database[Document]) -> None:
    assert raised(lambda: buy_from(NETWORK, quantity=21)) == [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]
    assert orders["unpaid_holdings"].count_documents({}) == 0


def test_guest_with_ever_new_sessions_meets_the_limit_of_the_network(orders: Database[Document]) -> None:
    for number in range(5):
        buy_from(NETWORK, buyer(number))

    assert raised(lambda: buy_from(NETWORK, buyer(5))) == [("RATE_LIMITED", ())]
    assert buy_from("203.0.113.8", buyer(5)).replayed is False


def test_pieces_are_counted_per_network_too(orders: Database[Document]) -> None:
    buy_from(NETWORK, buyer(1), quantity=20)

    assert raised(lambda: buy_from(NETWORK, buyer(2), quantity=11)) == [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]
    assert buy_from("203.0.113.8", buyer(2), quantity=1).replayed is False


def test_address_is_not_kept_in_the_clear(orders: Database[Document]) -> None:
    buy_from(NETWORK)

    assert NETWORK not in str(list(orders["unpaid_holdings"].find()))


def test_twenty_sessions_of_one_network_at_once_stay_within_the_limit(orders: Database[Document]) -> None:
    owners = [buyer(number) for number in range(20)]
    for owner in owners:
        fill(owner, ("PROD-1", 1))

    results = at_once(*[partial(check_out, owner, purchase(), network=NETWORK) for owner in owners])

    assert [isinstance(result, Bought) for result in results].count(True) == 5
    assert orders["orders"].count_documents({}) == 5
    settle_queued()
    assert_nothing_oversold(orders)


def test_one_session_that_fills_and_buys_from_many_devices_stays_within_the_limit(
    orders: Database[Document], settings: Settings
) -> None:
    # What is refused stays in the cart, which grows.
    settings.ORDER_UNPAID_PIECES_PER_BUYER = settings.ORDER_UNPAID_PIECES_PER_ADDRESS = 1_000

    def shop_on() -> None:
        for _ in range(4):
            try:
                buy_from(NETWORK)
            except DomainError:
                continue

    at_once(*[shop_on] * 8)

    assert orders["orders"].count_documents({"status": "new"}) == 3
    settle_queued()
    assert_nothing_oversold(orders)


def test_refused_purchase_and_two_devices_at_one_cart_count_once(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1), ("PROD-2", 3))
    assert raised(lambda: check_out(CUSTOMER, purchase(), network=NETWORK)) == [
        ("OUT_OF_STOCK", ("lines", 1, "quantity"))
    ]
    assert holdings(orders) == [(0, {}), (0, {})]
    sell("PROD-2", Decimal("49990.00"), msk=3)

    at_once(*[partial(check_out, CUSTOMER, purchase(), network=NETWORK)] * 4)

    assert holdings(orders) == [(1, {"PROD-1": 1, "PROD-2": 3})] * 2


def test_two_devices_at_the_last_permitted_cart_both_get_its_order(orders: Database[Document]) -> None:
    for _ in range(2):
        buy_from(NETWORK)
    fill(CUSTOMER, ("PROD-1", 1))

    results = at_once(*[partial(check_out, CUSTOMER, purchase(), network=NETWORK)] * 6)

    assert len({result.order["_id"] for result in results}) == 1


def test_checkout_that_died_is_forgotten_after_a_while(orders: Database[Document]) -> None:
    for _ in range(3):
        buy_from(NETWORK)
    orders["orders"].delete_many({})
    assert raised(lambda: buy_from(NETWORK)) == [("RATE_LIMITED", ())]
    earlier = {"$subtract": ["$$entry.at", timedelta(minutes=3) // timedelta(milliseconds=1)]}
    aged = {"$map": {"input": "$held", "as": "entry", "in": {"$mergeObjects": ["$$entry", {"at": earlier}]}}}
    orders["unpaid_holdings"].update_many({}, [{"$set": {"held": aged}}])

    assert buy(CUSTOMER).replayed is False
    # The network had room, so nobody looked at what it holds.
    assert holdings(orders) == [(1, {"PROD-1": 1}), (3, {"PROD-1": 3})]


def test_orders_that_a_guest_took_along_still_count_for_the_network(orders: Database[Document]) -> None:
    for _ in range(3):
        buy_from(NETWORK, GUEST)
    claim_orders(GUEST, CUSTOMER)
    for _ in range(2):
        buy_from(NETWORK)

    assert raised(lambda: buy_from(NETWORK, buyer(7))) == [("RATE_LIMITED", ())]


def test_repeated_purchase_is_no_further_order(orders: Database[Document]) -> None:
    for number in range(3):
        buy_from(NETWORK, client_key=f"k-{number}")

    assert buy(client_key="k-0").replayed is True


def test_buyer_and_network_are_counted_by_one_command(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))

    with COMMANDS.counted() as sent:
        check_out(CUSTOMER, purchase(), network=NETWORK)

    assert [(each.command, count) for each, count in sent.items() if each.collection == "unpaid_holdings"] == [
        ("update", 1)
    ]
    assert Sent("find", "unpaid_holdings", "stock.check", 1) not in sent


def test_checkout_counts_the_address_of_its_client(web: httpx.Client, guest: Buyer, orders: Database[Document]) -> None:
    guest.send(CHECKOUT, input=INPUT)

    assert {each["_id"][:2] for each in orders["unpaid_holdings"].find()} == {"s:", "a:"}
