"""The tree of categories, as a merchandiser drags it."""

from playwright.sync_api import Locator, Page, expect
from pymongo.database import Database

from admin_ext.job_kinds import KINDS
from admin_ext.jobs import runner
from admin_ext.structure.jobs import submit_owed
from catalog.structure.attributes import own_attributes
from gateway.mongo.client import Document
from gateway.tests.browser import PHONE, Size, Tabs, overflow, signed_in

TREE = "/admin/catalog/category/"


def opened(tabs: Tabs, size: Size | None = None) -> Page:
    page = signed_in(tabs.open(size) if size else tabs.open(), "merchandiser")
    page.goto(TREE)
    return page


def row(page: Page, slug: str) -> Locator:
    return page.locator(f"#c-{slug} > .tree-row")


def choose(page: Page, slug: str, action: str) -> None:
    """By the menu of the category."""
    row(page, slug).locator("summary").click()
    row(page, slug).get_by_text(action, exact=True).click()


def paths(database: Database[Document]) -> dict[str, list[str]]:
    return {each["_id"]: each["path"] for each in database["categories"].find()}


def test_branch_is_dragged_into_another_and_its_products_are_found_there(
    tabs: Tabs, database: Database[Document]
) -> None:
    database["categories"].insert_one({"_id": "home", "name": "Для дома", "path": [], "position": 9})
    page, colleague = opened(tabs), opened(tabs)

    row(page, "sound").drag_to(row(page, "home"))

    expect(page.locator("#tree-told")).to_have_text("Категория «Звук» перенесена.")
    expect(page.locator("#below-home > #c-sound")).to_be_visible()
    assert paths(database)["audio"] == ["home", "sound"]
    row(page, "home").locator(".tree-count").click()
    expect(page.locator("#result_list")).to_contain_text("PROD-1")
    row(colleague, "sound").drag_to(row(colleague, "home"), target_position={"x": 200, "y": 3})
    expect(colleague.locator("#tree-told")).to_contain_text("«Звук» теперь в другом месте")
    expect(colleague.locator("#below-home > #c-sound")).to_be_visible()
    assert paths(database)["sound"] == ["home"]


def test_category_is_renamed_and_reordered_by_keyboard_and_stays_closed(
    tabs: Tabs, database: Database[Document]
) -> None:
    page = opened(tabs)
    row(page, "sound").locator(".tree-toggle").press("Enter")
    expect(row(page, "audio")).to_be_hidden()

    choose(page, "sound", "Переименовать")
    page.keyboard.type("Музыка")
    page.keyboard.press("Enter")
    expect(row(page, "sound").locator(".tree-name")).to_have_text("Музыка")
    expect(row(page, "sound").locator(".tree-name")).to_be_focused()
    row(page, "sound").locator("[data-act=down]").press("Enter")

    expect(page.locator("#tree > ul > li").last).to_have_attribute("data-name", "Музыка")
    expect(row(page, "audio")).to_be_hidden()
    page.locator("#tree-find").fill("ауд")
    expect(row(page, "audio")).to_be_visible()
    expect(row(page, "video")).to_be_hidden()
    assert database["categories"].find_one({"_id": "sound"}, ["name"]) == {"_id": "sound", "name": "Музыка"}


def test_category_is_merged_by_its_job(tabs: Tabs, database: Database[Document]) -> None:
    page = opened(tabs)
    choose(page, "audio", "Объединить с…")
    page.locator("#id_into").select_option("video")
    page.get_by_role("button", name="Объединить").click()

    expect(page.get_by_text("«Аудио» объединяется с «Видео»").first).to_be_visible()
    (job,) = submit_owed()
    runner.run(job["_id"], KINDS)
    page.goto(TREE)

    expect(row(page, "video")).to_be_visible()
    expect(page.locator("#c-audio")).to_have_count(0)
    assert {each["category"] for each in database["products"].find()} == {"video"}


def test_attributes_are_added_as_rows(tabs: Tabs, database: Database[Document]) -> None:
    page = opened(tabs)
    choose(page, "audio", "Характеристики")

    page.locator("#id_name-0").fill("Вес")
    page.locator("#id_type-0").select_option("number")
    page.locator("#id_unit-0").fill("г")
    expect(page.locator("#id_options-0")).to_be_disabled()
    page.get_by_role("button", name="Добавить характеристику").click()
    page.keyboard.type("Цвет")
    page.locator("#id_type-3").select_option("choice")
    page.locator("#id_options-3").fill("чёрный, белый")
    page.get_by_role("button", name="Сохранить").click()

    expect(row(page, "audio")).to_contain_text("характеристик: 2")
    assert [(each.name, each.unit, each.options) for each in own_attributes("audio")] == [
        ("Вес", "г", ()),
        ("Цвет", "", ("чёрный", "белый")),
    ]


def test_phone_moves_a_category_by_a_dialog(tabs: Tabs, database: Database[Document]) -> None:
    page = opened(tabs, PHONE)
    assert overflow(page) == 0

    choose(page, "audio", "Переместить в…")
    assert overflow(page) == 0
    page.locator("#id_parent").select_option("")
    page.get_by_role("button", name="Переместить").click()

    expect(page.locator("#tree > ul > #c-audio")).to_be_visible()
    assert overflow(page) == 0
    page.goto(f"{TREE}audio/attributes/")
    assert overflow(page) == 0
    assert paths(database)["audio"] == []
