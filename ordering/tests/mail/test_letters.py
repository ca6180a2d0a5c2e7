"""What letters say, read at a real SMTP server."""

from dataclasses import replace

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, fill
from gateway.mongo.client import Document
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.mail.delivery import send_due_mails
from ordering.mail.links import order_link
from ordering.models import OrderStatus
from ordering.payments.refunds import Refunding, refund_order
from ordering.tests.payments_api import expired, ordered, pay, stored
from ordering.tests.postbox import Postbox, subject, text
from ordering.tests.shop import PURCHASE, buy, buyer
from ordering.tests.staff import MARINA

CONFIRMATION = """Здравствуйте, Иван Покупатель!

Мы приняли ваш заказ и держим для вас товар 30 мин.: оплатите его за это время.

Заказ {number}

  Наушники Тишина: 2 × 3 990,00 ₽ = 7 980,00 ₽
  Телевизор Окно: 1 × 49 990,00 ₽ = 49 990,00 ₽

  Итого: 57 970,00 ₽

Доставка: 101000, Москва, Тверская, 1

Заказ на сайте: {link}

Спасибо, что выбрали «Мобильный мир».
"""
ENGLISH_CONFIRMATION = """Hello Сара О'Коннор <s>,

We have received your order and hold its goods for you for 30 minutes: please pay within that time.

Order {number}

  Наушники Тишина: 1 × 3,990.00 RUB = 3,990.00 RUB

  Total: 3,990.00 RUB

Delivery: Москва, Тверская, 1
Comment: звонить & стучать

Your order on our site: {link}

Thank you for choosing Mobile World.
"""


def steps(order: OrderDocument, *statuses: str) -> None:
    for status in statuses:
        move_order(order["_id"], OrderStatus(status), who=Who.STAFF, actor=MARINA)


def test_buyer_gets_a_confirmation_with_lines_total_and_address(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered(("PROD-1", 2), ("PROD-2", 1))

    assert send_due_mails(order["_id"]) == 1

    (letter,) = postbox.letters
    assert (letter["To"], letter["From"]) == ("ivan@example.com", "Мобильный мир <shop@mobile-world.example>")
    assert subject(letter) == f"Заказ {order['number']} принят"
    assert letter["Message-ID"] == f"<{order['events'][0]['id']}@mobile-world.example>"
    assert text(letter) == CONFIRMATION.format(number=order["number"], link=order_link(order))
    assert stored(orders, order)["mail_due"] == []


def test_english_buyer_reads_english_and_nothing_is_escaped(orders: Database[Document], postbox: Postbox) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    address = replace(PURCHASE.shipping_address, postcode="", comment="звонить & стучать")
    contact = replace(PURCHASE.contact, name="Сара О'Коннор <s>")
    order = buy(language="en", shipping_address=address, contact=contact).order

    send_due_mails(order["_id"])

    (letter,) = postbox.letters
    assert subject(letter) == f"Order {order['number']} received"
    assert text(letter) == ENGLISH_CONFIRMATION.format(number=order["number"], link=order_link(order))


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
        refund_order(order["_id"], Refunding(lines, "broken", Reference(reference), put_back={}, actor=MARINA))

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
    move_order(made[0]["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
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
