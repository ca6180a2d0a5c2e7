"""The sweep of overdue carts: what it marks, and that neither a buyer, nor a second sweep, nor a kill does harm."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest
from django.conf import settings
from pymongo.database import Database

from cart.expiry import abandon_expired, mark_abandoned, overdue
from cart.models import BACKSTOP_SECONDS
from cart.tests.carts import cart, carts, now, stored, touch
from cart.tests.carts import overdue as overdue_cart
from gateway.mongo.client import Document, client
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.lag import _shard_client
from gateway.mongo.reads import run
from gateway.tests.eventually import eventually
from gateway.tests.races import at_once, python_process

# Sweeps by small batches.
PROGRAM = """
import django
django.setup()
from cart.expiry import abandon_expired
abandon_expired(batch=20, batches=10**6)
"""


def test_overdue_cart_is_marked_abandoned_and_kept_for_a_while(database: Database[Document]) -> None:
    left = overdue_cart("s:left", version=7)
    carts().insert_one(left)

    assert abandon_expired() == 1

    found = stored(left)
    assert (found["status"], found["version"]) == ("abandoned", 8)
    assert found["abandoned_at"] == found["updated_at"] > left["updated_at"].replace(tzinfo=None)
    assert found["expires_at"] - found["abandoned_at"] == timedelta(days=settings.CART_KEPT_DAYS)
    changed = {"status", "version", "abandoned_at", "updated_at", "expires_at"}
    before = {**left, "created_at": left["created_at"].replace(tzinfo=None)}
    assert {name: found[name] for name in found.keys() - changed} == {
        name: before[name] for name in before.keys() - changed
    }


def test_empty_cart_is_marked_too(database: Database[Document]) -> None:
    empty = overdue_cart("s:empty", items=[])
    carts().insert_one(empty)

    assert abandon_expired() == 1
    assert stored(empty)["status"] == "abandoned"


def test_others_are_left_alone(database: Database[Document]) -> None:
    past = now() - timedelta(hours=1)
    untouched = [
        cart("s:fresh"),
        cart("u:ordered", status="ordered", expires_at=past),
        cart("u:abandoned", status="abandoned", expires_at=past),
    ]
    carts().insert_many(untouched)
    before = list(database["carts"].find().sort("owner"))

    assert abandon_expired() == 0

    assert list(database["carts"].find().sort("owner")) == before


def test_batches_are_bounded_oldest_first_and_the_next_run_goes_on(database: Database[Document]) -> None:
    moment = now()
    carts().insert_many(
        overdue_cart(f"s:{number}", expires_at=moment - timedelta(minutes=100 - number)) for number in range(25)
    )

    assert abandon_expired(batch=5, batches=2) == 10
    assert {each["owner"] for each in database["carts"].find({"status": "abandoned"})} == {f"s:{n}" for n in range(10)}
    assert abandon_expired(batch=5) == 15
    assert abandon_expired(batch=5) == 0


def test_buyer_who_comes_between_the_look_and_the_mark_keeps_the_cart(database: Database[Document]) -> None:
    touched, left = overdue_cart("s:touched"), overdue_cart("s:left")
    carts().insert_many([touched, left])
    found = run(overdue(now(), limit=10))

    touch("s:touched")
    seen = stored(touched)

    assert mark_abandoned(found) == 1
    assert stored(touched) == seen
    assert stored(left)["status"] == "abandoned"


def test_cart_whose_time_was_moved_without_a_new_version_is_kept(database: Database[Document]) -> None:
    moved = overdue_cart("s:moved")
    carts().insert_one(moved)
    found = run(overdue(now(), limit=10))

    database["carts"].update_one({"owner": "s:moved"}, {"$set": {"expires_at": now() + timedelta(hours=1)}})

    assert mark_abandoned(found) == 0
    assert stored(moved)["status"] == "active"


def test_buyers_and_two_sweeps_at_once_never_abandon_a_touched_cart(database: Database[Document]) -> None:
    owners = [f"s:{number}" for number in range(300)]
    carts().insert_many(overdue_cart(owner) for owner in owners)

    def shop(mine: list[str]) -> set[str]:
        return {owner for owner in mine if touch(owner)}

    sweep = partial(abandon_expired, batch=7)
    buyers = [partial(shop, owners[part::4][:40]) for part in range(4)]
    first, second, *touched = at_once(sweep, sweep, *buyers, expected=())

    kept = set().union(*touched)
    assert {each["owner"] for each in database["carts"].find({"status": "active"})} == kept
    assert first + second == 300 - len(kept)
    assert Counter(each["version"] for each in database["carts"].find()) == {2: 300}


def test_sweep_killed_in_the_middle_is_taken_up_by_the_next(database: Database[Document]) -> None:
    total = 2_000
    carts().insert_many((overdue_cart(f"s:{number}") for number in range(total)), ordered=False)

    with python_process(database, "-c", PROGRAM) as process:
        while (marked := database["carts"].count_documents({"status": "abandoned"})) == 0:
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    settled = database["carts"].count_documents({"status": "abandoned"})

    assert 0 < marked <= settled < total
    assert abandon_expired() == total - settled
    assert Counter((each["status"], each["version"]) for each in database["carts"].find()) == {("abandoned", 2): total}


def test_look_asks_each_shard_and_the_marks_go_to_the_shards_of_their_carts(database: Database[Document]) -> None:
    carts().insert_many([overdue_cart("s:one")])

    with COMMANDS.counted() as sent:
        abandon_expired()

    assert sent == {Sent("find", "carts", "carts.active", 2): 1, Sent("update", "carts", "", 1): 1}


def test_look_walks_the_index_of_the_overdue(database: Database[Document]) -> None:
    carts().insert_many([*(cart(f"s:{number}") for number in range(50)), overdue_cart("s:old")])
    look = overdue(now(), limit=10)

    plan = database.command(
        "explain",
        {"find": "carts", "filter": look.where, "sort": dict(look.sort), "limit": 10},
        verbosity="executionStats",
    )

    assert plan["executionStats"]["totalDocsExamined"] == 1
    assert plan["executionStats"]["totalKeysExamined"] <= 2


def test_server_itself_deletes_what_is_overdue_for_a_week(database: Database[Document], eager_backstop: None) -> None:
    gone = now() - timedelta(seconds=BACKSTOP_SECONDS + 60)
    carts().insert_many(
        [
            cart("s:unseen", expires_at=gone),
            cart("s:kept-long", status="ordered", expires_at=gone),
            cart("s:overdue", expires_at=now() - timedelta(days=6)),
        ]
    )

    eventually(lambda: [each["owner"] for each in database["carts"].find()], ["s:overdue"], within=60)


@pytest.fixture
def eager_backstop(cluster: None) -> Iterator[None]:
    """The servers look for expired documents every second instead of every minute."""
    shards = [_shard_client(shard["host"]) for shard in client().config.shards.find()]
    for shard in shards:
        shard.admin.command("setParameter", 1, ttlMonitorSleepSecs=1)
    yield
    for shard in shards:
        shard.admin.command("setParameter", 1, ttlMonitorSleepSecs=60)
