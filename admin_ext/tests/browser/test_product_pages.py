"""Beside the form of a product: a discount is planned, a change taken back, and the reason why it is not seen."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

import httpx
from django.utils.timezone import localtime
from playwright.sync_api import Page, expect
from pymongo.database import Database

from cart.tests.shop import sell
from catalog.discounts.turns import turn_discounts
from gateway.mongo.client import Document
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in
from gateway.tests.eventually import eventually

PRODUCT = "/admin/catalog/product/PROD-1/"
PRICE = '{ product(productId: "PROD-1") { price { amount } basePrice { amount } } }'


def price_in_shop(web: httpx.Client) -> tuple[str, str]:
    """What a buyer pays now, and the price before the discount."""
    product = web.post("/graphql", json={"query": PRICE}).json()["data"]["product"]
    return product["price"]["amount"], product["basePrice"]["amount"]


def tab(page: Page, name: str) -> None:
    page.locator("#product-tabs").get_by_role("link", name=name, exact=True).click()


def send(page: Page, verb: str) -> None:
    page.locator("#dialog-form").get_by_role("button", name=verb, exact=True).click()


def take_back_latest(page: Page) -> None:
    page.locator("#product-history").get_by_role("link", name=re.compile("^Вернуть")).first.click()


def test_discount_planned_on_the_page_begins_and_ends_in_the_shop(tabs: Tabs, web: httpx.Client) -> None:
    page, now = signed_in(tabs.open(), "merchandiser"), datetime.now(UTC)
    page.goto(f"{PRODUCT}change/")
    tab(page, "Скидки по расписанию")
    expect(page.locator("#no-discounts")).to_be_visible()
    page.get_by_role("link", name="Запланировать скидку").click()
    page.locator("#id_percent").fill("20")
    page.locator("#id_ends_at").fill(f"{localtime(now + timedelta(hours=2)):%Y-%m-%dT%H:%M}")
    send(page, "Запланировать")

    rows = page.locator("#product-discounts tbody tr")
    expect(rows).to_contain_text("ждёт")
    assert turn_discounts() == 1
    page.reload()
    expect(rows).to_contain_text("идёт")
    expect(rows).to_contain_text("потом вернётся цена без скидки")
    eventually(partial(price_in_shop, web), ("3192.00", "3990.00"))
    tab(page, "Как видит магазин")
    expect(page.locator("#shop-price")).to_contain_text("3 192,00 ₽")
    expect(page.locator("#shop-price")).to_contain_text("−20 %")

    assert turn_discounts(now + timedelta(hours=3)) == 1
    eventually(partial(price_in_shop, web), ("3990.00", "3990.00"))
    tab(page, "Скидки по расписанию")
    expect(rows).to_contain_text("кончилась")


def test_change_of_price_is_taken_back_that_too_and_a_conflict_shows_both(
    tabs: Tabs, database: Database[Document]
) -> None:
    sell("PROD-1", Decimal("5990.00"))
    page = signed_in(tabs.open(), "merchandiser")
    page.goto(f"{PRODUCT}history/")
    take_back_latest(page)
    expect(page.locator("#comes-back")).to_contain_text("3 990,00 ₽")
    page.locator("#id_reason").fill("Опечатка")
    send(page, "Вернуть")
    expect(page.locator("#product-history > li").first).to_contain_text("Опечатка")
    assert base_price(database) == "3990.00"

    take_back_latest(page)
    send(page, "Вернуть")
    expect(page.locator("#product-history > li").first).to_contain_text("3 990,00 ₽ → 5 990,00 ₽")
    assert base_price(database) == "5990.00"

    take_back_latest(page)
    expect(page.locator("#comes-back")).to_be_visible()
    sell("PROD-1", Decimal("6990.00"))
    send(page, "Вернуть")
    stays = page.locator("#stays")
    expect(stays).to_contain_text("5 990,00 ₽")
    expect(stays).to_contain_text("6 990,00 ₽")
    assert base_price(database) == "6990.00"


def base_price(database: Database[Document]) -> str:
    found = database["products"].find_one({"_id": "PROD-1"})
    assert found is not None
    return str(found["prices"]["base"])


def test_withdrawn_product_says_why_on_a_phone(tabs: Tabs) -> None:
    sell("PROD-1", Decimal("3990.00"), withdrawn=True)
    page = signed_in(tabs.open(PHONE), "merchandiser")

    page.goto(f"{PRODUCT}preview/")

    expect(page.locator("#why-not-visible")).to_contain_text("Покупатели не видят этот товар.")
    expect(page.locator("#why-not-visible")).to_contain_text("Товар снят с продажи.")
    assert overflow(page) == 0
    for name in ("Скидки по расписанию", "История", "Товар"):
        tab(page, name)
        expect(page.locator("#product-tabs [aria-current]")).to_have_text(name)
        assert overflow(page) == 0
