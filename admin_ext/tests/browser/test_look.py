"""The look: the sidebar as a drawer on a phone, the language and the theme by the account menu."""

import pytest
from playwright.sync_api import Page, expect

from gateway.tests.browser import DESKTOP, PHONE, Size, Tabs, overflow, signed_in

FORMS = ("/admin/catalog/category/add/", "/admin/catalog/product/PROD-1/change/", "/admin/catalog/geozone/msk/change/")


def account_menu(page: Page) -> None:
    page.locator("#nav-sidebar-inner").get_by_text("staff@mobile-world.example").click()


@pytest.mark.parametrize("path", FORMS)
def test_forms_fit_a_phone(tabs: Tabs, path: str) -> None:
    page = signed_in(tabs.open(PHONE), "staff")
    page.goto(path)

    assert overflow(page) == 0
    expect(page.locator("button[name=_save]")).to_be_visible()


def test_sidebar_is_a_drawer_on_a_phone(tabs: Tabs) -> None:
    page = signed_in(tabs.open(PHONE), "support")
    geozones = page.locator("#nav-sidebar-inner").get_by_role("link", name="Геозоны")
    expect(geozones).not_to_be_in_viewport()

    page.get_by_role("button", name="Переключить навигацию").click()
    geozones.click()

    page.wait_for_url("**/admin/catalog/geozone/")
    expect(page.locator("h1")).to_contain_text("Геозоны")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_language_is_chosen_in_the_account_menu(tabs: Tabs, size: Size) -> None:
    page = signed_in(tabs.open(size), "staff")
    if size == PHONE:
        page.get_by_role("button", name="Переключить навигацию").click()
    account_menu(page)
    page.get_by_role("button", name="English").click()

    expect(page.locator("h1")).to_have_text("Home")
    assert overflow(page) == 0


def test_dark_by_choice_stays_dark(tabs: Tabs) -> None:
    page = signed_in(tabs.open(), "staff")
    expect(page.locator("html")).not_to_have_class("dark")
    account_menu(page)
    page.get_by_text("Тёмная").click()

    expect(page.locator("html")).to_have_class("dark")
    page.reload()
    expect(page.locator("html")).to_have_class("dark")
