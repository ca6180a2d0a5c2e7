"""The page of an order: everything that support needs to know of it, in words, at a steady price."""

from datetime import UTC, datetime, timedelta

from django.test import Client
from django.utils.translation import override
from pymongo.database import Database

from gateway.accounts.roles import OPERATORS
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from ordering.admin.page_words import page_words
from ordering.admin.words import event_words
from ordering.documents import OrderDocument
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.payments.refunds import Refunding, refund_order
from ordering.tests.admin.desk import page_of, sent, shown, staff_of
from ordering.tests.bulk import copies
from ordering.tests.copies import archive, days_ago, placed, some_customer
from ordering.tests.payments_api import pay
from ordering.tests.staff import MARINA


def test_page_shows_all_of_the_order(agent: Client, unpaid: OrderDocument) -> None:
    pay(unpaid, amount="8000.00", reference="pay-<1>")
    wanted = Refunding((RefundLine("PROD-1", 1),), "брак", Reference("ref-1"), put_back={}, actor=MARINA)
    refund_order(unpaid["_id"], wanted)

    page = shown(agent, page_of(unpaid["_id"]))

    for text in (
        unpaid["number"],
        "оплачен",
        "Москва",
        "Наушники Тишина PROD-1 3 990,00 ₽ 2 1 7 980,00 ₽",
        "Сумма 7 980,00 ₽ Оплачено 7 980,00 ₽ Возвращено 3 990,00 ₽ Вернуть 20,00 ₽",
        "платёж проведено 8 000,00 ₽ pay-<1> платёжная система",
        "лишнее вернуть Отметить выплату 20,00 ₽ pay-<1>",
        "возврат проведено 3 990,00 ₽ ref-1 marina",
        "Получатель Иван Покупатель Телефон +7 (999) 123-45-67 E-mail ivan@example.com",
        "Адрес 101000, Москва, Тверская, 1",
        "Заказ оформлен",
        "Заказ оплачен 8 000,00 ₽ pay-<1>",
        "Возврат 3 990,00 ₽ брак",
        "Других заказов нет.",
        "Версия 3",
    ):
        assert text in page


def test_page_links_to_the_product_and_shows_its_picture(agent: Client, unpaid: OrderDocument) -> None:
    page = agent.get(page_of(unpaid["_id"])).content.decode()

    assert 'href="/admin/catalog/product/PROD-1/change/"' in page
    assert 'src="/images/PROD-1.svg"' in page


def test_reservation_says_how_long_it_lasts(agent: Client, unpaid: OrderDocument, orders: Database[Document]) -> None:
    until = datetime.now(UTC) + timedelta(minutes=12, seconds=30)
    orders["orders"].update_one({"_id": unpaid["_id"]}, {"$set": {"reserved_until": until}})

    assert "(осталось 12 мин)" in shown(agent, page_of(unpaid["_id"]))


def test_timeline_tells_of_moves_money_letters_notes_and_edits_in_order(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    pay(unpaid)
    details = {**unpaid["contact"], **unpaid["shipping_address"], "phone": "+7 999 000-00-00", "reason": "ошиблась"}
    assert sent(agent, unpaid["_id"], "details", **details) == {}
    assert sent(agent, unpaid["_id"], "note", text="Просила позвонить, @support") == {}
    assert sent(agent, unpaid["_id"], "pack", note="") == {}
    stored = orders["orders"].find_one({"_id": unpaid["_id"]})
    assert stored is not None
    given_up = [{**letter, "state": "given_up"} for letter in stored["letters"]]
    orders["orders"].update_one({"_id": unpaid["_id"]}, {"$set": {"letters": given_up}})

    page = agent.get(page_of(unpaid["_id"]))

    told = [(line.title, line.actor) for line in page.context["timeline"] if line.icon != "mail"]
    assert told == [
        ("Заказ оформлен", "покупатель"),
        ("Заказ оплачен", "платёжная система"),
        ("Изменены данные получателя", "Сергей Поддержкин"),
        ("Заметка", "Сергей Поддержкин"),
        ("Передан в сборку", "Сергей Поддержкин"),
    ]
    (edit,) = [line for line in page.context["timeline"] if line.title == "Изменены данные получателя"]
    assert list(edit.details) == ["телефон: •••67 → •••00", "ошиблась"]
    letters = [(line.title, line.label.text) for line in page.context["timeline"] if line.icon == "mail"]
    assert ("Письмо: Заказ оплачен", "не ушло") in letters
    assert "?event=" in page.content.decode()


def test_other_orders_of_the_same_people_are_shown(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    others = copies(orders, unpaid, 12)

    page = agent.get(page_of(unpaid["_id"]))

    related = page.context["related"]
    assert [other.url for other in related] == [page_of(each) for each in others[:10]]
    assert related[0].by == "покупатель, e-mail, телефон"
    assert page.context["buyer"].orders == "13"


def test_contacts_are_masked_everywhere_on_the_page(agent: Client, unpaid: OrderDocument) -> None:
    pay(unpaid)

    page = staff_of(OPERATORS).get(page_of(unpaid["_id"])).content.decode()

    assert "i•••@example.com" in page
    assert "ivan@example.com" not in page
    assert "123-45-67" not in page


def test_archived_order_is_shown_as_it_is(
    patient: None, agent: Client, orders: Database[Document], like: OrderDocument
) -> None:
    (old,) = placed(orders, like, *days_ago(500), owner=some_customer())
    archive(orders, [old])

    page = agent.get(page_of(old))

    assert page.status_code == 200
    text = page.content.decode()
    assert "Заказ в архиве: он показан как есть, изменить его нельзя." in text
    assert "Наушники Тишина" in text
    assert page.context["buttons"] == []
    assert [line.title for line in page.context["timeline"]] == [
        "Заказ оформлен",
        "Заказ оплачен",
        "Отправлен",
        "Доставлен",
    ]
    assert agent.get(f"/admin/ordering/order/{old}/note/").status_code == 404


def test_copy_that_lags_says_since_when_and_why(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    since = datetime(2026, 3, 1, 9, tzinfo=UTC)
    marks = {"since": since, "due": since, "failures": 3, "error": "NoHostAvailable: gone"}
    orders["orders"].update_one({"_id": unpaid["_id"]}, {"$set": {"unsynced": marks, "synced_version": 0}})

    page = agent.get(page_of(unpaid["_id"]))

    assert page.context["copy"].error == "NoHostAvailable: gone"
    assert "01.03.2026" in page.context["copy"].behind_since


def test_page_costs_the_same_however_much_there_is(
    agent: Client, unpaid: OrderDocument, orders: Database[Document]
) -> None:
    agent.get(page_of(unpaid["_id"]))
    before = COMMANDS.totals()
    agent.get(page_of(unpaid["_id"]))
    plain = COMMANDS.totals() - before
    for number in range(5):
        assert sent(agent, unpaid["_id"], "note", text=f"{number}") == {}
    copies(orders, unpaid, 20)
    agent.get(page_of(unpaid["_id"]))
    before = COMMANDS.totals()
    agent.get(page_of(unpaid["_id"]))

    # One more: the names of those who wrote the notes.
    assert (COMMANDS.totals() - before).total() <= plain.total() + 1
    assert sum(number for sent_, number in plain.items() if sent_.collection == "orders") == 3


def test_pages_speak_english_too() -> None:
    with override("en"):
        assert page_words()["timeline"] == "Timeline"
        assert event_words("moved", "shipped") == "Shipped"
