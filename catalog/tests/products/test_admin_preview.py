"""The page that shows a product as the shop does, and answers why it is not visible."""

import re
from html import unescape
from typing import Any

import pytest
from bson import Decimal128
from django.test import Client
from pymongo.database import Database

from admin_ext.tests.people import in_english
from catalog.products.drafts import ImageDraft
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in

PAGE = "/admin/catalog/product/PROD-1/preview/"


@pytest.fixture
def merchandiser(shop: Database[Document]) -> Client:
    make_demo_accounts()
    upsert_product(draft(images=(ImageDraft("https://elsewhere.example/1.jpg", "вид"),)), actor=MARINA)
    return signed_in("merchandiser")


def text(page: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", str(page.content, "utf-8")))).replace("\xa0", " ")


def test_product_is_shown_as_the_shop_shows_it(merchandiser: Client) -> None:
    page = merchandiser.get(PAGE)
    shown = text(page)

    assert "Видно, и можно купить: Москва." in shown
    assert "Санкт-Петербург: остатка нет, купить нельзя." in shown
    assert "Звук Аудио Наушники Тишина PROD-1 3 990,00 ₽ 4 990,00 ₽ −20 %" in shown
    assert "Москва 10 шт. Санкт-Петербург нет" in shown
    assert "Цвет чёрный" in shown
    assert "Беспроводные наушники." in shown
    # The browser would be forbidden to load a picture from there.
    assert "elsewhere.example" not in str(page.content, "utf-8")


def test_everything_that_hides_it_is_told_and_leads_to_the_cure(merchandiser: Client, shop: Database[Document]) -> None:
    shop["categories"].update_one({"_id": "sound"}, {"$set": {"hidden": True}})
    shop["products"].update_one({"_id": "PROD-1"}, {"$set": {"withdrawn": True, "stock": []}})

    page = merchandiser.get(PAGE)
    shown = text(page)

    assert "Покупатели не видят этот товар." in shown
    assert "Товар снят с продажи." in shown
    assert "Категория «Звук» скрыта от покупателей" in shown
    assert "Остатка нет ни в одной геозоне." in shown
    assert "Так товар выглядел бы в магазине" in shown
    assert 'href="/admin/catalog/category/sound/change/"' in str(page.content, "utf-8")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"price": Decimal128("0.00")}, "У товара нет цены."),
        ({"stock": [{"geozone": "msk", "quantity": 4, "reserved": 4}]}, "Все 4 шт. зарезервированы за заказами."),
        (
            {
                "stock": [
                    {"geozone": "msk", "quantity": 4, "reserved": 4},
                    {"geozone": "spb", "quantity": 4, "reserved": 1},
                ]
            },
            "Москва: купить нельзя, все 4 шт. зарезервированы за заказами.",
        ),
        ({"unsynced.error": "NoHostAvailable"}, "Ошибка: NoHostAvailable"),
    ],
)
def test_each_reason_has_its_words(merchandiser: Client, shop: Database[Document], fields: Document, told: str) -> None:
    shop["products"].update_one({"_id": "PROD-1"}, {"$set": fields})

    assert told in text(merchandiser.get(PAGE))


def test_category_that_is_gone_is_told(merchandiser: Client, shop: Database[Document]) -> None:
    shop["categories"].delete_one({"_id": "audio"})

    assert "Категории «audio» больше нет" in text(merchandiser.get(PAGE))


def test_english_for_whoever_chose_it(merchandiser: Client) -> None:
    shown = text(in_english(merchandiser).get(PAGE))

    assert "Visible, and for sale: Москва." in shown
    assert "Why is it not visible?" in shown


def test_whoever_sees_products_sees_it_and_nobody_else(merchandiser: Client) -> None:
    assert signed_in("analyst").get(PAGE).status_code == 200
    assert signed_in("customer").get(PAGE).status_code == 302
    assert merchandiser.post(PAGE).status_code == 403
    assert merchandiser.get(PAGE.replace("PROD-1", "PROD-9")).status_code == 404
