"""Who knows an order's number and its address gets the link again; who does not learns nothing by asking."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from django.test import override_settings
from pymongo.database import Database

from cart.tests.buyer import Buyer
from cart.tests.shop import CUSTOMER, fill
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.tests.eventually import eventually
from ordering.documents import OrderDocument
from ordering.errors import TooManyLinks
from ordering.mail.link_requests import PER_CLIENT, PER_PAIR, request_link, send_link
from ordering.mail.links import address_mark, order_link
from ordering.numbers import claim_number
from ordering.tests.copies import archive, days_ago, placed
from ordering.tests.payments_api import ordered, stored
from ordering.tests.postbox import Postbox, subject, text
from ordering.tests.shop import buy

REQUEST = """
mutation ($number: String!, $email: String!) {
  a: orderLinkRequest(number: $number, email: $email) { ok userErrors { code field message } }
}"""
UNDERSTOOD = {"ok": True, "userErrors": []}


def requested(order: OrderDocument, email: str = "ivan@example.com") -> bool:
    """What the worker does with a request; whether a letter went."""
    return send_link(f"{order['number']} {address_mark(email)}")


def test_requested_link_comes_to_the_orders_address(
    orders: Database[Document], web: httpx.Client, postbox: Postbox, run_worker: Callable[..., Path]
) -> None:
    order = ordered()
    run_worker("--concurrency", "1", EMAIL_HOST="127.0.0.1", EMAIL_PORT=str(postbox.port))

    answer = Buyer(web).send(REQUEST, number=order["number"].replace("-", " "), email=" Ivan@Example.com ")

    assert answer == UNDERSTOOD
    title = f"Заказ {order['number']}: ссылка"
    (letter,) = eventually(lambda: [each for each in postbox.letters if subject(each) == title], within=40)
    assert letter["To"] == "ivan@example.com"
    assert "Кто-то, возможно вы, попросил прислать ссылку на этот заказ ещё раз." in text(letter)
    assert f"Заказ на сайте: {order_link(order)}\n" in text(letter)


def test_english_buyer_gets_an_english_letter(orders: Database[Document], postbox: Postbox) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    order = buy(language="en").order

    assert requested(order)

    (letter,) = postbox.letters
    assert subject(letter) == f"Order {order['number']}: your link"
    assert "Somebody, maybe you, asked for the link to this order once more." in text(letter)


def test_unknown_pairs_get_the_same_answer_and_no_letter(
    orders: Database[Document], web: httpx.Client, postbox: Postbox
) -> None:
    order = ordered()
    nobody, unknown = "maria@example.com", claim_number()

    answers = [
        Buyer(web).send(REQUEST, number=number, email=email)
        for number, email in ((order["number"], "ivan@example.com"), (order["number"], nobody), (unknown, nobody))
    ]

    assert answers == [UNDERSTOOD] * 3
    assert not requested(order, nobody)
    assert not send_link(f"{unknown} {address_mark('ivan@example.com')}")
    assert postbox.letters == []


def test_request_itself_looks_nowhere(orders: Database[Document]) -> None:
    order = ordered()

    with COMMANDS.counted() as sent:
        request_link(order["number"], "ivan@example.com", client="192.0.2.1")
        request_link(claim_number(), "ivan@example.com", client="192.0.2.1")

    assert {each.collection for each in sent} <= {"order_numbers"}  # of the number that the test has claimed


@pytest.mark.parametrize("is_known", [True, False])
def test_pair_is_asked_for_three_times_an_hour_known_or_not(
    orders: Database[Document], web: httpx.Client, is_known: bool
) -> None:
    number = ordered()["number"] if is_known else claim_number()

    def ask(email: str = "ivan@example.com") -> object:
        return Buyer(web).send(REQUEST, "en", number=number, email=email)

    assert [ask() for _ in range(PER_PAIR)] == [UNDERSTOOD] * PER_PAIR
    assert ask(" IVAN@example.com") == {
        "ok": False,
        "userErrors": [
            {
                "code": "RATE_LIMITED",
                "field": None,
                "message": "The link was asked for too often. Look into your mail, or try again in 60 min.",
            }
        ],
    }
    assert ask("maria@example.com") == UNDERSTOOD  # a stranger keeps nobody else from asking


def test_network_that_tries_many_numbers_must_wait(database: Database[Document]) -> None:
    numbers = [claim_number() for _ in range(PER_CLIENT + 1)]

    for number in numbers[:-1]:
        request_link(number, "ivan@example.com", client="192.0.2.1")

    with pytest.raises(TooManyLinks):
        request_link(numbers[-1], "ivan@example.com", client="192.0.2.1")
    request_link(numbers[-1], "ivan@example.com", client="192.0.2.2")


def test_what_cannot_be_a_number_or_an_address_is_told(orders: Database[Document], web: httpx.Client) -> None:
    answer = Buyer(web).send(REQUEST, "en", number="4829-130-753", email="ivan")

    assert answer == {
        "ok": False,
        "userErrors": [
            {
                "code": "INVALID",
                "field": ["number"],
                "message": "There is a slip in the order's number: it has ten digits, e.g. 4829-130-752.",
            },
            {
                "code": "INVALID",
                "field": ["email"],
                "message": "Give an e-mail address, e.g. ivan@example.com.",
            },
        ],
    }


@pytest.mark.usefixtures("patient")
def test_archived_order_has_its_link_too(orders: Database[Document], like: OrderDocument, postbox: Postbox) -> None:
    (order_id,) = placed(orders, like, *days_ago(400), owner=CUSTOMER)
    number = claim_number()
    orders["orders"].update_one({"_id": order_id}, {"$set": {"number": number, "keys": [f"number:{number}"]}})
    order = stored(orders, {"_id": order_id})
    archive(orders, [order_id])

    assert requested(order)

    (letter,) = postbox.letters
    assert order_link(order) in text(letter)


def test_mailbox_that_is_full_gets_no_more_links(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()

    with override_settings(MAIL_PER_ADDRESS_PER_HOUR=2):
        went = [requested(order) for _ in range(3)]

    assert went == [True, True, False]
    assert len(postbox.letters) == 2


def test_letter_that_a_mail_server_did_not_take_is_tried_again(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()
    postbox.refused.add("ivan@example.com")

    with override_settings(MAIL_PER_ADDRESS_PER_HOUR=1):
        with pytest.raises(OSError, match="nobody of that name"):
            requested(order)
        postbox.refused.clear()

        assert requested(order)

    assert len(postbox.letters) == 1


def test_without_a_storefront_there_is_no_link_to_send(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()

    with override_settings(STOREFRONT_URL=""):
        assert not requested(order)

    assert postbox.letters == []
