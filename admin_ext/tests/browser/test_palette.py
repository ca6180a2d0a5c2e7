"""The search box as a person uses it: with the keyboard alone, on a phone, in the dark."""

import re

from playwright.sync_api import Page, expect

from cart.tests.shop import CUSTOMER
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in
from ordering.tests.bulk import one_bought


def box(page: Page) -> Page:
    expect(page.locator("#palette")).to_be_visible()
    expect(page.locator("#palette-input")).to_be_focused()
    return page


def test_slash_a_number_and_enter_open_the_order_at_once(tabs: Tabs) -> None:
    order = one_bought(CUSTOMER)
    page = signed_in(tabs.open(), "support")

    page.keyboard.press("/")
    box(page).keyboard.type(order["number"].replace("-", " "))
    page.keyboard.press("Enter")

    page.wait_for_url(re.compile(f"/admin/ordering/order/{order['_id']}/change/"))


def test_arrows_choose_and_escape_closes(tabs: Tabs) -> None:
    page = signed_in(tabs.open(), "merchandiser")

    page.keyboard.press("Control+k")
    box(page).keyboard.type("наушники")
    options = page.locator("#palette [role=option]")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(options.first).to_have_attribute("aria-selected", "false")
    page.keyboard.press("ArrowUp")
    chosen = options.first.get_attribute("href")
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).not_to_be_visible()

    page.keyboard.press("/")
    expect(box(page).locator("#palette-input")).to_have_value("")
    page.keyboard.type("наушники")
    expect(options.first).to_have_attribute("href", str(chosen))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(re.escape(str(chosen))))


def test_nothing_found_says_so(tabs: Tabs) -> None:
    page = signed_in(tabs.open(), "support")

    page.keyboard.press("/")
    box(page).keyboard.type("самовар")

    expect(page.locator("#palette-results")).to_contain_text("Ничего не нашлось")


def test_slash_in_a_field_is_a_slash(tabs: Tabs) -> None:
    page = signed_in(tabs.open(), "merchandiser")
    page.goto("/admin/catalog/geozone/msk/change/")

    page.locator("#id_name").press("/")

    expect(page.locator("#palette")).not_to_be_visible()
    expect(page.locator("#id_name")).to_have_value(re.compile("/"))


def test_box_fits_a_phone_in_the_dark(tabs: Tabs) -> None:
    page = signed_in(tabs.open(PHONE, "dark"), "support")

    page.keyboard.press("/")
    box(page).keyboard.type("наушники")
    expect(page.locator("#palette [role=option]").first).to_be_visible()

    assert overflow(page) == 0
    placed = page.locator("#palette").bounding_box()
    assert placed is not None
    assert placed["x"] >= 0
    assert placed["x"] + placed["width"] <= PHONE.width
