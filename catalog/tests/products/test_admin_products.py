"""Products in the admin: edited through the domain, never over somebody else's change, never by loading them all."""

import json
import re
from html import unescape
from typing import Any, cast

import pytest
from bson import Decimal128
from django.test import Client
from pymongo.database import Database

from catalog.documents import ProductDocument
from catalog.products.upsert import edition_of, upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.staff.tests.browser import signed_in

LIST = "/admin/catalog/product/"
ADD = f"{LIST}add/"
CHANGE = f"{LIST}PROD-1/change/"


@pytest.fixture
def merchandiser(shop: Database[Document]) -> Client:
    make_demo_accounts()
    return signed_in("merchandiser")


@pytest.fixture
def product(shop: Database[Document]) -> Document:
    return {**upsert_product(draft(), actor=MARINA).document}


def text(page: Any) -> str:
    return unescape(str(page.content, "utf-8"))


def found_in(page: Any) -> list[str]:
    """Ids of the products that the list shows."""
    return re.findall(r"/admin/catalog/product/([A-Z0-9-]+)/change/", text(page))


def form(document: Document | None = None, **changes: str) -> dict[str, str]:
    """What a browser sends after opening the form of this product."""
    quantities = {level["geozone"]: level["quantity"] for level in (document or {}).get("stock", ())}
    filled = {
        "name": "Наушники Тишина",
        "category": "audio",
        "base_price": "4990.00",
        "sale_price": "3990.00",
        "description": "Беспроводные наушники.",
        "attributes": "Цвет = чёрный",
        "images": "",
        "reason": "",
        "seen": json.dumps([edition_of(cast("ProductDocument", document)), quantities]) if document else "",
        **{f"stock_{code}": str(quantity) for code, quantity in quantities.items()},
    }
    return {**filled, **changes}


def test_form_shows_the_product_and_what_is_reserved(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    shop["products"].update_one({"_id": "PROD-1", "category": "audio"}, {"$set": {"stock.0.reserved": 4}})

    page = text(merchandiser.get(CHANGE))

    assert "Цвет = чёрный" in page
    assert "в резерве 4" in page
    assert "Звук / Аудио" in page
    assert re.search(r'name="stock_msk" value="10"', page)
    assert edition_of(cast("ProductDocument", product)) in page


def test_new_product_is_made_with_its_audit(merchandiser: Client, shop: Database[Document]) -> None:
    saved = merchandiser.post(ADD, form(product_id="PROD-7", stock_msk="3", images="/1.svg Спереди", reason="новинка"))

    assert (saved.status_code, text(saved)) == (302, "")
    product = shop["products"].find_one({"_id": "PROD-7"})
    assert product is not None
    assert product["price"] == Decimal128("3990.00")
    assert product["attributes"] == {"Цвет": "чёрный"}
    assert product["images"] == [{"url": "/1.svg", "alt": "Спереди"}]
    assert product["stock"] == [{"geozone": "msk", "quantity": 3, "reserved": 0}]
    assert_whole(shop)
    entry = shop["audit"].find_one()
    assert entry is not None
    assert (entry["actor"], entry["reason"]) == ("merchandiser@mobile-world.example", "новинка")


def test_edit_keeps_what_sells_meanwhile(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    adjust_stock("PROD-1", "msk", delta=-3, reason="продажи", actor=MARINA)

    saved = merchandiser.post(CHANGE, form(product, name="Наушники Шум", stock_spb="5", sale_price=""))

    assert saved.status_code == 302
    changed = shop["products"].find_one({"_id": "PROD-1"})
    assert changed is not None
    assert changed["name"] == "Наушники Шум"
    assert changed["prices"] == {"base": Decimal128("4990.00"), "sale": None}
    assert [(level["geozone"], level["quantity"]) for level in changed["stock"]] == [("msk", 7), ("spb", 5)]


def test_move_to_another_category(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    assert merchandiser.post(CHANGE, form(product, category="video")).status_code == 302

    assert shop["products"].find_one({"category": "video", "_id": "PROD-1"}) is not None
    assert_whole(shop)
    assert merchandiser.get(CHANGE).status_code == 200


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "Обязательное поле"),
        ({"base_price": "0"}, "Цена больше нуля"),
        ({"base_price": "много"}, "Укажите сумму цифрами"),
        ({"sale_price": "5000"}, "должна быть ниже обычной"),
        ({"attributes": "Цвет = чёрный\n\na.b = 1"}, "«a.b = 1»: Название характеристики"),
        ({"attributes": "Цвет"}, "«Цвет»: Обязательное поле"),
        ({"images": "ftp://x"}, "«ftp://x»: Адрес изображения"),
        ({"stock_msk": "-1"}, "больше либо равно 0"),
        ({"stock_msk": "2"}, "зарезервировано 4, получилось бы 2"),
        ({"category": "sound"}, "Выберите корректный вариант"),
        ({"seen": "nonsense"}, "изменил кто-то другой"),
        ({"seen": '["x", ["y"]]'}, "изменил кто-то другой"),
    ],
)
def test_bad_input_is_explained_kept_in_the_form_and_changes_nothing(
    merchandiser: Client, product: Document, shop: Database[Document], changes: dict[str, str], message: str
) -> None:
    shop["products"].update_one({"_id": "PROD-1", "category": "audio"}, {"$set": {"stock.0.reserved": 4}})
    before = everything(shop)

    page = merchandiser.post(CHANGE, form(product, **{"description": "Долго писал этот текст.", **changes}))

    assert page.status_code == 200
    assert message in text(page)
    assert "Долго писал этот текст." in text(page)
    assert everything(shop) == before


def test_change_over_somebody_elses_is_refused(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    upsert_product(draft(name="Чужая правка"), actor=MARINA)
    before = everything(shop)

    page = merchandiser.post(CHANGE, form(product, name="Моя правка"))

    assert "изменил кто-то другой" in text(page)
    assert "Моя правка" in text(page)
    assert everything(shop) == before


def test_id_that_is_taken_is_refused(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    before = everything(shop)

    page = merchandiser.post(ADD, form(product_id="PROD-1", category="video"))

    assert "Товар с артикулом PROD-1 уже есть" in text(page)
    assert everything(shop) == before


def test_product_is_withdrawn_never_deleted(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    assert merchandiser.post(f"{LIST}PROD-1/delete/", {"post": "yes"}).status_code == 403
    assert merchandiser.post(CHANGE, form(product, withdrawn="on")).status_code == 302

    withdrawn = shop["products"].find_one({"_id": "PROD-1"})
    assert withdrawn is not None
    assert withdrawn["withdrawn"] is True


def test_support_sees_but_does_not_change(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    support = signed_in("support")
    before = everything(shop)

    page = text(support.get(CHANGE))
    assert "Цвет: чёрный" in page
    assert "msk: 10, в резерве 0" in page
    assert support.post(CHANGE, form(product, name="Взлом")).status_code == 403
    assert support.post(ADD, form(product_id="PROD-9")).status_code == 403
    assert everything(shop) == before


def test_history_is_the_audit(merchandiser: Client, product: Document) -> None:
    merchandiser.post(CHANGE, form(product, name="Наушники Шум", reason="опечатка"))

    page = text(merchandiser.get(f"{LIST}PROD-1/history/", follow=True))

    assert "<del>Наушники Тишина</del> → <ins>Наушники Шум</ins>" in page
    assert "опечатка" in page
    assert "merchandiser@mobile-world.example" in page


def test_audit_cannot_be_changed(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    entry = shop["audit"].find_one()
    assert entry is not None
    staff = signed_in("staff")

    assert staff.get(f"/admin/audit/auditentry/{entry['_id']}/change/", follow=True).status_code == 200
    assert staff.post(f"/admin/audit/auditentry/{entry['_id']}/change/", {"reason": "x"}).status_code == 403
    assert staff.post(f"/admin/audit/auditentry/{entry['_id']}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize(
    ("query", "found"),
    [("PROD-1", ["PROD-1"]), ("prod-1", ["PROD-1"]), ("наушник", ["PROD-1"]), ("самовар", []), ("PROD-404", [])],
)
def test_search_by_id_or_words(merchandiser: Client, product: Document, query: str, found: list[str]) -> None:
    upsert_product(draft(product_id="OTHER", name="Колонка", description="Громкая."), actor=MARINA)

    assert found_in(merchandiser.get(LIST, {"q": query})) == found


def test_withdrawn_product_is_found_by_its_words_and_by_the_filter(merchandiser: Client, product: Document) -> None:
    upsert_product(draft(withdrawn=True), actor=MARINA)

    for query in ({"q": "тишина"}, {"state": "withdrawn"}):
        assert found_in(merchandiser.get(LIST, query)) == ["PROD-1"]
    assert found_in(merchandiser.get(LIST, {"state": "on_sale"})) == []


def test_list_is_filtered_by_category(merchandiser: Client, product: Document) -> None:
    upsert_product(draft(product_id="OTHER", category="video"), actor=MARINA)

    assert found_in(merchandiser.get(LIST, {"category": "video"})) == ["OTHER"]


def test_list_neither_loads_nor_counts_the_collection(merchandiser: Client, product: Document) -> None:
    with COMMANDS.counted() as sent:
        merchandiser.get(LIST)

    about_products = {name: count for name, count in sent.items() if name.collection == "products"}
    assert [(name.command, count) for name, count in about_products.items()] == [("find", 1)]


def test_product_is_opened_by_targeted_reads(merchandiser: Client, product: Document) -> None:
    with COMMANDS.counted() as sent:
        merchandiser.get(CHANGE)

    assert {name.shards for name in sent if name.collection in {"products", "product_directory"}} == {1}
