"""Products in the admin: edited through the domain, never over somebody else's change, never by loading them all."""

import re
from decimal import Decimal
from html import unescape
from typing import Any, cast

import pytest
from bson import Decimal128
from django.test import Client
from pymongo.database import Database

from catalog.admin.product_form import form as product_form
from catalog.changes.values import values_of
from catalog.documents import ProductDocument
from catalog.products.drafts import AttributeDraft, ImageDraft, StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.staff.merging import seen_text
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once, just_before

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


def rows(attributes: str = "", images: str = "") -> dict[str, Any]:
    """What a browser sends of attributes, «Цвет = чёрный» in each line, and of images, address and description."""
    names = [line.partition("=") for line in attributes.split("\n")]
    addresses = [line.partition(" ") for line in images.split("\n")]
    return {
        "attributes_name": [name for name, _, _ in names],
        "attributes_value": [value for _, _, value in names],
        "images_url": [url for url, _, _ in addresses],
        "images_alt": [alt for _, _, alt in addresses],
    }


def form(
    document: Document | None = None, *, attributes: str = "Цвет = чёрный", images: str = "", **changes: Any
) -> dict[str, Any]:
    """What a browser sends after opening the form of this product."""
    quantities = {level["geozone"]: level["quantity"] for level in (document or {}).get("stock", ())}
    filled = {
        "name": "Наушники Тишина",
        "category": "audio",
        "base_price": "4990.00",
        "sale_price": "3990.00",
        "description": "Беспроводные наушники.",
        **rows(attributes, images),
        "reason": "пересчёт",
        "seen": seen_text(values_of(cast("ProductDocument", document))) if document else "",
        **{f"stock_{code}": str(quantity) for code, quantity in quantities.items()},
    }
    return {**filled, **changes}


def test_form_shows_the_product_and_what_is_reserved(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    shop["products"].update_one({"_id": "PROD-1", "category": "audio"}, {"$set": {"stock.0.reserved": 4}})

    page = text(merchandiser.get(CHANGE))

    assert re.search(r'name="attributes_name" value="Цвет".*\n.*name="attributes_value" value="чёрный"', page)
    assert re.search(r'data-label="Числится">10</td>\s*<td[^>]*>4</td>\s*<td[^>]*>6</td>', page)
    assert "Покупатель заплатит 3 990,00 ₽, скидка 20 %" in page
    assert "Звук / Аудио" in page
    assert re.search(r'name="stock_msk" value="10"', page)
    assert seen_text(values_of(cast("ProductDocument", product))) in page


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
        ({"attributes": "Цвет = чёрный\n\na.b = 1"}, "«a.b: 1»: Название характеристики"),
        ({"attributes": "Цвет"}, "«Цвет»: Обязательное поле"),
        ({"images": "ftp://x"}, "«ftp://x»: Адрес изображения"),
        ({"stock_msk": "-11"}, "Количество — от 0 до 1000000"),
        ({"stock_msk": "много"}, "Укажите число, например 12, или изменение"),
        ({"stock_msk": "-7"}, "зарезервировано 4, получилось бы 3"),
        ({"stock_msk": "12", "reason": ""}, "Остаток меняется: укажите причину"),
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


def sent_again(page: Any, **more: str) -> dict[str, Any]:
    """What a browser sends after the form was shown again."""
    shown = page.context["adminform"].form
    values = {field.html_name: field.value() for field in shown}
    columns = {
        f"{name}_{column}": [row[column] for row in values[name]]
        for name, column in (("attributes", "name"), ("attributes", "value"), ("images", "url"), ("images", "alt"))
    }
    return {**{name: str(value) for name, value in values.items() if value not in (None, False)}, **columns, **more}


def test_several_refusals_are_shown_at_once_each_beside_its_field(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    shop["products"].update_one({"_id": "PROD-1", "category": "audio"}, {"$set": {"stock.0.reserved": 4}})
    before = everything(shop)
    bad = {"attributes": "a.b = 1\nЦвет =", "images": "ftp://x", "sale_price": "4 990", "name": "Моё имя"}

    page = merchandiser.post(CHANGE, form(product, **bad))

    assert page.status_code == 200
    assert page.context["adminform"].form.errors == {
        "sale_price": ["Цена со скидкой должна быть ниже обычной."],
        "attributes": [
            "«a.b: 1»: Название характеристики не содержит «.» и «=» и не начинается с «$».",
            "«Цвет»: Обязательное поле.",
        ],
        "images": ["«ftp://x»: Адрес изображения начинается с https://, http:// или /."],
    }
    assert "Моё имя" in text(page)
    assert everything(shop) == before


def test_refusals_of_two_geozones_stand_at_both(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    upsert_product(draft(stock=(StockDraft("spb", 8),)), actor=MARINA)
    shop["products"].update_one(
        {"_id": "PROD-1", "category": "audio"}, {"$set": {"stock.0.reserved": 4, "stock.1.reserved": 5}}
    )
    stored = shop["products"].find_one({"_id": "PROD-1"})

    page = merchandiser.post(CHANGE, form(stored, stock_msk="1", stock_spb="2"))

    assert page.context["adminform"].form.errors == {
        "stock_msk": ["Нельзя меньше, чем в резерве: зарезервировано 4, получилось бы 1."],
        "stock_spb": ["Нельзя меньше, чем в резерве: зарезервировано 5, получилось бы 2."],
    }


def test_changes_of_two_editors_are_merged_field_by_field(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    theirs = draft(
        description="Чужое описание.",
        attributes=(AttributeDraft("Цвет", "чёрный"), AttributeDraft("Вес", "20 г")),
        stock=(StockDraft("spb", 8),),
    )
    upsert_product(theirs, actor=MARINA)
    mine = form(product, name="Моё имя", attributes="Цвет = белый", stock_msk="12", base_price="5 000", stock_spb="")

    saved = merchandiser.post(CHANGE, mine, follow=True)

    assert "Сохранено вместе с чужой правкой: Описание, Санкт-Петербург, Вес." in text(saved)
    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert (stored["name"], stored["description"]) == ("Моё имя", "Чужое описание.")
    assert stored["attributes"] == {"Цвет": "белый", "Вес": "20 г"}
    assert stored["prices"] == {"base": Decimal128("5000.00"), "sale": Decimal128("3990.00")}
    assert {level["geozone"]: level["quantity"] for level in stored["stock"]} == {"msk": 12, "spb": 8}
    entry = shop["audit"].find_one({"actor": "merchandiser@mobile-world.example"})
    assert entry is not None
    assert sorted(entry["changes"]) == ["attributes", "base_price", "name", "stock.msk"]
    assert_whole(shop)


COLLISIONS: dict[str, tuple[Any, ...]] = {
    "name": ({"name": "Чужое имя"}, {"name": "Моё имя"}, "name", "Моё имя", "Чужое имя"),
    "price": ({"base_price": Decimal("5500.00")}, {"base_price": "5 000"}, "base_price", "5000.00", "5500.00"),
    "attribute": (
        {"attributes": (AttributeDraft("Цвет", "белый"),)},
        {"attributes": "Цвет = синий"},
        "attributes.Цвет",
        "синий",
        "белый",
    ),
    "attribute that I removed": (
        {"attributes": (AttributeDraft("Цвет", "белый"),)},
        {"attributes": ""},
        "attributes.Цвет",
        None,
        "белый",
    ),
    "stock": ({"stock": (StockDraft("msk", 15),)}, {"stock_msk": "12"}, "stock.msk", 12, 15),
    "images": (
        {"images": (ImageDraft("/9.svg", "Чужое"),)},
        {"images": "/8.svg Моё"},
        "images",
        [{"url": "/8.svg", "alt": "Моё"}],
        [{"url": "/9.svg", "alt": "Чужое"}],
    ),
}


@pytest.mark.parametrize("choice", ["mine", "theirs"])
@pytest.mark.parametrize("case", list(COLLISIONS))
def test_where_they_collide_both_are_shown_and_the_person_chooses(
    merchandiser: Client, product: Document, shop: Database[Document], case: str, choice: str
) -> None:
    theirs, mine, name, my_value, their_value = COLLISIONS[case]
    upsert_product(draft(**theirs), actor=MARINA)
    before = everything(shop)

    asked = merchandiser.post(CHANGE, form(product, description="Долго писал этот текст.", **mine))

    assert asked.status_code == 200
    assert "изменил кто-то другой" in text(asked)
    assert f'name="choice.{name}" value="theirs"' in text(asked)
    assert everything(shop) == before

    undecided = merchandiser.post(CHANGE, sent_again(asked))
    assert f'name="choice.{name}" value="theirs"' in text(undecided)
    assert everything(shop) == before

    assert merchandiser.post(CHANGE, sent_again(undecided, **{f"choice.{name}": choice})).status_code == 302
    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert stored["description"] == "Долго писал этот текст."
    assert values_of(cast("ProductDocument", stored)).get(name) == (my_value if choice == "mine" else their_value)
    assert_whole(shop)


def test_third_editor_in_the_very_moment_is_merged_too(
    merchandiser: Client, product: Document, shop: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def change_meanwhile() -> None:
        upsert_product(draft(description="В последний миг."), actor=MARINA)

    just_before(monkeypatch, product_form, "upsert_product", change_meanwhile)

    assert merchandiser.post(CHANGE, form(product, name="Моё имя")).status_code == 302

    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert (stored["name"], stored["description"]) == ("Моё имя", "В последний миг.")


def test_two_editors_at_once_lose_nothing(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    forms = [form(product, name="Моё имя"), form(product, description="Моё описание."), form(product, stock_msk="3")]

    pages = at_once(*[lambda each=each: signed_in("merchandiser").post(CHANGE, each) for each in forms])

    assert [page.status_code for page in pages] == [302, 302, 302]
    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert (stored["name"], stored["description"]) == ("Моё имя", "Моё описание.")
    assert stored["stock"][0]["quantity"] == 3
    assert_whole(shop)


def test_refusal_of_a_stale_form_shows_what_others_changed(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    upsert_product(draft(base_price=Decimal("4500.00"), description="Чужое описание."), actor=MARINA)
    before = everything(shop)

    page = merchandiser.post(CHANGE, form(product, sale_price="4 600"))

    shown = page.context["adminform"].form
    assert shown.errors == {"sale_price": ["Цена со скидкой должна быть ниже обычной."]}
    assert [shown[name].value() for name in ("base_price", "sale_price", "description")] == [
        "4500,00",
        "4600,00",
        "Чужое описание.",
    ]
    assert everything(shop) == before


def test_emptied_stock_is_asked_about(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    before = everything(shop)

    page = merchandiser.post(CHANGE, form(product, stock_msk="", name="Моё имя"))

    assert page.context["adminform"].form.errors == {"stock_msk": ["Укажите число; 0, если товара нет."]}
    assert "Моё имя" in text(page)
    assert everything(shop) == before


def test_form_without_a_change_says_so(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    before = everything(shop)

    page = merchandiser.post(CHANGE, form(product), follow=True)

    assert "Ничего не изменено." in text(page)
    assert "успешно" not in text(page)
    assert everything(shop) == before


def test_new_product_has_no_category_until_one_is_chosen(merchandiser: Client, shop: Database[Document]) -> None:
    page = merchandiser.get(ADD)
    assert page.context["adminform"].form["category"].value() in (None, "")

    refused = merchandiser.post(ADD, form(product_id="PROD-7", category=""))

    assert refused.context["adminform"].form.errors == {"category": ["Обязательное поле."]}
    assert shop["products"].count_documents({}) == 0


def test_price_that_jumps_is_asked_about_and_done_when_ticked(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    before = everything(shop)

    asked = merchandiser.post(CHANGE, form(product, base_price="49 900", name="Моё имя"))

    assert asked.context["adminform"].form.errors == {
        "base_price": ["Цена меняется больше чем наполовину: подтвердите."]
    }
    assert "Верно: было 4 990,00 ₽, станет 49 900,00 ₽" in text(asked)
    assert "Моё имя" in text(asked)
    assert everything(shop) == before
    ticked = form(product, base_price="49 900", name="Моё имя", base_price_confirmed="49900.00")
    assert merchandiser.post(CHANGE, ticked).status_code == 302
    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert stored["prices"]["base"] == Decimal128("49900.00")


def test_attribute_that_stands_there_twice_is_refused(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    before = everything(shop)

    page = merchandiser.post(CHANGE, form(product, attributes="Цвет = чёрный\nЦвет = белый"))

    assert page.context["adminform"].form.errors == {"attributes": ["«Цвет» указано дважды."]}
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
    assert "Москва: 10, в резерве 0" in page
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
