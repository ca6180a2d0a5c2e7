"""The form of a product as a merchandiser uses it: with the mouse, with the keyboard, beside a colleague."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pymongo.database import Database

from catalog.products.drafts import AttributeDraft
from catalog.products.upsert import upsert_product
from catalog.structure.attributes import AttributeType, CategoryAttribute, set_attributes
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.pictures.files import photo, png
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in
from gateway.tests.eventually import eventually

CHANGE = "/admin/catalog/product/PROD-1/change/"
SAVE = "#submit-row button[name=_save]"
STAY = "#submit-row button[name=_continue]"


@pytest.fixture
def form(tabs: Tabs) -> Page:
    set_attributes("audio", [CategoryAttribute("Вес", AttributeType.NUMBER, "г")], actor=MARINA)
    CATEGORIES.forget()
    page = signed_in(tabs.open(), "merchandiser")
    # The server knows the tree of the test before for some seconds.
    eventually(lambda: page.goto(CHANGE) and page.get_by_role("button", name="+ Вес").count())
    return page


def product(database: Database[Document], product_id: str = "PROD-1") -> Document:
    found = database["products"].find_one({"_id": product_id})
    assert found is not None
    return found


def image_urls(page: Page) -> list[str]:
    urls: list[str] = page.locator(".product-image-rows input[name=images_url]").evaluate_all(
        "fields => fields.map(field => field.value)"
    )
    return urls


def test_prices_stock_and_attributes_answer_while_they_are_typed(form: Page, stocked: Database[Document]) -> None:
    told = form.locator(".product-effective")
    expect(told).to_have_text("Покупатель заплатит 3 990,00 ₽")
    form.locator("#id_sale_price").fill("3 192")
    expect(told).to_have_text("Покупатель заплатит 3 192,00 ₽, скидка 20 %")
    form.locator("#id_sale_price").fill("3990")
    expect(told).to_have_text("Цена со скидкой должна быть ниже обычной")
    form.locator("#id_sale_price").fill("2 992,50 ₽")
    expect(told).to_have_text("Покупатель заплатит 2 992,50 ₽, скидка 25 %")

    form.get_by_role("button", name="На одну больше: Москва").click(click_count=2)
    expect(form.locator("#id_stock_msk")).to_have_value("+2")
    expect(form.locator("output[for=id_stock_msk]")).to_have_text("станет 12, свободно 12")
    form.get_by_role("button", name="На одну больше: Санкт-Петербург").click()
    form.locator("#id_reason").fill("Поставка")

    # The name comes from the category, the value from other products of it.
    form.get_by_role("button", name="+ Вес").click()
    expect(form.locator("#attribute-names option[value=Вес]")).to_have_count(0)
    form.keyboard.type("250 г")
    form.get_by_role("button", name="Добавить характеристику").click()
    form.keyboard.type("Звук")
    form.keyboard.press("Enter")
    form.keyboard.type("объёмный")
    color = form.locator(".product-attribute").filter(has=form.locator("input[value='Цвет']"))
    color.locator("input[name=attributes_value]").focus()
    expect(form.locator("#attribute-values option")).to_have_attribute("value", "чёрный")
    form.locator(SAVE).click()

    expect(form.get_by_text("Сохранено: «Наушники Тишина».")).to_be_visible()
    saved = product(stocked)
    assert saved["discount"] == 25
    assert {level["geozone"]: level["quantity"] for level in saved["stock"]} == {"msk": 12, "spb": 1}
    assert saved["attributes"] == {"Цвет": "чёрный", "Вес": "250 г", "Звук": "объёмный"}


def test_pictures_are_uploaded_put_in_order_and_saved(
    form: Page, tabs: Tabs, stocked: Database[Document], tmp_path: Path
) -> None:
    tabs.expect_trouble("answered 400: POST .*/pictures/")
    files = {"front.jpg": photo(), "back.png": png(), "third.png": png(colour="green"), "notes.txt": b"text"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    form.locator("#id_name").fill("Наушники Тишина 2")

    form.locator("#product-images input[type=file]").set_input_files([tmp_path / name for name in files])

    expect(form.locator(".product-image")).to_have_count(3)
    refusal = form.locator(".product-uploads .product-refusal")
    expect(refusal).to_have_text("«notes.txt»: Это не изображение: принимаются JPEG, PNG, WebP и GIF, целые.")
    front, back, third = image_urls(form)
    rows = form.locator(".product-image")
    rows.nth(1).locator(".product-handle").drag_to(rows.nth(0).locator(".product-handle"))
    expect(rows.nth(0).locator("input[name=images_url]")).to_have_value(back)
    later = rows.nth(1).get_by_role("button", name="Позже")
    later.focus()
    form.keyboard.press("Enter")
    expect(rows.nth(2).get_by_role("button", name="Позже")).to_be_focused()
    assert image_urls(form) == [back, third, front]
    rows.nth(1).get_by_role("button", name="Убрать изображение").click()
    rows.nth(0).locator("input[name=images_alt]").fill("Сзади")
    form.locator(STAY).click()

    expect(form.locator("#id_name")).to_have_value("Наушники Тишина 2")
    expect(rows).to_have_count(2)
    assert rows.nth(0).locator("img").evaluate("each => each.decode().then(() => each.naturalWidth)") == 60
    assert product(stocked)["images"] == [{"url": back, "alt": "Сзади"}, {"url": front, "alt": ""}]


def test_duplicate_is_filled_in_and_refusal_keeps_it(form: Page, stocked: Database[Document]) -> None:
    form.get_by_role("link", name="Создать копию").click()

    expect(form.locator("#id_name")).to_have_value("Наушники Тишина")
    expect(form.locator("#id_stock_msk")).to_have_value("")
    form.locator("#id_product_id").fill("PROD-2")
    form.locator("#id_name").fill("Наушники Шум")
    form.locator(SAVE).click()
    expect(form.get_by_text("Товар с артикулом PROD-2 уже есть.")).to_be_visible()
    expect(form.locator("#id_name")).to_have_value("Наушники Шум")
    form.locator("#id_product_id").fill("PROD-9")
    form.locator(SAVE).click()

    form.wait_for_url(re.compile(r"/admin/catalog/product/(\?.*)?$"))
    made = product(stocked, "PROD-9")
    assert (made["name"], made["stock"], made["attributes"]) == ("Наушники Шум", [], {"Цвет": "чёрный"})


def test_two_merchandisers_are_merged_and_asked_where_they_clash(form: Page, stocked: Database[Document]) -> None:
    theirs = draft(
        base_price=product(stocked)["price"].to_decimal(),
        sale_price=None,
        stock=None,
        description="Чужое описание.",
        attributes=(AttributeDraft("Цвет", "белый"),),
    )
    upsert_product(theirs, actor=MARINA)
    form.locator("#id_name").fill("Моё имя")
    form.locator("input[name=attributes_value]").first.fill("синий")
    form.locator(SAVE).click()

    expect(form.get_by_text("Цвет: пока вы правили, это изменил кто-то другой")).to_be_visible()
    assert product(stocked)["name"] == "Наушники Тишина"
    form.get_by_label("моё: синий").check()
    form.locator(SAVE).click()

    form.wait_for_url(re.compile(r"/admin/catalog/product/(\?.*)?$"))
    saved = product(stocked)
    assert (saved["name"], saved["description"]) == ("Моё имя", "Чужое описание.")
    assert saved["attributes"] == {"Цвет": "синий"}


def test_nothing_typed_is_lost_by_leaving_and_the_phone_needs_no_sideways_scrolling(tabs: Tabs) -> None:
    page = signed_in(tabs.open(PHONE), "merchandiser")
    page.goto(CHANGE)
    assert overflow(page) == 0
    page.get_by_role("button", name="Убрать характеристику").first.click()
    page.once("dialog", lambda dialog: dialog.dismiss())

    with page.expect_event("dialog") as asked:
        page.get_by_role("link", name="Создать копию").click(no_wait_after=True)

    assert asked.value.type == "beforeunload"
    expect(page).to_have_url(re.compile(f"{CHANGE}$"))
