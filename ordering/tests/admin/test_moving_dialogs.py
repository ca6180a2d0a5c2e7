"""Dialogs that move an order, one or a selection: what they change, what they refuse, and twice is once."""

import re

import pytest
from django.test import Client
from pymongo.database import Database

from gateway.accounts.roles import OPERATORS
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from ordering.documents import OrderDocument
from ordering.tests.admin.desk import LIST, audited, dialog_of, sent, staff_of, text_of
from ordering.tests.payments_api import all_orders, ordered, pay, stock, stored
from ordering.tests.shop import buyer, reserved


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [("paid", "pack", "processing"), ("processing", "ship", "shipped"), ("shipped", "deliver", "delivered")],
)
def test_order_goes_one_step_on(
    agent: Client, bought: OrderDocument, orders: Database[Document], before: str, name: str, after: str
) -> None:
    orders["orders"].update_one({"_id": bought["_id"]}, {"$set": {"status": before}})

    assert sent(agent, bought["_id"], name, note="на третьей полке") == {}

    order = stored(orders, bought)
    assert order["status"] == after
    last = (order.get("events") or [])[-1]
    assert (last["actor"], last["note"]) == ("support@mobile-world.example", "на третьей полке")
    assert [(action, source) for action, source, _ in audited(orders, bought["_id"])][-1] == ("order.advanced", "admin")


def test_step_that_a_colleague_has_made_is_refused_with_what_was_typed(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    assert sent(agent, bought["_id"], "pack", note="") == {}
    before = all_orders(orders)

    answer = agent.post(dialog_of(bought["_id"], "pack"), {"note": "я тоже"})

    assert answer.status_code == 200
    assert "Заказ «собирается»: он не может стать «собирается»." in answer.content.decode()
    assert "я тоже" in answer.content.decode()
    assert all_orders(orders) == before


def test_button_of_a_dialog_says_what_it_does(agent: Client, bought: OrderDocument) -> None:
    page = agent.get(dialog_of(bought["_id"], "pack")).content.decode()

    (button,) = re.findall(r'<button type="submit"\s[^>]*>\s*(Передать[^<]*?)\s*</button>', page)
    assert button == "Передать в сборку"


def test_shipping_without_a_number_is_pointed_out(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    orders["orders"].update_one({"_id": bought["_id"]}, {"$set": {"status": "processing"}})

    assert "Трек-номера ещё нет" in agent.get(dialog_of(bought["_id"], "ship")).content.decode()


def test_unpaid_order_is_cancelled_with_a_reason_and_its_stock_is_free(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    assert sent(agent, unpaid["_id"], "cancel", reason="") == {"reason": ["Обязательное поле."]}

    assert sent(agent, unpaid["_id"], "cancel", reason="передумал") == {}

    assert stored(orders, unpaid)["status"] == "cancelled"
    assert reserved(orders, "PROD-1") == (10, 0)
    assert [action for action, _, _ in audited(orders, unpaid["_id"])] == ["order.cancelled"]


def test_paid_order_is_not_cancelled_as_an_unpaid_one(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    agent.get(dialog_of(unpaid["_id"], "cancel"))
    pay(unpaid)
    before = all_orders(orders), stock(orders)

    assert sent(agent, unpaid["_id"], "cancel", reason="передумал") == {
        "__all__": ["Заказ «оплачен»: он не может стать «отменён»."]
    }
    assert (all_orders(orders), stock(orders)) == before


def test_form_that_is_sent_twice_at_once_moves_once(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    form = agent.get(dialog_of(bought["_id"], "pack")).context["form"]
    data = {"key": form["key"].value(), "note": "раз"}

    answers = at_once(*[lambda: agent.post(dialog_of(bought["_id"], "pack"), data)] * 2)

    assert [answer.status_code for answer in answers if not isinstance(answer, Exception)] == [302, 302]
    assert [event["type"] for event in stored(orders, bought).get("events") or []].count("moved") == 2


def test_selection_moves_each_for_itself_and_tells_what_became_of_it(agent: Client, orders: Database[Document]) -> None:
    first, second, third = (
        pay(ordered(("PROD-1", 1), owner=buyer(number)), "3990.00", f"p{number}") for number in (1, 2, 3)
    )
    unpaid = ordered(("PROD-1", 1), owner=buyer(4))
    assert sent(agent, third["_id"], "pack", note="") == {}
    ids = [first["_id"], second["_id"], third["_id"], unpaid["_id"], "nothing", first["_id"]]

    answer = agent.post(f"{LIST}?queue=to_pack", {"_selected_action": ids, "action": "processing"})

    page = text_of(answer.content.decode())
    assert answer.context["title"] == "Переведены заказы: 2 из 5"
    assert f"{first['number']} собирается" in page
    assert f"{third['number']} Заказ «собирается»: он не может стать «собирается»." in page
    assert f"{unpaid['number']} Заказ «новый»: он не может стать «собирается»." in page
    assert "nothing Такого заказа нет." in page
    assert answer.context["back"] == f"{LIST}?queue=to_pack"
    assert [stored(orders, each)["status"] for each in (first, second, third, unpaid)] == [
        "processing",
        "processing",
        "processing",
        "new",
    ]
    steps = {
        entry["step"]
        for entry in orders["audit"].find({"target": {"$in": [f"order:{first['_id']}", f"order:{second['_id']}"]}})
    }
    assert len(steps) == 1


@pytest.mark.parametrize("action", ["paid", "refunded", "delete_selected", ""])
def test_selection_takes_steps_only(
    agent: Client, bought: OrderDocument, orders: Database[Document], action: str
) -> None:
    before = all_orders(orders)

    agent.post(LIST, {"_selected_action": [bought["_id"]], "action": action})

    assert all_orders(orders) == before


def test_steps_are_for_those_who_may_change_orders(
    agent: Client, bought: OrderDocument, orders: Database[Document]
) -> None:
    before = all_orders(orders)

    page = staff_of(OPERATORS).get(LIST)
    staff_of(OPERATORS).post(LIST, {"_selected_action": [bought["_id"]], "action": "processing"})

    assert page.context["action_form"] is None
    assert all_orders(orders) == before


def test_first_step_is_the_one_that_the_queue_waits_for(agent: Client, bought: OrderDocument) -> None:
    def steps(**parameters: str) -> list[str]:
        field = agent.get(LIST, parameters).context["action_form"].fields["action"]
        return [value for value, _ in field.choices if value]

    assert steps(queue="to_pack")[0] == "processing"
    # Nothing waits there, so that there is no form: the status alone decides.
    assert steps(status="paid") == ["processing", "shipped", "delivered"]
