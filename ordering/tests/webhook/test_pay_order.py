"""manage.py pay_order against a real web server: a developer finishes the flow."""

import json
from io import StringIO
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings
from pymongo.database import Database

from gateway.mongo.client import Document
from ordering.tests.payments_api import all_orders, ordered, stored
from ordering.tests.shop import reserved


def run(*arguments: str, url: object) -> list[str]:
    output = StringIO()
    call_command("pay_order", *arguments, "--url", str(url), stdout=output)
    return output.getvalue().splitlines()


def refusal(*arguments: str, url: object) -> str:
    with pytest.raises(CommandError) as refused:
        run(*arguments, url=url)
    return str(refused.value)


def answer(line: str) -> tuple[str, Any]:
    status, _, body = line.partition(" ")
    return status, json.loads(body)


def test_order_is_paid_with_what_is_due(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()

    run(order["number"], "--amount", "980.00", url=web.base_url)
    address, body, last = run(order["number"].replace("-", ""), url=web.base_url)

    assert address == f"POST {web.base_url}/payments/webhook"
    assert json.loads(body)["amount"] == "7000.00"
    assert answer(last) == ("200", {"result": "done", "order": order["number"], "status": "paid"})
    assert stored(orders, order)["status"] == "paid"
    assert reserved(orders, "PROD-1") == (8, 0)


def test_event_sent_again_is_recorded_once(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()

    for _ in range(2):
        run(order["number"], "--amount", "10.00", "--event", "evt-7", url=web.base_url)

    assert [entry["reference"] for entry in stored(orders, order)["money"]] == ["evt-7"]
    assert "409" in refusal(order["number"], "--amount", "11.00", "--event", "evt-7", url=web.base_url)


def test_what_cannot_be_sent_is_told_and_nothing_changes(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()
    before = all_orders(orders)

    assert refusal("4829-130-752", url=web.base_url) == "there is no order 4829-130-752"
    assert refusal(order["number"], "--amount", "much", url=web.base_url) == "much is no amount: 123.45"
    assert refusal(order["number"], url="ftp://127.0.0.1").startswith("ftp://127.0.0.1 is no address")
    assert "Is `make run` running?" in refusal(order["number"], url="http://127.0.0.1:9")
    with override_settings(PRODUCTION=True):
        assert refusal(order["number"], url=web.base_url) == "in production only the payment system pays"
    with override_settings(PAYMENT_WEBHOOK_SECRETS=["a secret that the gateway does not know"]):
        assert refusal(order["number"], url=web.base_url).startswith("401 ")
    assert all_orders(orders) == before


def test_paid_order_is_not_paid_again_by_accident(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()
    run(order["number"], url=web.base_url)

    assert "nothing is due" in refusal(order["number"], url=web.base_url)
    assert len(stored(orders, order)["money"]) == 1


def test_refund_is_told_and_its_failure_under_the_same_reference(orders: Database[Document], web: httpx.Client) -> None:
    order = ordered()
    run(order["number"], url=web.base_url)
    told = (order["number"], "--amount", "10.00", "--reference", "re-1")

    run(*told, "--type", "refund.succeeded", url=web.base_url)
    run(*told, "--type", "refund.failed", url=web.base_url)

    assert [(entry["kind"], entry["state"]) for entry in stored(orders, order)["money"]] == [
        ("payment", "done"),
        ("refund", "failed"),
        ("repayment", "failed"),
    ]
    assert refusal(order["number"], "--type", "refund.failed", url=web.base_url) == "refund.failed: say --amount"
