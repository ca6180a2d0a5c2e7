"""The boards as an analyst reads them: chosen days, the lists behind the numbers, a CSV; and on a phone."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from admin_ext.boards.tests.figures import cart_day, keep, quarter, summed_until
from gateway.audit.tests.entries import entry, write
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in

PAGES = ("today", "sales", "carts", "prices")


@pytest.fixture
def figures(tabs: Tabs) -> datetime:
    """A week of sales, carts and changes of prices; returns the moment until which it goes."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    hour = now.replace(minute=0)
    keep(
        "sales_quarters",
        *(
            quarter(hour - timedelta(hours=6 * number), geozone, number % 4 + 1, 4000 * (number % 5 + 1), 500)
            for number in range(60)
            for geozone in ("msk", "spb")
        ),
    )
    summed_until(now)
    day = now.replace(hour=0, minute=0) - timedelta(days=2)
    names = {"PROD-1": "Наушники Тишина с очень длинным названием"}
    keep("abandoned_cart_days", cart_day(day, "msk", 4, names))
    write(entry(at=now - timedelta(days=1), changes={"base_price": ["3990.00", "2990.00"]}, actor="discounts"))
    return now


def expect_chart(page: Page) -> None:
    """The script of Unfold has drawn it: an empty canvas would be white."""
    canvas = page.locator("canvas.chart")
    expect(canvas).to_have_attribute("role", "img")
    page.wait_for_function(
        "() => { const c = document.querySelector('canvas.chart');"
        " return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(Boolean) }"
    )


def test_analyst_opens_the_boards_changes_the_period_and_downloads(
    tabs: Tabs, figures: datetime, tmp_path: Path
) -> None:
    page = signed_in(tabs.open(), "analyst")
    page.locator("[data-cards=boards]").get_by_role("link", name="Продажи").click()
    page.wait_for_url(re.compile("/admin/boards/sales/"))
    expect_chart(page)
    expect(page.locator("#table-days tbody tr")).to_have_count(30)

    page.get_by_role("link", name="7 дней").click()
    expect(page.locator("#table-days tbody tr")).to_have_count(7)
    page.locator("#id_geozone").select_option("msk")
    page.locator("#board-period").get_by_role("button", name="Показать").press("Enter")
    expect(page.locator("#table-geozones tbody tr")).to_have_count(1)
    expect(page.locator("#table-geozones tbody tr")).to_contain_text("Москва")
    with page.expect_download() as download:
        page.locator("#table-days").get_by_role("link", name="Скачать CSV").click()
    download.value.save_as(tmp_path / "days.csv")
    assert len((tmp_path / "days.csv").read_text(encoding="utf-8-sig").splitlines()) == 8
    page.locator("#table-geozones tbody a").first.click()
    page.wait_for_url(re.compile(r"/admin/ordering/order/\?geozone=msk&since="))

    page.goto("/admin/boards/today/")
    expect_chart(page)
    # In the first quarter of an hour of a day nothing of it is summed yet.
    expect(page.locator("#table-geozones")).to_contain_text("Оба дня — до")
    page.goto("/admin/boards/carts/")
    expect_chart(page)
    expect(page.locator("#table-products tbody tr")).to_contain_text("PROD-1")


def test_merchandiser_finds_the_prices_of_the_week_from_home(tabs: Tabs, figures: datetime) -> None:
    page = signed_in(tabs.open(), "merchandiser")

    page.locator("[data-cards=boards]").get_by_role("link", name="Цены за неделю").click()

    expect(page.locator("#table-cuts tbody tr")).to_contain_text("−25,1 %")
    expect_chart(page)
    page.locator("#table-people tbody a").click()
    expect(page.locator(".audit-line")).to_contain_text("расписание скидок")


def test_boards_fit_a_phone_in_the_dark(tabs: Tabs, figures: datetime) -> None:
    page = signed_in(tabs.open(PHONE, "dark"), "merchandiser")

    for board in PAGES:
        page.goto(f"/admin/boards/{board}/")
        expect_chart(page)
        assert overflow(page) == 0, board
    page.goto("/admin/")
    assert overflow(page) == 0
