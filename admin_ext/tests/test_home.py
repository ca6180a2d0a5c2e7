"""The home page: what waits for a role, for how long, and some figures."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from bson import Decimal128
from django.test import Client
from pymongo.database import Database

from admin_ext.home import Card, Desk
from admin_ext.tests.people import in_english, member
from gateway.accounts.roles import ADMINISTRATORS, ANALYSTS, MERCHANDISERS, OPERATORS, SUPPORT
from gateway.mongo.client import Document
from ordering.reading.queues import STRAY, TO_PACK
from ordering.tests.bulk import copies


def desk(browser: Client) -> Desk:
    shown: Desk = browser.get("/admin/").context["desk"]
    return shown


def values(cards: list[Card]) -> dict[str, str]:
    return {card.title: card.value for card in cards}


@pytest.fixture
def yesterday(database: Database[Document]) -> None:
    """Ten carts of two geozones, four of them abandoned, worth 25 990,50 ₽."""
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    for geozone, abandoned, lost in (("msk", 3, "20000.50"), ("spb", 1, "5990.00")):
        figures = {"carts": 5, "abandoned": abandoned, "ordered": 1, "lost_value": Decimal128(Decimal(lost))}
        database["abandoned_cart_days"].insert_one(
            {"_id": f"{day:%Y-%m-%d}:{geozone}", "day": day, "geozone": geozone, **figures, "computed_at": day}
        )


def test_support_sees_what_waits_and_since_when(waiting_orders: Database[Document]) -> None:
    shown = desk(member(SUPPORT))

    assert values(shown.waiting) == {
        "Собрать": "2",
        "Отправить": "3",
        "Вернуть деньги": "1",
        "Деньги без заказа": "1",
        "Письма не ушли": "1",
        "Cassandra отстаёт": "2",
    }
    assert [card.title for card in shown.empty] == ["Скоро истечёт резерв", "Расхождения резервов"]
    notes = {card.title: card.note for card in shown.waiting}
    assert notes["Деньги без заказа"] == "дольше всех ждёт 2 дн."
    assert notes["Cassandra отстаёт"] == "дольше всех ждёт 3 ч"
    assert {card.title: card.link for card in shown.waiting}["Собрать"] == TO_PACK.url


def test_page_shows_the_cards_with_their_links(waiting_orders: Database[Document]) -> None:
    page = member(SUPPORT).get("/admin/").content.decode()

    assert STRAY.url in page
    assert "дольше всех ждёт 2 дн." in page
    assert "Всё разобрано" not in page


def test_reservation_that_ends_says_when(waiting_orders: Database[Document]) -> None:
    order = waiting_orders["orders"].find_one({"status": "paid"}) or {}
    copies(waiting_orders, order, 1, status="new", reserved_until=datetime.now(UTC) + timedelta(minutes=5, seconds=30))

    (card,) = [card for card in desk(member(SUPPORT)).waiting if card.title == "Скоро истечёт резерв"]

    assert (card.value, card.note) == ("1", "ближайший истекает через 5 мин")


def test_nothing_waits(database: Database[Document]) -> None:
    browser = member(SUPPORT)

    assert desk(browser).waiting == []
    assert "Всё разобрано" in browser.get("/admin/").content.decode()


def test_operators_see_the_machines_and_nobody_elses_work(waiting_orders: Database[Document]) -> None:
    waiting_orders["stock_findings"].insert_one({"_id": "PROD-1:msk", "product_id": "PROD-1", "geozone": "msk"})

    shown = desk(member(OPERATORS))

    assert values(shown.waiting) == {"Cassandra отстаёт": "2", "Расхождения резервов": "1"}
    assert shown.empty == []


def test_analysts_see_the_carts_of_yesterday(yesterday: None) -> None:
    shown = desk(member(ANALYSTS))

    assert not shown.has_work
    assert [(card.title, card.value, card.note) for card in shown.figures] == [
        ("Брошенные корзины вчера", "4", "из 10, потеряно 25 990,50 ₽")
    ]


def test_merchandisers_see_what_is_withdrawn_too(stocked: Database[Document], yesterday: None) -> None:
    stocked["products"].update_one({"_id": "PROD-1"}, {"$set": {"withdrawn": True}})
    browser = member(MERCHANDISERS)

    shown = desk(browser)

    figures = {"Брошенные корзины вчера": "4", "Мало на складе": "1", "Товары, снятые с продажи": "1"}
    assert values(shown.figures) == figures
    (withdrawn,) = [card for card in shown.figures if card.title == "Товары, снятые с продажи"]
    listed = browser.get(withdrawn.link).context["cl"].result_list
    assert [product.id for product in listed] == ["PROD-1"]


def test_who_may_do_nothing_sees_nothing_and_no_error(database: Database[Document]) -> None:
    page = member(None).get("/admin/")

    assert page.status_code == 200
    assert page.context["desk"] == Desk(waiting=[], empty=[], figures=[], has_work=False, boards=[])
    assert "Здесь пока нечего показать." in page.content.decode()


def test_home_is_english_for_those_who_chose_it(waiting_orders: Database[Document]) -> None:
    browser = in_english(member(ADMINISTRATORS))

    assert values(desk(browser).waiting)["To pack"] == "2"
    assert "longest waits 2 d" in browser.get("/admin/").content.decode()
