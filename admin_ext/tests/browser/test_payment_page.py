"""The payment page of development in a real browser, as a buyer comes to it from the shop."""

import pytest
from playwright.sync_api import Page, expect
from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.mongo.client import Document
from gateway.tests.browser import DESKTOP, PHONE, Size, Tabs, overflow
from ordering.ledger.amounts import payable
from ordering.tests.payments_api import ordered, stored
from ordering.webhook.payment_page import payment_page


def opened(tabs: Tabs, size: Size) -> tuple[Page, Document]:
    order = ordered(owner=CUSTOMER)
    address = payment_page(order, payable(order), origin="")
    assert address
    page = tabs.open(size)
    page.goto(address)
    return page, dict(order)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_buyer_declines_then_pays(tabs: Tabs, stocked: Database[Document], size: Size) -> None:
    page, order = opened(tabs, size)
    expect(page.get_by_role("heading")).to_have_text(f"Оплата заказа {order['number']}")
    expect(page.locator("dd")).to_have_text("7 980,00 ₽")

    page.get_by_role("button", name="Отклонить").click()
    expect(page.get_by_role("status")).to_have_text("Оплата отклонена, заказ ждёт другой попытки.")
    assert stored(stocked, order)["status"] == "new"
    page.get_by_role("link", name="Попробовать ещё раз").click()
    assert overflow(page) == 0
    page.get_by_role("button", name="Оплатить").click()

    expect(page.get_by_role("status")).to_have_text("Оплата прошла.")
    expect(page.get_by_role("link", name="Вернуться в магазин")).to_have_attribute("href", "http://localhost:5173")
    assert stored(stocked, order)["status"] == "paid"
    assert overflow(page) == 0
