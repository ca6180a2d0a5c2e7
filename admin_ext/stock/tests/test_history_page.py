"""The page of a product's history: in words, with whoever did it, for those who may read about them."""

import pytest
from django.test import Client
from pymongo.database import Database

from admin_ext.stock import history
from admin_ext.tests.people import in_english, member
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, draft
from gateway.accounts.roles import ANALYSTS, MERCHANDISERS, SUPPORT
from gateway.audit.trail import Source
from gateway.mongo.client import Document
from ordering.events import BY_BUYER
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.tests.payments_api import ordered, pay

PAGE = "/admin/stock/history/PROD-1/"


def rows(browser: Client, query: str = "") -> list[tuple[str, str, str, str]]:
    """Geozone, what, by how much, and what it became."""
    shown = browser.get(PAGE + query).context["rows"]
    return [(row.geozone, row.what, row.change, row.left) for row in shown]


def test_every_kind_of_change_is_told_in_words(stocked: Database[Document]) -> None:
    pay(ordered(("PROD-1", 2)))
    unpaid = ordered(("PROD-1", 1))
    move_order(unpaid["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
    adjust_stock("PROD-1", "msk", delta=5, actor=MARINA, reason="поставка")
    upsert_product(draft(stock=(StockDraft("spb", 3),)), actor=MARINA._replace(source=Source.IMPORT))

    assert rows(member(MERCHANDISERS)) == [
        ("Санкт-Петербург", "Загрузка", "+3", "3"),
        ("Москва", "Корректировка", "+5", "13"),
        ("Москва", "Резерв снят: отмена, истечение или перенос", "резерв −1", "8"),
        ("Москва", "Продажа", "−2", "8"),
        ("Москва", "Товар заведён", "+10", "10"),
    ]


def test_orders_and_people_are_links_for_those_who_may_open_them(stocked: Database[Document]) -> None:
    order = pay(ordered(("PROD-1", 2)))
    adjust_stock("PROD-1", "msk", delta=5, actor=MARINA, reason="поставка")

    adjusted, sold, _ = member(SUPPORT).get(PAGE).context["rows"]
    of_analyst, sold_of_analyst, _ = member(ANALYSTS).get(PAGE).context["rows"]

    assert (adjusted.who, adjusted.reason) == ("marina@mobile-world.example", "поставка")
    assert "" not in (adjusted.who_url, adjusted.step_url)
    assert (sold.who, sold.who_url) == (
        f"Заказ {order['number']}",
        f"/admin/ordering/order/{order['_id']}/change/",
    )
    assert (of_analyst.who_url, of_analyst.step_url) == ("", "")
    assert sold_of_analyst.who_url == sold.who_url


def test_page_says_from_when_on_orders_are_told(stocked: Database[Document]) -> None:
    begins = member(ANALYSTS).get(PAGE).context["begins"]

    assert "ведётся с первой оплаты и хранит 400 дней" in begins


def test_pages_lead_back_in_time(stocked: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    for each in range(3):
        adjust_stock("PROD-1", "msk", delta=1, actor=MARINA, reason=f"поставка {each}")
    monkeypatch.setattr(history, "PAGE_SIZE", 2)
    marina = member(MERCHANDISERS)

    first = marina.get(PAGE)

    assert rows(marina) == [("Москва", "Корректировка", "+1", "13"), ("Москва", "Корректировка", "+1", "12")]
    assert rows(marina, first.context["earlier_url"]) == [
        ("Москва", "Корректировка", "+1", "11"),
        ("Москва", "Товар заведён", "+10", "10"),
    ]


def test_product_without_a_history_says_so_and_one_that_is_not_there_is_not_found(stocked: Database[Document]) -> None:
    marina = member(MERCHANDISERS)

    assert "Остаток этого товара ещё никто не менял." in marina.get("/admin/stock/history/PROD-3/").content.decode()
    assert marina.get("/admin/stock/history/PROD-9/").status_code == 404


def test_page_in_english(stocked: Database[Document]) -> None:
    page = in_english(member(MERCHANDISERS)).get(PAGE)

    assert [row.what for row in page.context["rows"]] == ["Product added"]
