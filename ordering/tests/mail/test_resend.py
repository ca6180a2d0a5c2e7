"""What became of each letter, and letters that staff send once more, over a real SMTP server."""

from datetime import UTC, datetime, timedelta
from functools import partial

from pymongo.database import Database

from catalog.tests.shop import raised
from gateway.mongo.client import Document
from gateway.tests.races import at_once, paused_process
from ordering.documents import OrderDocument
from ordering.lifecycle.contacts import ContactDetails
from ordering.lifecycle.details import Details, update_details
from ordering.lifecycle.moves import advance_order
from ordering.lifecycle.tracking import set_tracking
from ordering.mail.delivery import send_due_mails
from ordering.mail.resend import resend_letter
from ordering.models import OrderStatus
from ordering.tests.payments_api import all_orders, ordered, pay, stored
from ordering.tests.postbox import Postbox, subject, text
from ordering.tests.staff import ANNA, BORIS, told, trail

RESEND = """
from ordering.mail.resend import resend_letter
from ordering.tests.staff import ANNA
resend_letter({order_id!r}, {event_id!r}, actor=ANNA)
"""


def states(database: Database[Document], order: OrderDocument) -> list[tuple[str, str]]:
    """Of each letter: to whom, and what became of it."""
    return [(letter["to"], letter["state"]) for letter in stored(database, order)["letters"]]


def resend(order: OrderDocument, email: str | None = None) -> OrderDocument:
    return resend_letter(order["_id"], order["events"][0]["id"], email=email, actor=ANNA)


def let_a_day_pass(database: Database[Document]) -> None:
    day_ago = datetime.now(UTC) - timedelta(hours=25)
    changes = {"events.0.at": day_ago, "mail_due.0.at": day_ago}
    database["orders"].update_one({"mail_due.0": {"$exists": True}}, {"$set": changes})


def test_order_tells_what_became_of_each_letter(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()
    assert states(orders, order) == [("ivan@example.com", "due")]

    postbox.refused.add("ivan@example.com")
    send_due_mails(order["_id"])
    assert states(orders, order) == [("ivan@example.com", "failed")]

    let_a_day_pass(orders)
    send_due_mails(order["_id"])
    after = stored(orders, order)
    assert (states(orders, order), after["mail_given_up"]) == ([("ivan@example.com", "given_up")], True)
    assert (after["version"], after["mail_due"]) == (order["version"], [])


def test_corrected_address_gets_the_letter_and_the_order_leaves_the_queue(
    orders: Database[Document], postbox: Postbox
) -> None:
    order = ordered()
    postbox.refused.add("ivan@example.com")
    let_a_day_pass(orders)
    send_due_mails(order["_id"])
    right = ContactDetails("Иван Покупатель", "ivan@example.org", "+7 (999) 123-45-67")
    update_details(order["_id"], Details(right, None), reason="опечатка", actor=ANNA)

    resend(order)
    assert stored(orders, order)["mail_given_up"] is True
    assert send_due_mails(order["_id"]) == 1

    (letter,) = postbox.letters
    assert (letter["To"], subject(letter)) == ("ivan@example.org", f"Заказ {order['number']} принят")
    assert states(orders, order) == [("ivan@example.com", "given_up"), ("ivan@example.org", "sent")]
    assert "mail_given_up" not in stored(orders, order)
    resent = {"letter": [None, "created"], "status": [None, "new"], "to": [None, "i•••@example.org"]}
    assert told(orders)[-1] == ("order.letter_resent", "anna", resent, "")


def test_letter_goes_once_more_to_another_address_under_an_id_of_its_own(
    orders: Database[Document], postbox: Postbox
) -> None:
    order = ordered()
    send_due_mails(order["_id"])

    resend(order, " wife@example.com ")
    send_due_mails(order["_id"])

    first, second = postbox.letters
    assert (second["To"], text(second)) == ("wife@example.com", text(first))
    assert first["Message-ID"] != second["Message-ID"]
    assert stored(orders, order)["letters"][1]["by"] == "anna"


def test_button_pressed_twice_sends_one_letter(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()
    send_due_mails(order["_id"])

    at_once(*[partial(resend, order)] * 4)
    resend_letter(order["_id"], order["events"][0]["id"], actor=BORIS)

    assert send_due_mails(order["_id"]) == 1
    assert (len(postbox.letters), len(trail(orders))) == (2, 1)


def test_killed_before_the_commit_resends_nothing_and_the_repeat_does(
    orders: Database[Document], postbox: Postbox
) -> None:
    order = ordered()
    send_due_mails(order["_id"])
    before = all_orders(orders)

    code = RESEND.format(order_id=order["_id"], event_id=order["events"][0]["id"])
    with paused_process(orders, code, command="insert", collection="audit") as process:
        process.kill()
        process.wait()
    assert (all_orders(orders), trail(orders)) == (before, [])

    resend(order)
    assert send_due_mails(order["_id"]) == 1


def test_what_has_no_letter_is_not_resent(orders: Database[Document]) -> None:
    order = ordered()
    moved = update_details(
        order["_id"],
        Details(ContactDetails("Пётр", "ivan@example.com", "+7 (999) 123-45-67"), None),
        reason="имя",
        actor=ANNA,
    )
    before = all_orders(orders)

    assert raised(lambda: resend_letter(order["_id"], moved["events"][-1]["id"], actor=ANNA)) == [
        ("INVALID", ("event",))
    ]
    assert raised(lambda: resend_letter(order["_id"], "nonsense", actor=ANNA)) == [("NOT_FOUND", ("event",))]
    assert raised(lambda: resend(order, "nobody")) == [("INVALID", ("email",))]
    assert all_orders(orders) == before


def test_parcel_is_told_of_with_the_sending_or_in_a_letter_of_its_own(
    orders: Database[Document], postbox: Postbox
) -> None:
    order = pay(ordered())
    set_tracking(order["_id"], "СДЭК", "1020", actor=ANNA)
    for status in (OrderStatus.PROCESSING, OrderStatus.SHIPPED):
        advance_order(order["_id"], status, actor=ANNA)
    set_tracking(order["_id"], "Свой курьер", "7", actor=ANNA)

    assert send_due_mails(order["_id"]) == 5

    sent, parcel = postbox.letters[-2:]
    assert subject(parcel) == f"Заказ {order['number']}: номер отправления"
    assert "Свой курьер, номер отправления 7\n" in text(parcel)
    assert subject(sent) == f"Заказ {order['number']} отправлен"
