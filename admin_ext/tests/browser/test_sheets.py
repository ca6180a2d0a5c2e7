"""Files of products as a person sends, checks, loads and takes them back."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect
from pymongo.database import Database

from admin_ext.bulk.tests.products import prices, product, put
from catalog.tests.shop import everything
from gateway.mongo.client import Document
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in

LIST = "/admin/sheets/sheetimport/"
IMPORT = re.compile(r"/admin/sheets/sheetimport/[^/]+/change/$")
JOB = re.compile(r"/admin/jobs/job/[^/]+/change/$")
# A worker of two busy cores has to start first.
ENDED_MS = 60_000
# As Excel of this country saves it: Windows-1251, semicolons, prices with spaces, a formula, and what is wrong.
PRICE_LIST = """Артикул;Наименование;Категория;Цена, руб.;Остаток: Москва
PROD-1;;;4 500,50;
NEW-1;Чайник «Свисток»;Видео;1 990;5
NEW-2;=HYPERLINK("http://x");нет такой;дорого;
NEW-3;Утюг;Видео;990;-2
"""


def send(page: Page, data: bytes, name: str = "прайс.csv") -> None:
    """Choose the file and have it checked, up to what it would do."""
    page.goto(LIST)
    page.get_by_role("link", name="Загрузить файл").click()
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": data}
    page.locator("#sheet-file").set_input_files(file)
    expect(page.locator("#sheet-chosen")).to_have_text(name)
    page.get_by_role("button", name="Проверить файл").click()
    expect(page).to_have_url(IMPORT)
    expect_stage(page, "проверен")


def expect_stage(page: Page, stage: str) -> None:
    """The page says so by itself: nobody reloads it."""
    expect(page.locator("#sheet-stage .job-head")).to_have_text(stage, timeout=ENDED_MS)


def downloaded(page: Page, link: str | re.Pattern[str]) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("link", name=link).click()
    return download.value.path().read_bytes()


def test_price_list_with_errors_is_checked_loaded_corrected_and_taken_back(
    tabs: Tabs, database: Database[Document], run_worker: Callable[..., Path]
) -> None:
    before = everything(database)
    run_worker("--pool", "solo")
    page = signed_in(tabs.open(), "merchandiser")

    send(page, PRICE_LIST.encode("cp1251"))
    expect(page.locator("#sheet-changed")).to_contain_text("3 990,00 ₽ → 4 500,50 ₽")
    expect(page.locator("#sheet-created tbody tr")).to_have_count(1)
    refused = page.locator("#sheet-refused tbody tr")
    expect(refused).to_have_count(2)
    expect(refused.filter(has_text="NEW-2")).to_contain_text("Категории «нет такой» нет.")
    expect(refused.filter(has_text="NEW-3")).to_contain_text("«-2» — не целое число.")
    assert everything(database) == before
    page.get_by_role("button", name="Загрузить", exact=True).click()
    expect_stage(page, "загружен")

    assert prices(database)["PROD-1"] == ("4500.50", None)
    assert prices(database)["NEW-1"] == ("1990.00", None)
    text = downloaded(page, "Скачать строки с ошибками").decode("utf-8-sig")
    assert "'=HYPERLINK" in text
    corrected = text.replace("нет такой", "Видео").replace("дорого", "10").replace("'-2", "2")
    send(page, corrected.encode())
    expect(page.locator("#sheet-created tbody tr")).to_have_count(2)

    page.goto(LIST)
    page.locator("#result_list tbody tr").filter(has_text="загружен").get_by_role("link").click()
    page.get_by_role("button", name="Отменить изменения").click()
    expect(page.locator("#job-counts")).to_contain_text("2 возвращено", timeout=ENDED_MS)
    assert prices(database)["PROD-1"] == ("3990.00", None)
    made = database["products"].find_one({"_id": "NEW-1"})
    assert made is not None
    assert made["withdrawn"] is True


def test_export_of_a_filter_changes_nothing_when_it_is_loaded_again(
    tabs: Tabs, database: Database[Document], run_worker: Callable[..., Path]
) -> None:
    put(database, *(product(number, name="=1+1" if number == 7 else f"Кабель {number}") for number in range(60)))
    before = everything(database)
    run_worker("--pool", "solo")
    page = signed_in(tabs.open(), "merchandiser")
    page.goto("/admin/catalog/product/?category=audio&price_to=1500")
    page.locator("#export-all").click()
    expect(page.locator("#selected")).to_contain_text("51")
    page.get_by_role("button", name="Выгрузить", exact=True).click()
    expect(page).to_have_url(JOB)
    expect(page.locator("#job-state")).to_have_text("51 из 51", timeout=ENDED_MS)

    data = downloaded(page, re.compile("^Скачать файл"))
    send(page, data, "товары.xlsx")

    assert data.startswith(b"PK")
    expect(page.locator("#sheet-nothing")).to_contain_text("все товары уже такие")
    expect(page.get_by_role("button", name="Загрузить", exact=True)).to_have_count(0)
    assert everything(database) == before


def test_what_is_no_sheet_is_refused_on_a_phone(tabs: Tabs, database: Database[Document]) -> None:
    page = signed_in(tabs.open(PHONE, "dark"), "merchandiser")
    page.goto(f"{LIST}upload/")
    assert overflow(page) == 0

    page.locator("#sheet-file").set_input_files(
        {"name": "фото.csv", "mimeType": "image/png", "buffer": b"\x89PNG\r\n\x1a\n\0\0"}
    )
    page.get_by_role("button", name="Проверить файл").press("Enter")

    expect(page.get_by_role("alert").filter(has_text="Это не таблица")).to_be_visible()
    assert overflow(page) == 0
    assert database["sheet_imports"].count_documents({}) == 0
    page.goto(f"{LIST}export/?category=audio")
    assert overflow(page) == 0
