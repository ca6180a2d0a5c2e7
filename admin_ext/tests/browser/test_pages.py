"""Every page of the admin that a person comes to by a link opens whole: no error, no scrolling sideways."""

import re

import pytest
from playwright.sync_api import expect

from gateway.accounts.demo import DOMAIN, PASSWORD
from gateway.tests.browser import DESKTOP, PHONE, Scheme, Size, Tabs, overflow, signed_in

SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_every_list_and_form_of_the_admin_opens_whole(tabs: Tabs, size: Size, scheme: Scheme) -> None:
    page = signed_in(tabs.open(size, scheme), "staff")
    hrefs = page.locator("a[href^='/admin/']").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    pages = sorted({href.partition("?")[0] for href in hrefs if "logout" not in href})
    assert "/admin/ordering/order/" in pages

    too_wide = {}
    for path in pages:
        page.goto(path)
        too_wide[path] = overflow(page)

    assert {path: pixels for path, pixels in too_wide.items() if pixels} == {}


def test_keyboard_alone_signs_in(tabs: Tabs) -> None:
    page = tabs.open()
    page.goto("/admin/")

    expect(page.locator("#id_username")).to_be_focused()
    page.keyboard.type(f"support@{DOMAIN}")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")

    page.wait_for_url(re.compile(r"/admin/$"))
    expect(page.locator("#login-form")).to_have_count(0)


def test_sign_in_page_opened_by_itself_leads_home(tabs: Tabs) -> None:
    page = tabs.open()
    page.goto("/admin/login/")
    page.locator("#id_username").fill(f"support@{DOMAIN}")
    page.locator("#id_password").fill(PASSWORD)
    page.keyboard.press("Enter")

    page.wait_for_url(re.compile(r"/admin/$"))


def test_wrong_password_is_refused_and_the_address_stays(tabs: Tabs) -> None:
    page = tabs.open()
    page.goto("/admin/login/")
    page.locator("#id_username").fill(f"support@{DOMAIN}")
    page.locator("#id_password").fill("another")
    page.keyboard.press("Enter")

    expect(page.locator("#id_username")).to_have_value(f"support@{DOMAIN}")
    expect(page.locator("#id_password")).to_have_value("")
