"""Letters to the buyer over a real SMTP server: each event once, whoever dies or refuses in between."""

import os
import signal
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from django.core.mail.message import BadHeaderError
from pymongo.database import Database
from pytest_django import Settings

from cart.tests.shop import CUSTOMER, fill
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.redis.clients import redis_client
from gateway.tests.eventually import eventually
from gateway.tests.races import at_once, paused_process
from ordering.checkout.holds import settle_queued
from ordering.documents import MailDebt, OrderDocument
from ordering.mail import delivery
from ordering.mail.delivery import mail_overdue, mail_soon, send_due_mails, send_queued_mails
from ordering.tasks import sweep_mails
from ordering.tests.payments_api import ordered, pay, stored
from ordering.tests.postbox import Postbox, served_by, subject
from ordering.tests.shop import PURCHASE, buy, buyer


def due(database: Database[Document], order: OrderDocument) -> list[MailDebt]:
    return stored(database, order)["mail_due"]


def let_time_pass(database: Database[Document], **time_: float) -> None:
    """As if the letters had been due, or taken, that much earlier."""
    for order in database["orders"].find({"mail_due.0": {"$exists": True}}):
        earlier = [{**each, "at": each["at"] - timedelta(**time_)} for each in order["mail_due"]]
        database["orders"].update_one({"_id": order["_id"]}, {"$set": {"mail_due": earlier}})


def nobody_listens() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_repeated_task_sends_nothing_more(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()

    assert [send_due_mails(order["_id"]) for _ in range(3)] == [1, 0, 0]
    assert send_due_mails("no such order") == 0
    assert len(postbox.letters) == 1


def test_many_workers_and_sweeps_at_once_send_each_letter_once(orders: Database[Document], postbox: Postbox) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(3)]
    for order in made:
        pay(order, "3990.00")
    let_time_pass(orders, minutes=2)
    tasks = [partial(send_due_mails, order["_id"]) for order in made for _ in range(2)]

    counts = at_once(*tasks, *[partial(mail_overdue, limit=10)] * 3)

    assert sum(counts) == 6
    assert len({letter["Message-ID"] for letter in postbox.letters}) == len(postbox.letters) == 6
    assert [due(orders, order) for order in made] == [[], [], []]


def test_letter_that_is_being_sent_is_left_alone_until_its_lease_ends(
    orders: Database[Document], postbox: Postbox
) -> None:
    order = ordered()
    with served_by(nobody_listens()):
        assert send_due_mails(order["_id"]) == 0
    (entry,) = due(orders, order)
    assert entry["tries"] == 1

    assert (send_due_mails(order["_id"]), mail_overdue(limit=10)) == (0, 0)
    assert due(orders, order) == [entry]

    let_time_pass(orders, minutes=3)
    assert mail_overdue(limit=10) == 1
    assert due(orders, order) == []
    assert len(postbox.letters) == 1


def test_each_failure_waits_twice_as_long_up_to_an_hour(orders: Database[Document]) -> None:
    order = ordered()
    waits = []
    for _ in range(9):
        before = datetime.now(UTC).replace(tzinfo=None)
        with served_by(nobody_listens()):
            send_due_mails(order["_id"])
        (entry,) = due(orders, order)
        waits.append((entry["at"] - before).total_seconds() // 60)
        orders["orders"].update_one({}, {"$set": {"mail_due.0.at": datetime.now(UTC) - timedelta(minutes=2)}})

    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_sweep_leaves_to_the_task_what_has_just_happened(orders: Database[Document], postbox: Postbox) -> None:
    ordered()

    assert mail_overdue(limit=10) == 0
    assert mail_overdue(limit=10, now=datetime.now(UTC) + timedelta(minutes=2)) == 1


def test_beat_runs_the_sweep(orders: Database[Document], postbox: Postbox) -> None:
    ordered()
    let_time_pass(orders, minutes=2)
    task = settings.CELERY_BEAT_SCHEDULE["sweep-mails"]["task"]

    assert task == sweep_mails.name
    sweep_mails()

    assert len(postbox.letters) == 1


def test_refused_recipient_keeps_no_other_letter_waiting(orders: Database[Document], postbox: Postbox) -> None:
    fill(buyer(1), ("PROD-1", 1))
    refused = buy(buyer(1), contact=replace(PURCHASE.contact, email="gone@example.com")).order
    other = ordered(("PROD-1", 1), owner=buyer(2))
    postbox.refused.add("gone@example.com")
    let_time_pass(orders, minutes=2)

    assert mail_overdue(limit=10) == 1

    assert [letter["To"] for letter in postbox.letters] == ["ivan@example.com"]
    assert (len(due(orders, refused)), due(orders, other)) == (1, [])


def test_server_that_is_away_is_asked_once_per_sweep(orders: Database[Document]) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(3)]
    let_time_pass(orders, minutes=2)

    with served_by(nobody_listens()):
        assert mail_overdue(limit=10) == 0

    tries = [entry.get("tries") for order in made for entry in due(orders, order)]
    assert sorted(tries, key=str) == [0, 0, 1]


def test_letter_that_fails_for_a_day_is_given_up(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()
    postbox.refused.add("ivan@example.com")
    almost, over = (datetime.now(UTC) - timedelta(hours=hours) for hours in (23, 25))

    orders["orders"].update_one({}, {"$set": {"events.0.at": almost}})
    assert send_due_mails(order["_id"]) == 0
    assert len(due(orders, order)) == 1

    let_time_pass(orders, hours=1)
    orders["orders"].update_one({}, {"$set": {"events.0.at": over}})
    assert send_due_mails(order["_id"]) == 0
    assert due(orders, order) == []
    assert postbox.letters == []


def test_killed_between_sending_and_striking_off_sends_again_under_the_same_id(
    orders: Database[Document], postbox: Postbox
) -> None:
    order = ordered()
    code = f"from ordering.mail.delivery import send_due_mails; send_due_mails({order['_id']!r})"
    server = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(postbox.port)}

    with paused_process(orders, code, command="update", collection="orders", number=2, variables=server) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert len(postbox.letters) == 1
    assert (len(due(orders, order)), mail_overdue(limit=10)) == (1, 0)

    let_time_pass(orders, minutes=3)
    assert mail_overdue(limit=10) == 1
    assert [letter["Message-ID"] for letter in postbox.letters] == [postbox.letters[0]["Message-ID"]] * 2
    assert due(orders, order) == []


def test_letters_reach_the_buyers_shard(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()

    with COMMANDS.counted() as sent:
        send_due_mails(order["_id"])

    assert dict(sent) == {
        Sent("find", "orders", "orders.history_fresh", 2): 1,
        # Taken, found again, struck off.
        Sent("update", "orders", "", 1): 2,
        Sent("find", "orders", "", 1): 1,
        # Counted in the mailbox, and whether there was room.
        Sent("update", "mailboxes", "", 1): 1,
        Sent("find", "mailboxes", "", 1): 1,
    }


def test_letters_of_many_orders_take_no_more_commands_than_one(orders: Database[Document], postbox: Postbox) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(8)]
    redis_client().delete(delivery.LETTERS.name)
    mail_soon(*[order["_id"] for order in made])

    with COMMANDS.counted() as sent:
        assert send_queued_mails() == 8

    assert Counter(each.command for each in sent.elements()) == {"find": 3, "update": 3}
    assert [due(orders, order) for order in made] == [[]] * 8
    assert len({letter["Message-ID"] for letter in postbox.letters}) == len(postbox.letters) == 8
    assert {letter["state"] for order in made for letter in stored(orders, order)["letters"]} == {"sent"}
    assert (send_queued_mails(), len(postbox.letters)) == (0, 8)


def test_killed_with_several_letters_loses_none_and_repeats_them_under_the_same_ids(
    orders: Database[Document], postbox: Postbox
) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(3)]
    ids = [order["_id"] for order in made]
    code = f"from ordering.mail.delivery import send_due_mails; send_due_mails(*{ids!r})"
    server = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(postbox.port)}

    # Once when they are taken and nothing has been sent, once when all have been sent and none is struck off.
    for command, number, letters in (("find", 2, 0), ("update", 2, 3)):
        with paused_process(
            orders, code, command=command, collection="orders", number=number, variables=server
        ) as process:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        assert (len(postbox.letters), [len(due(orders, order)) for order in made]) == (letters, [1, 1, 1])
        let_time_pass(orders, minutes=5)

    assert mail_overdue(limit=10) == 3
    assert set(Counter(letter["Message-ID"] for letter in postbox.letters).values()) == {2}
    assert [due(orders, order) for order in made] == [[], [], []]


def test_letter_that_cannot_be_written_keeps_no_other_from_going(orders: Database[Document], postbox: Postbox) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(3)]
    broken = {"$set": {"contact.email": "ivan@example.com\n"}}
    orders["orders"].update_one({"_id": made[1]["_id"]}, broken)

    with pytest.raises(BadHeaderError):
        send_due_mails(*[order["_id"] for order in made])

    assert [len(due(orders, order)) for order in made] == [0, 1, 0]
    assert len(postbox.letters) == 2


def test_worker_that_is_slow_leaves_the_rest_to_others_before_its_lease_ends(
    orders: Database[Document], postbox: Postbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(3)]
    monkeypatch.setattr(delivery, "LONGEST_SECONDS", 0.0)

    assert send_due_mails(*[order["_id"] for order in made]) == 0

    monkeypatch.undo()
    assert [entry["tries"] for order in made for entry in due(orders, order)] == [0, 0, 0]
    assert send_due_mails(*[order["_id"] for order in made]) == 3
    assert len(postbox.letters) == 3


def test_worker_sends_what_a_checkout_and_a_payment_cause(
    orders: Database[Document], postbox: Postbox, run_worker: Callable[..., Path]
) -> None:
    run_worker("--concurrency", "1", EMAIL_HOST="127.0.0.1", EMAIL_PORT=str(postbox.port))

    fill(CUSTOMER, ("PROD-1", 2))
    order = buy().order
    eventually(lambda: len(postbox.letters) == 1, within=60)
    pay(order)
    eventually(lambda: len(postbox.letters) == 2, within=60)
    eventually(lambda: due(orders, order) == [], within=60)
    number = order["number"]
    assert list(map(subject, postbox.letters)) == [f"Заказ {number} принят", f"Заказ {number} оплачен"]


def ordered_by_many(number: int, *addresses: str) -> list[OrderDocument]:
    """By as many strangers, all of whom give the same address or its spellings."""
    made = []
    for each in range(number):
        fill(buyer(each), ("PROD-1", 1))
        email = addresses[each % len(addresses)] if addresses else PURCHASE.contact.email
        made.append(buy(buyer(each), contact=replace(PURCHASE.contact, email=email)).order)
    return made


def let_the_hour_pass(database: Database[Document]) -> None:
    """As if everything sent so far had been sent, and everything due had been due, an hour earlier."""
    earlier = {"$mergeObjects": ["$$each", {"at": {"$subtract": ["$$each.at", 3_660_000]}}]}
    aged = {"$map": {"input": "$sent", "as": "each", "in": earlier}}
    database["mailboxes"].update_many({}, [{"$set": {"sent": aged}}])
    let_time_pass(database, minutes=61)


def test_letters_beyond_the_limit_of_an_hour_wait_and_come(
    orders: Database[Document], postbox: Postbox, settings: Settings
) -> None:
    settings.MAIL_PER_ADDRESS_PER_HOUR = 2
    made = ordered_by_many(5, "ivan@example.com", "Ivan@Example.com", "ivan+1@example.com")

    assert [send_due_mails(order["_id"]) for order in made] == [1, 1, 0, 0, 0]
    assert [send_due_mails(order["_id"]) for order in made] == [0] * 5
    assert mail_overdue(limit=10, now=datetime.now(UTC) + timedelta(minutes=30)) == 0
    waiting = [entry for order in made for entry in due(orders, order)]
    assert [entry["tries"] for entry in waiting] == [0, 0, 0]

    let_the_hour_pass(orders)
    assert mail_overdue(limit=10) == 2
    let_the_hour_pass(orders)
    assert mail_overdue(limit=10) == 1
    assert len({letter["Message-ID"] for letter in postbox.letters}) == len(postbox.letters) == 5
    assert [due(orders, order) for order in made] == [[]] * 5


def test_letters_that_money_stands_behind_do_not_wait(
    orders: Database[Document], postbox: Postbox, settings: Settings
) -> None:
    settings.MAIL_PER_ADDRESS_PER_HOUR = 1
    first, second = ordered_by_many(2)
    settle_queued()
    assert [send_due_mails(order["_id"]) for order in (first, second)] == [1, 0]

    pay(second, "3990.00")
    assert send_due_mails(second["_id"]) == 1

    assert [subject(letter) for letter in postbox.letters] == [
        f"Заказ {first['number']} принят",
        f"Заказ {second['number']} оплачен",
    ]
    assert len(due(orders, second)) == 1


def test_other_addresses_do_not_wait(orders: Database[Document], postbox: Postbox, settings: Settings) -> None:
    settings.MAIL_PER_ADDRESS_PER_HOUR = 1
    made = ordered_by_many(3, "ivan@example.com", "anna@example.com", "ivan@example.org")

    assert [send_due_mails(order["_id"]) for order in made] == [1, 1, 1]
    assert "example.com" not in str(list(orders["mailboxes"].find()))


def test_many_workers_at_once_stay_within_the_limit(
    orders: Database[Document], postbox: Postbox, settings: Settings
) -> None:
    settings.MAIL_PER_ADDRESS_PER_HOUR = 3
    made = ordered_by_many(8)

    at_once(*[partial(send_due_mails, order["_id"]) for order in made])

    assert len(postbox.letters) == 3
    assert sum(len(due(orders, order)) for order in made) == 5


def test_letter_that_could_not_be_sent_takes_no_room(
    orders: Database[Document], postbox: Postbox, settings: Settings
) -> None:
    settings.MAIL_PER_ADDRESS_PER_HOUR = 1
    first, second = ordered_by_many(2)
    with served_by(nobody_listens()):
        assert send_due_mails(first["_id"]) == 0

    assert send_due_mails(second["_id"]) == 1


def test_letter_that_waited_for_a_day_is_given_up(
    orders: Database[Document], postbox: Postbox, settings: Settings
) -> None:
    settings.MAIL_PER_ADDRESS_PER_HOUR = 1
    first, second = ordered_by_many(2)
    send_due_mails(first["_id"])
    yesterday = datetime.now(UTC) - timedelta(hours=25)
    orders["orders"].update_one({"_id": second["_id"]}, {"$set": {"events.0.at": yesterday}})

    assert send_due_mails(second["_id"]) == 0
    assert due(orders, second) == []
