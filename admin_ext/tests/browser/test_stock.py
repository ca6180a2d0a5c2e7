"""What a merchandiser does with the stock, as a person does it."""

from playwright.sync_api import Locator, Page, expect
from pymongo.database import Database

from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA
from gateway.mongo.client import Document
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in
from ordering.tests.payments_api import ordered
from ordering.tests.shop import reserved

SHEET = "/admin/stock/sheet/?category=audio"


def cell(page: Page, product: str, geozone: str = "msk") -> Locator:
    return page.locator(f'tr[data-product="{product}"] td:has(input[data-geozone="{geozone}"])')


def field(page: Page, product: str, geozone: str = "msk") -> Locator:
    return page.locator(f'tr[data-product="{product}"] input[data-geozone="{geozone}"]')


def test_cells_are_edited_by_keyboard_only(tabs: Tabs, database: Database[Document]) -> None:
    page = signed_in(tabs.open(), "merchandiser")
    page.goto(SHEET)

    page.locator("[name=stock_reason]").focus()
    page.keyboard.type("инвентаризация")
    page.keyboard.press("Enter")
    expect(field(page, "PROD-1")).to_be_focused()
    page.keyboard.type("12")
    page.keyboard.press("ArrowRight")
    expect(field(page, "PROD-1", "spb")).to_be_focused()
    page.keyboard.type("+4")
    page.keyboard.press("Enter")
    expect(field(page, "PROD-3", "spb")).to_be_focused()
    page.keyboard.type("77")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("6")
    page.keyboard.press("Enter")

    for product, geozone, quantity in (("PROD-1", "msk", 12), ("PROD-1", "spb", 4), ("PROD-3", "msk", 6)):
        expect(cell(page, product, geozone)).to_contain_text("сохранено")
        expect(field(page, product, geozone)).to_have_value(str(quantity))
        assert reserved(database, product, geozone) == (quantity, 0)
    expect(field(page, "PROD-3", "spb")).to_have_value("")
    reasons = {entry["reason"] for entry in database["audit"].find({"action": "stock.adjusted"})}
    assert reasons == {"инвентаризация"}


def test_two_tabs_on_one_cell_and_the_slower_chooses(tabs: Tabs, database: Database[Document]) -> None:
    ordered(("PROD-1", 2))
    page, other = (signed_in(tabs.open(), login) for login in ("merchandiser", "staff"))
    page.goto(SHEET)
    other.goto(SHEET)

    field(other, "PROD-1").fill("7")
    other.keyboard.press("Tab")
    expect(cell(other, "PROD-1")).to_contain_text("сохранено")
    field(page, "PROD-1").fill("12")
    page.keyboard.press("Tab")

    expect(cell(page, "PROD-1")).to_contain_text("стало 7 (было 10). Ваше: 12.")
    assert reserved(database, "PROD-1") == (7, 2)
    page.get_by_role("button", name="Записать 12").click()
    expect(cell(page, "PROD-1")).to_contain_text("сохранено")
    assert reserved(database, "PROD-1") == (12, 2)

    # The other one is overtaken now, and lets it be.
    field(other, "PROD-1").fill("1")
    other.keyboard.press("Tab")
    other.get_by_role("button", name="Оставить 12").click()
    expect(field(other, "PROD-1")).to_have_value("12")
    # Below what buyers have reserved nobody can count.
    field(other, "PROD-1").fill("1")
    other.keyboard.press("Tab")
    expect(cell(other, "PROD-1")).to_contain_text("зарезервировано 2")
    assert reserved(database, "PROD-1") == (12, 2)


def test_low_stock_leads_to_the_sheet_and_to_the_history(tabs: Tabs, database: Database[Document]) -> None:
    adjust_stock("PROD-1", "msk", quantity=0, actor=MARINA, reason="списание")
    page = signed_in(tabs.open(), "merchandiser")

    page.get_by_role("link", name="Мало на складе").first.click()
    expect(page.locator("#low-stock tbody tr")).to_have_count(1)
    page.locator("#to-sheet").click()
    field(page, "PROD-1").fill("9")
    page.keyboard.press("Enter")
    expect(cell(page, "PROD-1")).to_contain_text("сохранено")
    page.get_by_role("link", name="История").click()

    expect(page.locator("#stock-history tbody tr").first).to_contain_text("Лист остатков")
    expect(page.locator("#stock-history tbody tr")).to_have_count(3)
    page.goto("/admin/stock/low/")
    expect(page.locator("#nothing-low")).to_contain_text("Порог «мало» задаётся в карточке категории")


def test_stock_on_a_phone(tabs: Tabs, database: Database[Document]) -> None:
    page = signed_in(tabs.open(PHONE), "merchandiser")

    for address in ("/admin/stock/low/?level=low", SHEET, "/admin/stock/history/PROD-1/"):
        page.goto(address)
        assert overflow(page) == 0
    page.goto(SHEET)
    field(page, "PROD-1").fill("11")
    page.locator("[name=stock_reason]").focus()

    expect(cell(page, "PROD-1")).to_contain_text("сохранено")
    assert reserved(database, "PROD-1") == (11, 0)
