"""A merchandiser changes two thousand prices before coffee, and takes them back."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from pymongo.database import Database

from admin_ext.bulk.tests.products import prices, product, put
from catalog.changes.batch import Wanted, change_product
from catalog.products.cards import ProductKey
from gateway.audit.trail import Actor
from gateway.mongo.client import Document
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in

LIST = "/admin/catalog/product/"
JOB = re.compile(r"/admin/jobs/job/[^/]+/change/$")
PETER = Actor("2", "peter@mobile-world.example")
MANY, SOME = range(10, 2010), range(10, 70)
# Two thousand products take a worker of two busy cores some seconds.
ENDED_MS = 60_000


def put_autumn(database: Database[Document], numbers: range) -> dict[str, tuple[str, str | None]]:
    """Products that a filter finds, beside the shop's three; returns the prices of all."""
    put(database, *(product(number, attributes={"Серия": "Осень"}) for number in numbers))
    return prices(database)


def lower_by_ten_per_cent(page: Page, number: str) -> None:
    """From the filter, which finds so many, to the page of the job."""
    page.goto(f"{LIST}?attribute=Серия%3DОсень")
    page.locator("#change-all").click()
    expect(page.locator("#selected")).to_contain_text(number)
    page.locator("#id_price_action").select_option("percent")
    page.locator("#id_number").fill("−10 %")
    page.locator("#id_reason").fill("Осенняя распродажа")
    page.get_by_role("button", name="Показать, что получится").click()
    expect(page.locator("#preview tbody tr")).to_have_count(50)
    expect(page.locator("#preview")).to_contain_text("1 100,00 ₽ → 990,00 ₽")
    page.get_by_role("button", name="Изменить", exact=True).click()
    expect(page).to_have_url(JOB)


def expect_ended(page: Page) -> None:
    """The page says so by itself: nobody reloads it."""
    expect(page.locator("#job-state")).to_have_text("2 000 из 2 000", timeout=ENDED_MS)
    expect(page.locator("#job-buttons").get_by_role("button", name="Отменить изменения")).to_be_visible()


def test_two_thousand_prices_are_lowered_and_taken_back_but_for_three(
    tabs: Tabs, database: Database[Document], run_worker: Callable[..., Path]
) -> None:
    before = put_autumn(database, MANY)
    run_worker("--pool", "solo")
    page = signed_in(tabs.open(), "merchandiser")

    lower_by_ten_per_cent(page, "2 000")
    expect_ended(page)
    lowered = prices(database)
    assert sum(lowered[id_] != before[id_] for id_ in before) == len(MANY)
    assert lowered["PROD-00010"] == ("990.00", None)
    for number in (11, 500, 2009):
        wanted = Wanted({"base_price": "777.00"})
        change_product(ProductKey("audio", f"PROD-{number:05}"), wanted, actor=PETER)
    page.get_by_role("button", name="Отменить изменения").click()
    expect(page.locator("#job-facts")).to_contain_text("Отменяет")
    expect_ended(page)

    expect(page.locator("#job-counts")).to_contain_text("1 997 возвращено")
    left = page.locator("#job-remarks tbody tr")
    expect(left).to_have_count(3)
    for number, back in ((11, "1 110,00 ₽"), (500, "6 000,00 ₽"), (2009, "21 090,00 ₽")):
        row = left.filter(has_text=f"PROD-{number:05}")
        expect(row).to_contain_text("777,00 ₽")
        expect(row).to_contain_text(back)
    kept = {f"PROD-{number:05}": ("777.00", None) for number in (11, 500, 2009)}
    assert prices(database) == {**before, **kept}


def test_end_of_a_job_is_told_on_whatever_page_its_owner_is(
    tabs: Tabs, database: Database[Document], run_worker: Callable[..., Path]
) -> None:
    put_autumn(database, SOME)
    page = signed_in(tabs.open(PHONE), "merchandiser")
    lower_by_ten_per_cent(page, "60")
    assert overflow(page) == 0
    page.goto(LIST)

    run_worker("--pool", "solo")

    told = page.get_by_role("status").filter(has_text="готово")
    expect(told).to_be_visible(timeout=ENDED_MS)
    assert overflow(page) == 0
    told.get_by_role("link").click()
    expect(page).to_have_url(JOB)
    expect(page.locator("#job-counts")).to_contain_text("60 изменено")
