"""The audit as a person reads it: chosen by a name begun, opened from the object."""

import re

from playwright.sync_api import expect

from gateway.accounts.models import User
from gateway.audit.tests.entries import entry, write
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in


def test_person_is_offered_by_the_beginning_of_a_name(tabs: Tabs) -> None:
    marina = User.objects.get(email="merchandiser@mobile-world.example")
    write(entry(1, actor_id=str(marina.pk), actor=marina.email, source="admin", reason="акция"), entry(2))
    page = signed_in(tabs.open(), "staff")
    page.goto("/admin/audit/auditentry/")

    page.locator("#id_who").press_sequentially("Мари")
    offered = page.locator("#audit-people option")
    expect(offered).to_have_count(1)
    page.locator("#id_who").fill(str(offered.get_attribute("value")))
    page.locator("#id_who").press("Enter")

    expect(page.locator(".audit-line")).to_have_count(1)
    expect(page.locator(".audit-line")).to_contain_text("Марина Товарова")
    page.locator(".audit-told a").click()
    page.wait_for_url(re.compile("/admin/catalog/product/PROD-1/change/"))


def test_list_fits_a_phone(tabs: Tabs) -> None:
    write(entry(1, step="one", changes={"description": ["", "слово " * 60]}), entry(2, step="one"))
    page = signed_in(tabs.open(PHONE, "dark"), "staff")

    page.goto("/admin/audit/auditentry/?step=one")

    expect(page.locator(".audit-line")).to_have_count(2)
    assert overflow(page) == 0
