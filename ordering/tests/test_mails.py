"""Letters to the buyer over a real SMTP server: each event once, whoever dies or refuses in between."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.conf import settings
from pymongo.database import Database

from catalog.tests.writing import at_once
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.redis import redis_client
from ordering.events import BUYER
from ordering.mails import mail_overdue, send_due_mails
from ordering.models import OrderStatus
from ordering.moves import move_order
from ordering.refunds import Refunding, RefundLine, refund_order
from ordering.tasks import sweep_mails
from ordering.tests.paying import ROOT, expired, ordered, paused_process, pay, stored
from ordering.tests.postbox import Postbox, postbox, served_by, subject, text
from ordering.tests.shop import CUSTOMER, PURCHASE, buy, buyer, fill, orders, shop, stocked, two_shards
from ordering.transitions import Who

__all__ = ["orders", "postbox", "shop", "stocked", "two_shards"]

CONFIRMATION = """Здравствуйте, Иван Покупатель!

Мы приняли ваш заказ и держим для вас товар 30 мин.: оплатите его за это время.

Заказ {number}

  Наушники Тишина: 2 × 3 990,00 ₽ = 7 980,00 ₽
  Телевизор Окно: 1 × 49 990,00 ₽ = 49 990,00 ₽

  Итого: 57 970,00 ₽

Доставка: 101000, Москва, Тверская, 1

Спасибо, что выбрали «Мобильный мир».
"""
ENGLISH_CONFIRMATION = """Hello Сара О'Коннор <s>,

We have received your order and hold its goods for you for 30 minutes: please pay within that time.

Order {number}

  Наушники Тишина: 1 × 3,990.00 RUB = 3,990.00 RUB

  Total: 3,990.00 RUB

Delivery: Москва, Тверская, 1
Comment: звонить & стучать

Thank you for choosing Mobile World.
"""


def due(database: Database[Document], order: Document) -> list[Document]:
    found: list[Document] = stored(database, order)["mail_due"]
    return found


def let_time_pass(database: Database[Document], **time_: float) -> None:
    """As if the letters had been due, or taken, that much earlier."""
    for order in database["orders"].find({"mail_due.0": {"$exists": True}}):
        earlier = [{**each, "at": each["at"] - timedelta(**time_)} for each in order["mail_due"]]
        database["orders"].update_one({"_id": order["_id"]}, {"$set": {"mail_due": earlier}})


def steps(order: Document, *statuses: str) -> None:
    for status in statuses:
        move_order(order["_id"], OrderStatus(status), who=Who.STAFF, actor="marina")


def nobody_listens() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_buyer_gets_a_confirmation_with_lines_total_and_address(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered(("PROD-1", 2), ("PROD-2", 1))

    assert send_due_mails(order["_id"]) == 1

    (letter,) = postbox.letters
    assert (letter["To"], letter["From"]) == ("ivan@example.com", "Мобильный мир <shop@mobile-world.example>")
    assert subject(letter) == f"Заказ {order['number']} принят"
    assert letter["Message-ID"] == f"<{order['events'][0]['id']}@mobile-world.example>"
    assert text(letter) == CONFIRMATION.format(number=order["number"])
    assert due(orders, order) == []


def test_english_buyer_reads_english_and_nothing_is_escaped(orders: Database[Document], postbox: Postbox) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    address = replace(PURCHASE.shipping_address, postcode="", comment="звонить & стучать")
    contact = replace(PURCHASE.contact, name="Сара О'Коннор <s>")
    order = buy(language="en", shipping_address=address, contact=contact).order

    send_due_mails(order["_id"])

    (letter,) = postbox.letters
    assert subject(letter) == f"Order {order['number']} received"
    assert text(letter) == ENGLISH_CONFIRMATION.format(number=order["number"])


def test_language_is_no_part_of_what_makes_a_purchase_the_same(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    first = buy(client_key="k", language="ru").order

    assert buy(client_key="k", language="en").order["_id"] == first["_id"]
    assert stored(orders, first)["language"] == "ru"


@pytest.mark.parametrize(
    ("language", "news"),
    [
        (
            "ru",
            [
                ("Заказ {} принят", "Мы приняли ваш заказ."),
                ("Заказ {}: получена часть оплаты", "Мы получили 1 000,00 ₽."),
                ("Заказ {} оплачен", "Заказ оплачен, скоро мы начнём его собирать. Лишнее, 20,00 ₽, мы вернём."),
                ("Заказ {} собирается", "Мы собираем ваш заказ."),
                ("Заказ {} отправлен", "Ваш заказ в пути."),
                ("Заказ {} доставлен", "Ваш заказ доставлен. Пусть покупка радует!"),
                ("Заказ {}: возврат денег", "Мы возвращаем вам 3 990,00 ₽."),
                ("Заказ {}: возврат денег", "Мы возвращаем вам 3 990,00 ₽. Теперь заказ возвращён полностью."),
            ],
        ),
        (
            "en",
            [
                ("Order {} received", "We have received your order."),
                ("Order {}: part of the payment received", "We have received 1,000.00 RUB."),
                (
                    "Order {} is paid",
                    "Your order is paid and will be packed soon. The excess, 20.00 RUB, will be returned.",
                ),
                ("Order {} is being packed", "We are packing your order."),
                ("Order {} has been sent", "Your order is on its way."),
                ("Order {} has been delivered", "Your order has been delivered. Enjoy it!"),
                ("Order {}: refund", "We are returning 3,990.00 RUB to you."),
                ("Order {}: refund", "We are returning 3,990.00 RUB to you. The whole order has now been refunded."),
            ],
        ),
    ],
)
def test_each_event_has_its_letter(
    orders: Database[Document], postbox: Postbox, language: str, news: list[tuple[str, str]]
) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    order = buy(language=language).order
    pay(order, "1000.00", "evt-1")
    pay(order, "7000.00", "evt-2")
    steps(order, "processing", "shipped", "delivered")
    for reference in ("ref-1", "ref-2"):
        lines = (RefundLine("PROD-1", 1),)
        refund_order(order["_id"], Refunding(lines, "broken", reference, restock=False, actor="marina"))

    assert send_due_mails(order["_id"]) == 8

    told = [(subject(letter), text(letter).split("\n\n")[1]) for letter in postbox.letters]
    assert told == [(title.format(order["number"]), body) for title, body in news]


@pytest.mark.parametrize(
    ("language", "cancelled", "expired_", "late"),
    [
        (
            "ru",
            ("Заказ {} отменён", "Заказ отменён. Оплаченное, 1 000,00 ₽, мы вернём."),
            (
                "Заказ {}: время оплаты истекло",
                "Мы не дождались оплаты и больше не держим товар. Купить его можно новым заказом.",
            ),
            (
                "Заказ {}: мы вернём оплату",
                "Мы получили 5,00 ₽, но заказ этой оплаты не ждал: он закрыт или уже оплачен. Деньги мы вернём.",
            ),
        ),
        (
            "en",
            ("Order {} is cancelled", "Your order has been cancelled. What you paid, 1,000.00 RUB, will be returned."),
            (
                "Order {}: the time to pay is over",
                "The order was not paid in time, and its goods are no longer held. You may order them again.",
            ),
            (
                "Order {}: your payment will be returned",
                "We have received 5.00 RUB, but the order is closed or has been paid already. We will return it.",
            ),
        ),
    ],
)
def test_closed_orders_tell_what_becomes_of_the_money(
    orders: Database[Document],
    postbox: Postbox,
    language: str,
    cancelled: tuple[str, str],
    expired_: tuple[str, str],
    late: tuple[str, str],
) -> None:
    made = []
    for owner in (buyer(1), buyer(2)):
        fill(owner, ("PROD-1", 1))
        made.append(buy(owner, language=language).order)
    pay(made[0], "1000.00")
    move_order(made[0]["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BUYER)
    expired(made[1])
    # Rendered before the payment that came later.
    assert [send_due_mails(order["_id"]) for order in made] == [3, 2]
    pay(made[1], "5.00", "evt-2")
    send_due_mails(made[1]["_id"])

    told = [(subject(letter), text(letter).split("\n\n")[1]) for letter in postbox.letters]
    first, second = made[0]["number"], made[1]["number"]
    assert [told[2], told[4], told[5]] == [
        (cancelled[0].format(first), cancelled[1]),
        (expired_[0].format(second), expired_[1]),
        (late[0].format(second), late[1]),
    ]


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
    assert sorted(tries, key=str) == [1, None, None]


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
    code = f"from ordering.mails import send_due_mails; send_due_mails({order['_id']!r})"
    server = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(postbox.port)}

    with paused_process(orders, code, command="update", collection="orders", variables=server) as process:
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
        Sent("findAndModify", "orders", "", 1): 1,
        Sent("update", "orders", "", 1): 1,
    }


def test_worker_sends_what_a_checkout_and_a_payment_cause(orders: Database[Document], postbox: Postbox) -> None:
    # What earlier tests left in the queue is not this worker's.
    redis_client().delete("celery")
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "gateway.test_settings",
        "MONGODB_DATABASE": orders.name,
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(postbox.port),
    }
    command = [sys.executable, "-m", "celery", "-A", "gateway", "worker", "--concurrency", "1"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as worker:
        try:
            fill(CUSTOMER, ("PROD-1", 2))
            order = buy().order
            assert wait_until(lambda: len(postbox.letters) == 1)
            pay(order)
            assert wait_until(lambda: len(postbox.letters) == 2)
            assert wait_until(lambda: due(orders, order) == [])
        finally:
            worker.terminate()
    number = order["number"]
    assert list(map(subject, postbox.letters)) == [f"Заказ {number} принят", f"Заказ {number} оплачен"]


def wait_until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60
    while not true() and time.monotonic() < deadline:
        time.sleep(0.1)
    return true()
