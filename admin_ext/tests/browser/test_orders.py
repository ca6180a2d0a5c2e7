"""What support does with an order all day, as a person does it."""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import Page, expect
from pymongo.database import Database

from admin_ext.tests.browser.orders import LIST, choose, expect_done, open_order, paid, send, to_pack
from gateway.mongo.client import Document
from gateway.tests.browser import PHONE, Tabs, overflow, signed_in
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Kind
from ordering.lifecycle.moves import expire_unpaid
from ordering.mail.delivery import send_due_mails
from ordering.tests.payments_api import all_orders, ordered, pay, stock, stored
from ordering.tests.postbox import Postbox
from ordering.tests.shop import reserved


def test_order_found_by_phone_is_cancelled_and_a_part_put_back(tabs: Tabs, database: Database[Document]) -> None:
    order = paid(("PROD-1", 3), amount="11970.00")
    page = signed_in(tabs.open(), "support")

    page.goto(LIST)
    page.locator("#searchbar").fill("8 999 123-45-67")
    page.keyboard.press("Enter")
    expect_done(page, order)
    choose(page, "cancel-paid")
    page.locator("#id_put_back_0").fill("1")
    page.locator("#id_reason").fill("Две пары с браком")
    page.locator("#id_reference").fill("re-77")
    send(page, "Отменить и вернуть деньги")

    expect_done(page, order)
    expect(page.locator("#order-money")).to_contain_text("11 970,00 ₽")
    expect(page.locator("#order-timeline")).to_contain_text("Две пары с браком")
    expect(page.locator("#action-cancel-paid")).to_have_count(0)
    assert stored(database, order)["status"] == "refunded"
    assert reserved(database, "PROD-1") == (8, 0)


def test_two_agents_refund_the_same_line_at_once_and_one_is_refused(tabs: Tabs, database: Database[Document]) -> None:
    order = paid(("PROD-1", 1), amount="3990.00")
    agents = {login: signed_in(tabs.open(), login) for login in ("support", "staff")}
    for login, page in agents.items():
        open_order(page, order)
        choose(page, "refund")
        page.locator("#id_quantity_0").fill("1")
        page.locator("#id_reason").fill(f"Вернул {login}")
        page.locator("#id_reference").fill(f"re-{login}")

    for page in agents.values():
        page.locator("#dialog-form").get_by_role("button", name="Вернуть деньги").click(no_wait_after=True)

    done = [login for login, page in agents.items() if _is_back(page)]
    (refused,) = agents.keys() - set(done)
    (refund,) = [entry for entry in ledger_of(stored(database, order)) if entry.kind is Kind.REFUND]
    assert done == [refund.reference.removeprefix("re-")]
    expect(agents[refused].locator("#id_reason")).to_have_value(f"Вернул {refused}")
    expect(agents[refused].locator("#id_reference")).to_have_value(f"re-{refused}")


def _is_back(page: Page) -> bool:
    """Whether the person is on the order's page; else on the form again, with what is wrong."""
    ended = page.locator("#order-lines, #dialog-form .errornote").first
    return bool(ended.evaluate("each => each.id === 'order-lines'"))


def test_refused_form_keeps_what_was_typed(tabs: Tabs, database: Database[Document]) -> None:
    order = paid(("PROD-1", 1), amount="3990.00")
    before = (all_orders(database), stock(database))
    page = signed_in(tabs.open(), "support")
    open_order(page, order)
    choose(page, "refund-amount")
    page.locator("#id_amount").fill("9 990,50")
    page.locator("#id_reason").fill("Задержка доставки")
    page.locator("#id_reference").fill("re-1")

    send(page, "Вернуть деньги")

    expect(page.locator("#dialog-form .errors").first).to_be_visible()
    expect(page.locator("#id_amount")).to_have_value("9 990,50")
    expect(page.locator("#id_reason")).to_have_value("Задержка доставки")
    expect(page.locator("#id_reference")).to_have_value("re-1")
    assert (all_orders(database), stock(database)) == before

    page.locator("#id_amount").fill("500")
    send(page, "Вернуть деньги")
    expect_done(page, order)
    expect(page.locator("#order-money")).to_contain_text("500,00 ₽")


def test_corrected_address_gets_the_letter_once_more(
    tabs: Tabs, database: Database[Document], postbox: Postbox
) -> None:
    postbox.refused.add("ivan@example.com")
    order = ordered()
    send_due_mails(order["_id"])
    page = signed_in(tabs.open(), "support")
    open_order(page, order)

    choose(page, "details")
    page.locator("#id_email").fill("ivan.right@example.com")
    page.locator("#id_reason").fill("Опечатка в адресе")
    send(page, "Сохранить")
    expect_done(page, order)
    expect(page.locator("#order-delivery")).to_contain_text("ivan.right@example.com")
    choose(page, "resend")
    send(page, "Отправить")
    expect_done(page, order)
    send_due_mails(order["_id"])

    assert {letter["To"] for letter in postbox.letters} == {"ivan.right@example.com"}
    page.reload()
    expect(page.locator("#order-timeline")).to_contain_text("ivan.right@example.com")


def test_late_payment_that_fits_no_more_is_settled(tabs: Tabs, database: Database[Document]) -> None:
    order = ordered(("PROD-2", 2))
    assert expire_unpaid(limit=10, now=datetime.now(UTC) + timedelta(hours=1)) == 1
    # Somebody else has bought the last ones meanwhile.
    database["products"].update_one({"_id": "PROD-2"}, {"$set": {"stock.0.quantity": 0}})
    pay(order, "99980.00")
    page = signed_in(tabs.open(), "support")

    page.goto(f"{LIST}?queue=to_refund")
    page.get_by_role("link", name=order["number"]).click()
    expect(page.locator("#order-money .is-due")).to_contain_text("99 980,00 ₽")
    choose(page, "settle")
    page.locator("#id_reference").fill("re-late")
    send(page, "Деньги отправлены")

    expect_done(page, order)
    expect(page.locator("#order-money .is-due")).to_have_count(0)
    expect(page.locator("#order-money")).to_contain_text("re-late")
    page.goto(f"{LIST}?queue=to_refund")
    expect(page.get_by_role("link", name=order["number"])).to_have_count(0)
    assert not stored(database, order)["to_refund"]


def test_phone_gives_the_packing_queue_to_packing(tabs: Tabs, database: Database[Document]) -> None:
    orders = to_pack(3)
    page = signed_in(tabs.open(PHONE), "support")

    page.get_by_text("menu", exact=True).click()
    page.get_by_role("link", name="Собрать").first.click()
    expect(page.locator("#result_list")).to_be_visible()
    assert overflow(page) == 0
    boxes = page.locator("#result_list input.action-select")
    expect(boxes).to_have_count(3)
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.locator("select[name=action]").select_option("processing")
    page.locator("#changelist-actions button[type=submit]").click()
    expect(page.get_by_text("2 из 2")).to_be_visible()
    assert overflow(page) == 0

    # The longest waiting stand first.
    assert [stored(database, each)["status"] for each in orders] == ["processing", "processing", "paid"]


def test_keyboard_alone_finds_an_order_and_adds_a_note(tabs: Tabs, database: Database[Document]) -> None:
    order = paid(("PROD-1", 1), amount="3990.00")
    page = signed_in(tabs.open(), "support")

    page.keyboard.press("/")
    expect(page.locator("#palette-input")).to_be_focused()
    page.keyboard.type(order["number"].replace("-", ""))
    page.keyboard.press("Enter")
    expect_done(page, order)
    for _ in range(80):
        if page.locator("#action-note:focus").count():
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#id_text")).to_be_focused()
    page.keyboard.type("Перезвонить после шести")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect_done(page, order)
    expect(page.locator("#order-timeline")).to_contain_text("Перезвонить после шести")
    assert [note["text"] for note in stored(database, order).get("notes") or ()] == ["Перезвонить после шести"]
