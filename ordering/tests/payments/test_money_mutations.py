"""Money over GraphQL: what staff record and settle under which reference, and what buyers see of it."""

from typing import Any

import httpx
import pytest
from pymongo.database import Database

from cart.tests.buyer import Buyer
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from ordering.tests.api import ADVANCE, CANCEL, ORDER, PAY, REFUND, SETTLE, everything, refusals
from ordering.tests.people import person

READ = f"query ($id: ID!) {{ a: order(id: $id) {{ ...O }} }} {ORDER}"
ONE = [{"productId": "PROD-1", "quantity": 1}]
ALIKE = ["same", "same ", " same", "same\u00a0", "sa\u200bme", "\ufeffsame", "ｓａｍｅ", "same\t"]


def sums(order: dict[str, Any]) -> tuple[str, str, str]:
    money = order["money"]
    return money["paid"]["amount"], money["refunded"]["amount"], money["dueBack"]["amount"]


def entries(order: dict[str, Any]) -> list[tuple[str, str, str, str, str]]:
    return [
        (each["kind"], each["state"], each["amount"]["amount"], each["reference"], each["actor"])
        for each in order["money"]["entries"]
    ]


@pytest.fixture
def excess(support: Buyer, order: str) -> str:
    """The id of an entry that is due: 1020.00 of the 9000.00 that came for the order."""
    paid = support.send(PAY, order=order, amount="9000.00", reference="касса-17")
    entry: str = paid["order"]["money"]["entries"][1]["id"]
    return entry


def test_staff_see_the_ledger_and_settle_what_is_due(support: Buyer, order: str, excess: str) -> None:
    before = support.send(READ, id=order)
    assert sums(before) == ("7980.00", "0.00", "1020.00")

    settled = support.send(SETTLE, order=order, entry=excess, reference="возврат-1")
    again = support.send(SETTLE, order=order, entry=excess, reference="возврат-1")

    assert settled == again
    assert (settled["userErrors"], sums(settled["order"])) == ([], ("7980.00", "0.00", "0.00"))
    who = "support@mobile-world.example"
    assert entries(settled["order"]) == [
        ("PAYMENT", "DONE", "9000.00", "касса-17", who),
        ("EXCESS", "DONE", "1020.00", "касса-17", who),
        ("REPAYMENT", "DONE", "1020.00", "возврат-1", who),
    ]


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"entry": "nothing"}, [("NOT_FOUND", ["entry"])]),
        ({"reference": " \u200b "}, [("REQUIRED", ["reference"])]),
        ({"reference": "r" * 101}, [("INVALID", ["reference"])]),
        ({"reference": "a\u0007b"}, [("INVALID", ["reference"])]),
        ({"order": "nothing"}, [("NOT_FOUND", ["order"])]),
    ],
    ids=str,
)
def test_wrong_settling_says_why_and_changes_nothing(
    support: Buyer,
    order: str,
    excess: str,
    orders: Database[Document],
    changes: dict[str, str],
    refused: list[tuple[str, list[str]]],
) -> None:
    before = everything(orders)

    answer = support.send(SETTLE, **{"order": order, "entry": excess, "reference": "r", **changes})

    assert refusals(answer) == refused
    assert everything(orders) == before


def test_second_settling_under_another_reference_is_a_conflict_and_shows_the_order(
    support: Buyer, order: str, excess: str, orders: Database[Document]
) -> None:
    support.send(SETTLE, order=order, entry=excess, reference="r-1")
    before = everything(orders)

    answer = support.send(SETTLE, order=order, entry=excess, reference="r-2")

    assert (refusals(answer), sums(answer["order"])) == ([("CONFLICT", ["entry"])], ("7980.00", "0.00", "0.00"))
    assert everything(orders) == before


def test_nobody_but_staff_who_work_on_orders_settles(
    web: httpx.Client, guest: Buyer, support: Buyer, order: str, excess: str, orders: Database[Document]
) -> None:
    make_demo_accounts()
    before = everything(orders)
    asking = [guest, Buyer(web), person(web, "customer"), person(web, "merchandiser")]

    answers = [each.send(SETTLE, order=order, entry=excess, reference="r") for each in asking]

    assert [refusals(answer) for answer in answers] == [
        [("UNAUTHENTICATED", None)],
        [("UNAUTHENTICATED", None)],
        [("FORBIDDEN", None)],
        [("FORBIDDEN", None)],
    ]
    assert [answer["order"] for answer in answers] == [None] * 4
    assert everything(orders) == before


def test_references_that_look_alike_are_one_payment(support: Buyer, order: str, orders: Database[Document]) -> None:
    answers = [support.send(PAY, order=order, amount="1.00", reference=each) for each in ALIKE]

    assert [answer["userErrors"] for answer in answers] == [[]] * len(ALIKE)
    (entry,) = everything(orders)["orders"][0]["money"]
    assert entry["reference"] == "same"


def test_references_that_look_alike_are_one_refund(support: Buyer, order: str, orders: Database[Document]) -> None:
    support.send(PAY, order=order, amount="7980.00", reference="p")

    answers = [support.send(REFUND, order=order, lines=ONE, reason="брак", reference=each) for each in ALIKE]

    assert [answer["order"]["money"]["refunded"]["amount"] for answer in answers] == ["3990.00"] * len(ALIKE)


def test_references_that_look_alike_settle_once(support: Buyer, order: str, excess: str) -> None:
    answers = [support.send(SETTLE, order=order, entry=excess, reference=each) for each in ALIKE]

    assert [answer["userErrors"] for answer in answers] == [[]] * len(ALIKE)
    assert len(answers[-1]["order"]["money"]["entries"]) == 3


def test_references_in_another_case_are_two(support: Buyer, order: str) -> None:
    support.send(PAY, order=order, amount="1.00", reference="a-1")

    assert sums(support.send(PAY, order=order, amount="1.00", reference="A-1")["order"])[0] == "2.00"


def test_buyer_sees_the_sums_and_no_reference_and_no_note_of_the_shop(
    guest: Buyer, support: Buyer, order: str, excess: str
) -> None:
    support.send(ADVANCE, order=order, to="PROCESSING", note="покупатель скандалит")
    support.send(REFUND, order=order, lines=ONE, reason="похоже на обман", reference="ref-1")
    support.send(SETTLE, order=order, entry=excess, reference="возврат-1")

    seen, all_of_it = guest.send(READ, id=order), support.send(READ, id=order)

    assert [event["note"] for event in all_of_it["timeline"]] == [
        "",
        "касса-17",
        "покупатель скандалит",
        "похоже на обман",
        "возврат-1",
    ]
    assert [event["note"] for event in seen["timeline"]] == [""] * 5
    assert (sums(seen), sums(all_of_it)) == (("7980.00", "3990.00", "0.00"),) * 2
    assert entries(seen) == [
        ("PAYMENT", "DONE", "9000.00", "", "staff"),
        ("EXCESS", "DONE", "1020.00", "", "staff"),
        ("REFUND", "DONE", "3990.00", "", "staff"),
        ("REPAYMENT", "DONE", "1020.00", "", "staff"),
    ]


def test_buyer_reads_the_own_reason_of_a_cancellation_and_not_that_of_staff(
    guest: Buyer, support: Buyer, order: str
) -> None:
    cancelled = guest.send(CANCEL, order=order, reason="передумал")

    assert [event["note"] for event in cancelled["order"]["timeline"]] == ["", "передумал"]
    assert [event["note"] for event in support.send(READ, id=order)["timeline"]] == ["", "передумал"]


def test_buyer_does_not_read_why_staff_cancelled(guest: Buyer, support: Buyer, order: str) -> None:
    support.send(CANCEL, order=order, reason="в чёрном списке")

    assert [event["note"] for event in guest.send(READ, id=order)["timeline"]] == ["", ""]
