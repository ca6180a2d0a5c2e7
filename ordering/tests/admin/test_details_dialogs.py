"""Dialogs about contact, geozone, notes, letters and tracking: what they change, and what they refuse."""

from decimal import Decimal

import pytest
from django.test import Client
from pymongo.database import Database

from cart.tests.shop import sell
from gateway.accounts.models import User
from gateway.accounts.roles import ANALYSTS, OPERATORS
from gateway.mongo.client import Document
from ordering.documents import OrderDocument
from ordering.mail.delivery import send_due_mails
from ordering.tests.admin.desk import audited, buttons, dialog_of, page_of, sent, shown, staff_of
from ordering.tests.admin.test_search import opened
from ordering.tests.payments_api import all_orders, stock, stored
from ordering.tests.postbox import Postbox
from ordering.tests.shop import reserved


def details_of(order: OrderDocument, **changes: str) -> dict[str, str]:
    """What the form of contact and address shows, with changes."""
    return {**order["contact"], **order["shipping_address"], "reason": "покупатель ошибся", **changes}  # type: ignore[dict-item]


def test_contact_and_address_are_corrected_and_found_anew(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    form = agent.get(dialog_of(bought["_id"], "details")).context["form"]
    assert (form["email"].value(), form["street"].value()) == ("ivan@example.com", "Тверская, 1")

    fields = details_of(bought, email="anna@example.com", street="Арбат, 2")
    assert sent(agent, bought["_id"], "details", **fields) == {}

    order = stored(orders, bought)
    assert (order["contact"]["email"], order["shipping_address"]["street"]) == ("anna@example.com", "Арбат, 2")
    assert opened(agent, "anna@example.com") == page_of(bought["_id"])
    assert audited(orders, bought["_id"])[-1] == ("order.details_changed", "admin", "покупатель ошибся")


def test_wrong_details_are_refused_all_at_once_beside_their_fields(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    before = all_orders(orders)
    typed = details_of(bought, email="anna@", phone="12", street="http://example.com")

    answer = agent.post(dialog_of(bought["_id"], "details"), typed)

    form = answer.context["form"]
    assert sorted(form.errors) == ["email", "phone", "street"]
    assert form["email"].value() == "anna@"
    assert all_orders(orders) == before


def test_details_of_a_sent_order_stay(agent: Client, bought: OrderDocument, orders: Database[Document]) -> None:
    orders["orders"].update_one({"_id": bought["_id"]}, {"$set": {"status": "shipped"}})

    assert list(sent(agent, bought["_id"], "details", **details_of(bought, name="Анна"))) == ["__all__"]


def test_unpaid_order_moves_to_another_geozone_with_its_stock(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=10, spb=5)
    choices = [
        value for value, _ in agent.get(dialog_of(unpaid["_id"], "geozone")).context["form"].fields["geozone"].choices
    ]
    assert "spb" in choices
    assert "msk" not in choices

    assert sent(agent, unpaid["_id"], "geozone", geozone="spb", reason="переехал") == {}

    assert stored(orders, unpaid)["geozone"] == "spb"
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-1", "spb")) == ((10, 0), (5, 2))
    assert audited(orders, unpaid["_id"])[-1] == ("order.geozone_changed", "admin", "переехал")


def test_geozone_that_is_short_of_goods_is_refused(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    before = all_orders(orders), stock(orders)

    errors = sent(agent, unpaid["_id"], "geozone", geozone="spb", reason="переехал")

    assert "«Наушники Тишина»" in errors["geozone"][0]
    assert (all_orders(orders), stock(orders)) == before


def test_note_is_for_staff_and_added_once(agent: Client, bought: OrderDocument, orders: Database[Document]) -> None:
    key = agent.get(dialog_of(bought["_id"], "note")).context["form"]["key"].value()

    for _ in range(2):
        assert sent(agent, bought["_id"], "note", key=key, text="Звонил @merchandiser") == {}

    (note,) = stored(orders, bought).get("notes") or []
    assert (note["text"], note["mentions"]) == ("Звонил @merchandiser", ["merchandiser@mobile-world.example"])
    assert note["actor"] == "support@mobile-world.example"
    assert "Звонил @merchandiser" in shown(agent, page_of(bought["_id"]))
    assert sent(agent, bought["_id"], "note", text=" ") == {"text": ["Обязательное поле."]}
    assert audited(orders, bought["_id"])[-1][0] == "order.noted"


def test_letter_is_sent_again_to_a_corrected_address(
    postbox: Postbox, agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    send_due_mails(bought["_id"])
    event = (stored(orders, bought).get("events") or [])[-1]["id"]
    form = agent.get(dialog_of(bought["_id"], "resend"), {"event": event}).context["form"]
    assert form["event"].value() == event

    assert sent(agent, bought["_id"], "resend", event=event, email="anna@example.com") == {}
    send_due_mails(bought["_id"])

    last = (stored(orders, bought).get("letters") or [])[-1]
    assert (last["to"], last["state"], last["event"]) == ("anna@example.com", "sent", event)
    assert audited(orders, bought["_id"])[-1][0] == "order.letter_resent"


@pytest.mark.parametrize(("field", "value"), [("email", "anna@"), ("event", "nothing")])
def test_letter_needs_an_address_and_an_event(
    agent: Client, bought: OrderDocument, orders: Database[Document], field: str, value: str
) -> None:
    event = (stored(orders, bought).get("events") or [])[-1]["id"]
    before = all_orders(orders)

    assert list(sent(agent, bought["_id"], "resend", **{"event": event, "email": "", field: value})) == [field]
    assert all_orders(orders) == before


def test_tracking_number_gets_a_link(agent: Client, bought: OrderDocument, orders: Database[Document]) -> None:
    assert sent(agent, bought["_id"], "tracking", carrier="сдэк", number="10 2030") == {}

    tracking = stored(orders, bought).get("tracking")
    assert tracking is not None
    assert (tracking["carrier"], tracking["number"]) == ("СДЭК", "10 2030")
    page = agent.get(page_of(bought["_id"])).content.decode()
    assert f'href="{tracking["url"]}"' in page
    assert audited(orders, bought["_id"])[-1][0] == "order.tracked"
    assert agent.get(dialog_of(bought["_id"], "tracking")).context["form"]["number"].value() == "10 2030"
    assert list(sent(agent, bought["_id"], "tracking", carrier="", number="1")) == ["carrier"]


def test_actor_is_the_account(agent: Client, bought: OrderDocument, orders: Database[Document]) -> None:
    sent(agent, bought["_id"], "note", text="раз")

    (entry,) = orders["audit"].find({"target": f"order:{bought['_id']}", "action": "order.noted"})
    assert entry["actor_id"] == str(User.objects.get(email="support@mobile-world.example").pk)


def test_masked_contacts_are_shown_once_and_on_record(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    operator = staff_of(OPERATORS)
    assert "contacts" in buttons(operator, bought["_id"])

    answer = operator.post(dialog_of(bought["_id"], "contacts"), follow=True)

    assert "Иван Покупатель: +7 (999) 123-45-67, ivan@example.com" in answer.content.decode()
    assert audited(orders, bought["_id"])[-1][:2] == ("contacts.shown", "admin")
    assert "ivan@example.com" not in operator.get(page_of(bought["_id"])).content.decode()


def test_contacts_are_opened_only_by_those_who_see_them_masked_and_may(agent: Client, bought: OrderDocument) -> None:
    assert agent.get(dialog_of(bought["_id"], "contacts")).status_code == 403
    assert staff_of(ANALYSTS).post(dialog_of(bought["_id"], "contacts")).status_code == 403
