"""Orders for people to work on, and the way to them in the browser."""

import re

from playwright.sync_api import Page, expect

from cart.tests.shop import CUSTOMER
from ordering.checkout.holds import settle_queued
from ordering.documents import OrderDocument
from ordering.tests.payments_api import ordered, pay
from ordering.tests.shop import buyer

LIST = "/admin/ordering/order/"


def paid(*lines: tuple[str, int], amount: str, owner: str = CUSTOMER, reference: str = "pay-1") -> OrderDocument:
    """An order that somebody has paid, with nothing left to be settled behind it."""
    order = pay(ordered(*lines, owner=owner), amount, reference)
    settle_queued()
    return order


def to_pack(number: int) -> list[OrderDocument]:
    """So many paid orders of one pair of headphones, each of another buyer."""
    return [paid(("PROD-1", 1), amount="3990.00", owner=buyer(each), reference=f"pay-{each}") for each in range(number)]


def open_order(page: Page, order: OrderDocument) -> None:
    page.goto(f"{LIST}{order['_id']}/change/")


def choose(page: Page, action: str) -> None:
    """Press one of the buttons of the order's page, and wait for its form."""
    page.locator(f"#action-{action}").click()
    expect(page.locator("#dialog-form")).to_be_visible()


def send(page: Page, verb: str) -> None:
    """Press the button of the form, by what it says."""
    page.locator("#dialog-form").get_by_role("button", name=verb, exact=True).click()


def expect_done(page: Page, order: OrderDocument) -> None:
    """The action was done: the person is back on the order's page."""
    expect(page).to_have_url(re.compile(f"{order['_id']}/change/$"))
