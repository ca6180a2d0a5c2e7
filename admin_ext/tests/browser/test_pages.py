"""Every page of the admin that a person comes to by a link opens whole: no error, no scrolling sideways."""

import re

import pytest
from playwright.sync_api import Page, expect
from pymongo.database import Database

from admin_ext.tests.browser.orders import to_pack
from gateway.accounts.demo import DOMAIN, PASSWORD
from gateway.mongo.client import Document
from gateway.tests.browser import DESKTOP, PHONE, Scheme, Size, Tabs, overflow, signed_in

SIZES = {"desktop": DESKTOP, "phone": PHONE}


# As many as the demo shop has: a form with a field for each must not burst.
FURTHER_GEOZONES = ("Екатеринбург", "Казань", "Новосибирск")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_every_page_of_the_admin_opens_whole(
    tabs: Tabs, database: Database[Document], size: Size, scheme: Scheme
) -> None:
    database["geozones"].insert_many(
        [{"_id": f"z{place}", "name": name, "position": place} for place, name in enumerate(FURTHER_GEOZONES, 3)]
    )
    to_pack(1)
    page = signed_in(tabs.open(size, scheme), "staff")
    lists = _links(page, "a[href^='/admin/']")
    assert {"/admin/ordering/order/", "/admin/accounts/customer/", "/admin/catalog/product/"} <= lists

    too_wide = {}
    for path in sorted(lists):
        page.goto(path)
        too_wide[path] = overflow(page)
        for row in sorted(_links(page, "#result_list a[href^='/admin/']"))[:1]:
            page.goto(row)
            too_wide[row] = overflow(page)

    assert {path: pixels for path, pixels in too_wide.items() if pixels} == {}


def _links(page: Page, selector: str) -> set[str]:
    hrefs: list[str] = page.locator(selector).evaluate_all("links => links.map(link => link.getAttribute('href'))")
    return {href.partition("?")[0] for href in hrefs if "logout" not in href}


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
