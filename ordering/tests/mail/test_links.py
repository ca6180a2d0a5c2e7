"""A link in a letter shows its order to whoever holds the letter: shortened, and as long as it is that buyer's."""

import re
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.test import override_settings
from pymongo.database import Database

from cart.tests.buyer import Buyer
from cart.tests.shop import CUSTOMER
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.mongo.outage import MONGODB, NotServed
from ordering.documents import OrderDocument
from ordering.lifecycle.claim import claim_orders
from ordering.lifecycle.contacts import ContactDetails
from ordering.lifecycle.details import Details, update_details
from ordering.mail.delivery import send_due_mails
from ordering.mail.links import make_token, read_token
from ordering.tests.bulk import one_bought
from ordering.tests.copies import archive, copy, days_ago, placed
from ordering.tests.payments_api import ordered, stored
from ordering.tests.postbox import Postbox, text
from ordering.tests.questions import Ask
from ordering.tests.shop import PURCHASE, a_guest_elsewhere
from ordering.tests.staff import MARINA

BY_TOKEN = """
query ($token: String!) {
  a: orderByToken(token: $token) {
    number status canCancel
    lines { productId quantity } total { amount } payment { due { amount } url }
    contact { name email phone } shippingAddress { city street postcode comment }
    notes { text } timeline { type actor note }
  }
}"""


def linked(letter: str) -> str:
    """The token of the link in a letter."""
    found = re.search(rf"{re.escape(settings.STOREFRONT_URL)}/order\?token=(\S+)$", letter, re.MULTILINE)
    assert found
    return str(httpx.URL(found[0]).params["token"])


def number(web: httpx.Client, token: str) -> str | None:
    """What somebody who has never been here is shown."""
    found = Buyer(web).send("query ($token: String!) { a: orderByToken(token: $token) { number } }", token=token)
    return found and str(found["number"])


def test_holder_of_the_letter_sees_the_order_with_shortened_contacts(
    orders: Database[Document], postbox: Postbox, web: httpx.Client
) -> None:
    order = ordered()
    send_due_mails(order["_id"])
    (letter,) = postbox.letters

    shown = Buyer(web).send(BY_TOKEN, token=linked(text(letter)))

    assert shown["payment"].pop("url").startswith(f"{web.base_url}/payments/page?order={order['number']}&")
    assert shown == {
        "number": order["number"],
        "status": "NEW",
        "canCancel": False,
        "lines": [{"productId": "PROD-1", "quantity": 2}],
        "total": {"amount": "7980.00"},
        "payment": {"due": {"amount": "7980.00"}},
        "contact": {"name": "Иван П.", "email": "i•••@example.com", "phone": "•••67"},
        "shippingAddress": {"city": "Москва", "street": "•••", "postcode": "", "comment": ""},
        "notes": [],
        "timeline": [{"type": "CREATED", "actor": "buyer", "note": ""}],
    }


def test_link_survives_signing_in_and_the_move_to_another_shard(orders: Database[Document], web: httpx.Client) -> None:
    guest = a_guest_elsewhere()
    order = ordered(owner=guest)
    token = make_token(order)

    claim_orders(guest, CUSTOMER)

    assert stored(orders, order)["owner"] == CUSTOMER
    assert number(web, token) == order["number"]


@pytest.mark.usefixtures("patient")
def test_link_survives_the_archive(orders: Database[Document], ask: Ask, like: OrderDocument) -> None:
    order_ids = placed(orders, like, *days_ago(400, 401), owner=CUSTOMER)
    lost, archived = (stored(orders, {"_id": order_id}) for order_id in order_ids)
    copy(orders, [lost["_id"]])
    orders["orders"].delete_one({"_id": lost["_id"]})
    archive(orders, [archived["_id"]])

    seen = [ask(None, BY_TOKEN, token=make_token(order)).data for order in (archived, lost)]

    assert [each and each["number"] for each in seen] == [archived["number"], None]
    assert [event["type"] for event in seen[0]["timeline"]] == ["CREATED", "MOVED", "MOVED", "MOVED"]


@pytest.mark.usefixtures("patient", "mongodb_away")
def test_order_is_shown_as_it_was_copied_while_mongodb_is_away(
    orders: Database[Document], ask: Ask, like: OrderDocument
) -> None:
    order_ids = placed(orders, like, *days_ago(1, 2), owner=CUSTOMER)
    copied, new = (stored(orders, {"_id": order_id}) for order_id in order_ids)
    copy(orders, [copied["_id"]])
    MONGODB.note_loss("says the test")

    answers = [ask(None, BY_TOKEN, token=make_token(order)) for order in (copied, new)]

    assert answers[0].data["number"] == copied["number"]
    assert answers[0].degraded
    assert [type(error) for error in answers[1].errors] == [NotServed]


def test_corrected_address_makes_what_was_sent_to_the_wrong_one_worthless(
    orders: Database[Document], web: httpx.Client
) -> None:
    order = ordered()
    token = make_token(order)
    contact = PURCHASE.contact

    changed = update_details(
        order["_id"],
        Details(ContactDetails(contact.name, "maria@example.com", contact.phone), None),
        reason="mistyped",
        actor=MARINA,
    )

    assert number(web, token) is None
    assert number(web, make_token(changed)) == order["number"]


def test_link_stays_good_when_only_the_case_of_the_address_changes_or_the_key_is_replaced(
    orders: Database[Document], web: httpx.Client
) -> None:
    order = ordered()
    shouted: OrderDocument = {**order, "contact": {**order["contact"], "email": "IVAN@Example.com"}}
    with override_settings(SECRET_KEY="n" * 50, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        named = read_token(make_token(order))
    earlier = make_token(order)

    with override_settings(SECRET_KEY="n" * 50, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        believed = read_token(earlier)

    assert named
    assert believed
    assert number(web, make_token(shouted)) == order["number"]


def test_token_that_we_have_not_made_asks_nobody_and_costs_the_same(
    orders: Database[Document], web: httpx.Client, ask: Ask
) -> None:
    order = ordered()
    token = make_token(order)
    with override_settings(SECRET_KEY="o" * 50):
        of_another_shop = make_token(order)
    unknown = make_token({**one_bought(CUSTOMER), "_id": "01890000-0000-7000-8000-000000000000"})
    wrong = ("", "x", "é", ":", f"{token}x", token[:-1], token.swapcase(), of_another_shop)

    with COMMANDS.counted() as sent:
        shown = [ask(None, BY_TOKEN, token=each).data for each in wrong]

    assert shown == [None] * len(wrong)
    assert sent == {}
    assert number(web, unknown) is None
    assert {cost(web, each) for each in (token, unknown, *wrong)} == {cost(web, token)}


def cost(web: httpx.Client, token: str) -> Any:
    answer = web.post("/graphql", json={"query": BY_TOKEN, "variables": {"token": token}})
    return answer.json()["extensions"]["cost"]["requestedQueryCost"]


def test_no_cache_on_the_way_keeps_the_order(orders: Database[Document], web: httpx.Client) -> None:
    token = make_token(ordered())

    answer = web.get("/graphql", params={"query": f'{{ orderByToken(token: "{token}") {{ number }} }}'})

    assert answer.json()["data"]["orderByToken"]
    assert answer.headers["cache-control"] == "private, no-store"


def test_anonymised_order_is_shown_to_nobody(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()
    token = make_token(order)
    orders["orders"].update_one({"_id": order["_id"]}, {"$set": {"contact.email": ""}})

    assert number(web, token) is None
    assert number(web, make_token(stored(orders, order))) is None


def test_without_a_storefront_letters_have_no_link(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()

    with override_settings(STOREFRONT_URL=""):
        send_due_mails(order["_id"])

    (letter,) = postbox.letters
    assert "Заказ на сайте" not in text(letter)
