"""What a purchase sends to the stores, counted exactly: whoever adds a command changes this page, and says why."""

from collections import Counter
from collections.abc import Callable

import pytest
from pymongo.database import Database

from cart.cassandra.mirror import OWNERS, mirror_queued
from cart.line_checks import LineWanted
from cart.lines import add_lines
from catalog.products.cards import ProductKey
from gateway.accounts.owners import guest_owner, session_hash
from gateway.accounts.sessions import cache
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.tests.sessions import id_of, in_cassandra
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.redis.clients import redis_client
from ordering.checkout.checkout import check_out
from ordering.checkout.holds import HOLDS, settle_queued
from ordering.mail.delivery import LETTERS, mail_soon, send_queued_mails
from ordering.tests.postbox import Postbox
from ordering.tests.shop import purchase

# What a process reads once in a few seconds, or claims for twenty orders.
NOW_AND_THEN = {"categories", "geozones", "order_numbers"}

pytestmark = pytest.mark.usefixtures("known_tree")


def guest(number: int) -> str:
    return guest_owner(session_hash(f"a-guest-who-buys-{number}"))


def buy_as_new_guest(number: int) -> None:
    add_lines(lambda: guest(number), [LineWanted(ProductKey("audio", "PROD-1"), 1)], "msk")
    check_out(guest(number), purchase(), network=f"203.0.113.{number}")


def nothing_waits() -> None:
    redis_client().delete(HOLDS.name, LETTERS.name, OWNERS.name)


def asked_of_redis(action: Callable[[], object]) -> Counter[str]:
    """The commands that the action sends to the Redis of queues and sessions."""

    def counted() -> Counter[str]:
        return Counter({name: its["calls"] for name, its in redis_client().info("commandstats").items()})

    before = counted()
    action()
    sent = counted() - before
    return Counter({name.removeprefix("cmdstat_"): calls for name, calls in sent.items() if name != "cmdstat_info"})


def test_purchase_of_a_new_guest_takes_these_commands(orders: Database[Document]) -> None:
    def sent_by(number: int) -> Counter[tuple[str, str]]:
        with COMMANDS.counted() as sent:
            buy_as_new_guest(number)
        wanted = {each: count for each, count in sent.items() if each.collection not in NOW_AND_THEN}
        return Counter({(each.command, each.collection): count for each, count in wanted.items()})

    # A transaction on collections that a router does not know yet is run twice.
    found = min((sent_by(number) for number in range(5)), key=Counter.total)

    assert found == {
        # cartLinesAdd: the products are checked, the cart is made.
        ("find", "products"): 2,
        ("insert", "carts"): 1,
        # checkout: what the cart holds and costs, the limits, the pieces, cart and order in a transaction.
        ("find", "carts"): 1,
        ("update", "unpaid_holdings"): 1,
        ("update", "products"): 1,
        ("update", "carts"): 1,
        ("insert", "orders"): 1,
    }


def test_what_follows_takes_no_more_commands_for_many_purchases_than_for_one(
    orders: Database[Document], postbox: Postbox, patient: None
) -> None:
    def follow() -> Counter[tuple[str, str]]:
        with COMMANDS.counted() as sent:
            mail_soon(*settle_queued())
            send_queued_mails()
            mirror_queued()
        counted: Counter[tuple[str, str]] = Counter()
        for each, count in sent.items():
            counted[each.command, each.collection] += count
        return counted

    nothing_waits()
    buy_as_new_guest(1)
    one = follow()
    for number in range(2, 8):
        buy_as_new_guest(number)
    many = follow()

    assert (
        one
        == many
        == {
            ("update", "products"): 1,
            # Read, taken, found again, struck off; whether their addresses have room.
            ("find", "orders"): 2,
            ("update", "orders"): 2,
            ("update", "mailboxes"): 1,
            ("find", "mailboxes"): 1,
            # The carts that are copied.
            ("aggregate", "carts"): 1,
        }
    )
    assert len(postbox.letters) == 7


def test_session_is_written_once_to_each_store_and_found_by_one_question(orders: Database[Document]) -> None:
    SessionStore().create()  # Redis learns the script
    session = SessionStore()

    asked = asked_of_redis(session.create)

    assert asked["evalsha"] == 1
    found = cache.find(id_of(session))
    assert found is not None
    looked_up = asked_of_redis(lambda: cache.find(id_of(session)))
    assert (looked_up["evalsha"], looked_up["script|exists"]) == (1, 0)
    assert (found.synced, id_of(session) in cache.unsynced(1000)) == (True, False)
    assert in_cassandra(id_of(session)) == found.record
