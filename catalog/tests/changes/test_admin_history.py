"""The history of a product: every change in words, and the way back, which can be gone back in turn."""

import re
from collections.abc import Callable
from functools import partial
from html import unescape
from typing import Any

import pytest
from bson import ObjectId
from django.contrib.auth.models import Permission
from django.test import Client
from pymongo.database import Database

from catalog.admin.product.history import PAGE_SIZE
from catalog.changes.batch import Wanted, change_product
from catalog.products.cards import ProductKey
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once

PRODUCT = "/admin/catalog/product/PROD-1/"
PAGE, TAKE_BACK = f"{PRODUCT}history/", f"{PRODUCT}take-back/"

NOTHING = "Это изменили позже, ничего не возвращено. {changes}."

change = partial(change_product, ProductKey("audio", "PROD-1"), actor=MARINA)


@pytest.fixture
def product(shop: Database[Document]) -> Callable[[], Any]:
    upsert_product(draft(), actor=MARINA)
    return lambda: shop["products"].find_one({"_id": "PROD-1"})


@pytest.fixture
def merchandiser(product: Callable[[], Any]) -> Client:
    make_demo_accounts()
    return signed_in("merchandiser")


@pytest.fixture
def counting(product: Callable[[], Any]) -> Client:
    """Somebody who may count the stock, and nothing else."""
    user = User.objects.create_user("stock@example.com", "x", is_staff=True)
    user.user_permissions.set(
        Permission.objects.filter(codename__in=["view_product", "change_stocklevel", "view_auditentry"])
    )
    browser = Client()
    browser.force_login(user)
    return browser


def latest(shop: Database[Document]) -> str:
    entry = shop["audit"].find_one({"target": "product:PROD-1"}, sort=[("at", -1), ("_id", -1)])
    assert entry is not None
    return str(entry["_id"])


def send(browser: Client, entry: str, key: str = "k1", **more: str) -> Any:
    return browser.post(TAKE_BACK, {"entry": entry, "key": key, **more}, follow=True)


def text(page: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", str(page.content, "utf-8")))).replace("\xa0", " ")


def told(page: Any) -> list[str]:
    return [str(message).replace("\xa0", " ") for message in page.context["messages"]]


def refused(page: Any) -> list[str]:
    return [error.replace("\xa0", " ") for error in page.context["form"].non_field_errors()]


def test_history_tells_each_value_old_and_new_who_and_from_where(merchandiser: Client) -> None:
    change(Wanted({"base_price": "5990.00", "attributes.Цвет": "белый", "withdrawn": True}), reason="сезон")

    page = text(merchandiser.get(PAGE))

    assert "цена 4 990,00 ₽ → 5 990,00 ₽" in page
    assert "характеристики (Цвет) чёрный → белый" in page
    assert "снят с продажи нет → да" in page
    assert "marina@mobile-world.example система" in page
    assert "Причина: сезон" in page


def test_history_goes_on_by_key_and_what_was_added_has_no_way_back(
    merchandiser: Client, shop: Database[Document]
) -> None:
    for number in range(PAGE_SIZE):
        change(Wanted({"name": f"Наушники {number}"}))

    first = str(merchandiser.get(PAGE).content, "utf-8")
    (older,) = re.findall(r'rel="next" href="([^"]+)"', first)
    with COMMANDS.counted() as sent:
        second = str(merchandiser.get(f"{PAGE}{unescape(older)}").content, "utf-8")

    assert (first.count("take-back/?entry="), second.count("take-back/?entry=")) == (PAGE_SIZE, 0)
    assert "добавлен товар PROD-1" in second
    assert {name.shards for name in sent if name.collection in ("audit", "products", "product_directory")} == {1}


def test_price_is_taken_back_and_that_is_taken_back_too(
    merchandiser: Client, shop: Database[Document], product: Callable[[], Any]
) -> None:
    change(Wanted({"base_price": "5990.00"}))
    entry = latest(shop)
    confirmed = text(merchandiser.get(f"{TAKE_BACK}?entry={entry}"))
    assert "цена 5 990,00 ₽ 4 990,00 ₽" in confirmed

    done = send(merchandiser, entry, reason="ошиблись")

    assert done.redirect_chain == [(PAGE, 302)]
    assert told(done) == ["Возвращено: цена 5 990,00 ₽ → 4 990,00 ₽."]
    assert str(product()["price"]) == "3990.00"
    assert str(product()["prices"]["base"]) == "4990.00"
    undo = shop["audit"].find_one({"_id": ObjectId(latest(shop))}) or {}
    assert (undo["actor"], undo["source"]) == ("merchandiser@mobile-world.example", "admin")
    assert re.fullmatch(r"возврат изменения от \d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d МСК: ошиблись", undo["reason"])

    send(merchandiser, str(undo["_id"]), key="k2")

    assert str(product()["prices"]["base"]) == "5990.00"
    assert_whole(shop)


@pytest.mark.parametrize(
    "values",
    [
        {"name": "Наушники Шум"},
        {"description": "Другое."},
        {"withdrawn": True},
        {"sale_price": None},
        {"attributes.Цвет": "белый", "attributes.Вес": "100 г"},
        {"images": [{"url": "/static/a.svg", "alt": "вид"}]},
    ],
    ids=lambda values: next(iter(values)),
)
def test_every_kind_of_value_comes_back(
    merchandiser: Client, shop: Database[Document], product: Callable[[], Any], values: Any
) -> None:
    before = product()
    change(Wanted(values))
    kept = ("name", "description", "withdrawn", "prices", "attributes", "images")
    assert {field: product()[field] for field in kept} != {field: before[field] for field in kept}

    send(merchandiser, latest(shop))

    assert {field: product()[field] for field in kept} == {field: before[field] for field in kept}


def test_images_in_another_order_are_told_so(merchandiser: Client) -> None:
    first, second = {"url": "/static/a.svg", "alt": ""}, {"url": "/static/b.svg", "alt": ""}
    change(Wanted({"images": [first, second]}))
    change(Wanted({"images": [second, first]}))

    assert "изображения 2 шт. → 2 шт., другие или в другом порядке" in text(merchandiser.get(PAGE))


def test_what_was_changed_since_stays_with_both_values_shown(
    merchandiser: Client, shop: Database[Document], product: Callable[[], Any]
) -> None:
    change(Wanted({"base_price": "5990.00", "name": "Наушники Шум"}))
    entry = latest(shop)
    change(Wanted({"base_price": "6990.00"}))
    confirmed = text(merchandiser.get(f"{TAKE_BACK}?entry={entry}"))
    assert "название Наушники Шум Наушники Тишина" in confirmed
    assert "цена 5 990,00 ₽ 6 990,00 ₽" in confirmed

    done = send(merchandiser, entry)

    (message,) = told(done)
    assert message == (
        "Возвращено: название Наушники Шум → Наушники Тишина. "
        "Оставлено как есть: цена: было изменено на 5 990,00 ₽, сейчас 6 990,00 ₽."
    )
    assert (product()["name"], str(product()["prices"]["base"])) == ("Наушники Тишина", "6990.00")


def test_colleague_who_was_faster_is_told_and_nothing_changes(merchandiser: Client, shop: Database[Document]) -> None:
    change(Wanted({"base_price": "5990.00"}))
    entry = latest(shop)
    assert "Вернётся" in text(merchandiser.get(f"{TAKE_BACK}?entry={entry}"))
    change(Wanted({"base_price": "6990.00"}))
    before = everything(shop)

    page = send(merchandiser, entry)

    assert refused(page) == [NOTHING.format(changes="цена: было изменено на 5 990,00 ₽, сейчас 6 990,00 ₽")]
    assert 'name="_save"' not in text(page)
    assert everything(shop) == before


def test_what_is_back_already_is_told_and_nothing_changes(merchandiser: Client, shop: Database[Document]) -> None:
    change(Wanted({"base_price": "5990.00"}))
    entry = latest(shop)
    send(merchandiser, entry)
    before = everything(shop)

    confirmed, page = merchandiser.get(f"{TAKE_BACK}?entry={entry}"), send(merchandiser, entry, key="k2")

    assert "Всё уже так, как было до этого изменения." in text(confirmed)
    assert refused(page) == ["Всё уже так, как было до этого изменения."]
    assert everything(shop) == before


def test_stock_never_comes_back_below_what_is_reserved(merchandiser: Client, shop: Database[Document]) -> None:
    adjust_stock("PROD-1", "msk", delta=5, actor=MARINA, reason="приход")
    shop["products"].update_one({"_id": "PROD-1"}, {"$set": {"stock.0.reserved": 12}})
    entry, before = latest(shop), everything(shop)

    confirmed, page = merchandiser.get(f"{TAKE_BACK}?entry={entry}"), send(merchandiser, entry)

    why = "Нельзя меньше, чем в резерве: зарезервировано 12, получилось бы 10."
    assert why in text(confirmed)
    assert refused(page) == [why]
    assert everything(shop) == before


def test_stock_comes_back_as_pieces_once_however_often_it_is_sent(
    merchandiser: Client, shop: Database[Document], product: Callable[[], Any]
) -> None:
    adjust_stock("PROD-1", "msk", delta=5, actor=MARINA, reason="приход")
    entry = latest(shop)
    shop["products"].update_one({"_id": "PROD-1"}, {"$inc": {"stock.0.quantity": -3}})

    answers = at_once(*[lambda: send(merchandiser, entry)] * 3)
    again = send(merchandiser, entry, key="k2")

    assert [answer.redirect_chain for answer in answers] == [[(PAGE, 302)]] * 3
    assert product()["stock"] == [{"geozone": "msk", "quantity": 7, "reserved": 0}]
    assert shop["audit"].count_documents({"target": "product:PROD-1"}) == 3
    assert refused(again) == [
        "Это изменили позже, ничего не возвращено. остаток (Москва): было изменено на 15, сейчас 7."
    ]


def test_whoever_counts_the_stock_takes_back_only_that(
    counting: Client, shop: Database[Document], product: Callable[[], Any]
) -> None:
    change(Wanted({"base_price": "5990.00"}))
    price = latest(shop)
    adjust_stock("PROD-1", "msk", delta=5, actor=MARINA, reason="приход")
    stock = latest(shop)

    shown = str(counting.get(PAGE).content, "utf-8")
    refusal, done = send(counting, price), send(counting, stock, key="k2")

    assert re.findall(r"take-back/\?entry=(\w+)", shown) == [stock]
    assert refusal.status_code == 403
    assert done.redirect_chain == [(PAGE, 302)]
    assert (str(product()["prices"]["base"]), product()["stock"][0]["quantity"]) == ("5990.00", 10)


def test_support_reads_and_takes_nothing_back(merchandiser: Client, shop: Database[Document]) -> None:
    change(Wanted({"base_price": "5990.00"}))
    before, support = everything(shop), signed_in("support")

    page = support.get(PAGE)

    assert "цена 4 990,00 ₽ → 5 990,00 ₽" in text(page)
    assert "take-back" not in str(page.content, "utf-8")
    assert send(support, latest(shop)).status_code == 403
    assert signed_in("analyst").get(PAGE).status_code == 403
    assert everything(shop) == before


def test_change_of_another_product_or_none_is_not_found(merchandiser: Client, shop: Database[Document]) -> None:
    upsert_product(draft(product_id="PROD-2"), actor=MARINA)
    change_product(ProductKey("audio", "PROD-2"), Wanted({"name": "Другие"}), actor=MARINA)
    other = shop["audit"].find_one({"target": "product:PROD-2", "action": "product.changed"}) or {}
    before = everything(shop)

    statuses = [send(merchandiser, entry).status_code for entry in (str(other["_id"]), str(ObjectId()), "x", "")]

    assert statuses == [404] * 4
    assert send(merchandiser, latest(shop)).status_code == 404
    assert everything(shop) == before
