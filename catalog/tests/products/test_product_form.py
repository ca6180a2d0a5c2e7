"""The form of a product: stock that is moved or counted, pictures that come with it, copies of other products."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pymongo.database import Database
from pytest_django import Settings

from catalog.admin.product_form.prices import told
from catalog.pictures.addresses import OWN, name_in
from catalog.pictures.orphans import sweep_orphans
from catalog.pictures.uploads import pictures
from catalog.products.cards import ProductKey
from catalog.products.drafts import AttributeDraft, ImageDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.stock.reservations import Hold, Offer, Pieces, Purpose, reserve
from catalog.structure.attributes import AttributeType, CategoryAttribute, set_attributes
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.pictures.files import bomb, broken, photo, png, webp
from catalog.tests.products.test_admin_products import ADD, CHANGE, LIST, form, sent_again, text
from catalog.tests.shop import MARINA, assert_whole, draft, everything
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once

PICTURES = f"{LIST}pictures/"
SUGGESTIONS = f"{LIST}suggestions/"
KEY = "k" * 32


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def merchandiser(shop: Database[Document]) -> Client:
    make_demo_accounts()
    return signed_in("merchandiser")


@pytest.fixture
def product(shop: Database[Document]) -> Document:
    return {**upsert_product(draft(), actor=MARINA).document}


def stored(shop: Database[Document], product_id: str = "PROD-1") -> Document:
    found = shop["products"].find_one({"_id": product_id})
    assert found is not None
    return found


def errors(page: Any) -> Any:
    return page.context["adminform"].form.errors


def file(content: bytes, name: str = "photo.jpg") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "image/jpeg")


# ---------------------------------------------------------------- prices


@pytest.mark.parametrize(
    ("base", "sale", "note"),
    [
        ("4990", "3990", "Покупатель заплатит 3 990,00 ₽, скидка 20 %"),
        ("4990", None, "Покупатель заплатит 4 990,00 ₽"),
        ("1000", "999.99", "Покупатель заплатит 999,99 ₽, скидка 1 %"),
        ("1000", "1", "Покупатель заплатит 1,00 ₽, скидка 99 %"),
        ("1000", "1000", "Цена со скидкой должна быть ниже обычной"),
        (None, "10", ""),
    ],
)
def test_what_the_buyer_pays_is_told(base: str | None, sale: str | None, note: str) -> None:
    assert told(base and Decimal(base), sale and Decimal(sale)) == note  # type: ignore[arg-type]


# ---------------------------------------------------------------- stock


@pytest.mark.parametrize(("typed", "after"), [("+5", 12), ("-3", 4), ("−3", 4), (" + 1 000 ", 1007)])
def test_pieces_are_added_to_what_is_there_at_that_moment(
    merchandiser: Client, product: Document, shop: Database[Document], typed: str, after: int
) -> None:
    adjust_stock("PROD-1", "msk", delta=-3, reason="продажи", actor=MARINA)

    saved = merchandiser.post(CHANGE, form(product, stock_msk=typed, name="Моё имя", reason="поставка"))

    assert saved.status_code == 302
    assert stored(shop)["stock"] == [{"geozone": "msk", "quantity": after, "reserved": 0}]
    assert stored(shop)["name"] == "Моё имя"
    entry = shop["audit"].find_one({"reason": "поставка"})
    assert entry is not None
    assert entry["changes"]["stock.msk"] == [7, after]


def test_pieces_come_to_a_geozone_that_did_not_keep_the_product(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    merchandiser.post(CHANGE, form(product, stock_spb="+2"))

    assert [(level["geozone"], level["quantity"]) for level in stored(shop)["stock"]] == [("msk", 10), ("spb", 2)]


def test_form_that_adds_pieces_adds_them_once_however_often_it_is_sent(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    sent = form(product, stock_msk="+5", key=KEY)

    merchandiser.post(CHANGE, sent)
    again = merchandiser.post(CHANGE, sent, follow=True)

    assert "Эта форма уже отправлена: всё сделано." in text(again)
    assert stored(shop)["stock"][0]["quantity"] == 15


def test_two_clicks_at_once_add_pieces_once(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    sent = form(product, stock_msk="+5", key=KEY)
    browser = signed_in("merchandiser")

    pages = at_once(lambda: merchandiser.post(CHANGE, sent), lambda: browser.post(CHANGE, sent))

    assert [page.status_code for page in pages] == [302, 302]
    assert stored(shop)["stock"][0]["quantity"] == 15


def test_form_that_was_sent_with_other_pieces_is_refused_and_may_be_sent_anew(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    merchandiser.post(CHANGE, form(product, stock_msk="+5", key=KEY))
    before = everything(shop)

    refused = merchandiser.post(CHANGE, form(product, stock_msk="+6", key=KEY))

    assert "Эта форма уже отправлена с другими данными." in text(refused)
    assert everything(shop) == before
    assert merchandiser.post(CHANGE, sent_again(refused)).status_code == 302
    assert stored(shop)["stock"][0]["quantity"] == 21


def test_pieces_that_are_refused_stay_in_the_form_as_they_were_typed(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    adjust_stock("PROD-1", "msk", delta=-3, reason="продажи", actor=MARINA)
    before = everything(shop)

    refused = merchandiser.post(CHANGE, form(product, stock_msk="-8", description="Долго писал."))

    assert errors(refused) == {"stock_msk": ["Количество — от 0 до 1000000."]}
    assert [refused.context["adminform"].form[name].value() for name in ("stock_msk", "description")] == [
        "-8",
        "Долго писал.",
    ]
    assert everything(shop) == before
    assert merchandiser.post(CHANGE, sent_again(refused, stock_msk="-7")).status_code == 302
    assert stored(shop)["stock"][0]["quantity"] == 0


def test_new_number_and_new_pieces_ask_for_a_reason(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    before = everything(shop)

    for typed in ("12", "+2"):
        page = merchandiser.post(CHANGE, form(product, stock_msk=typed, reason=""))
        assert errors(page) == {"reason": ["Остаток меняется: укажите причину, она останется в журнале."]}
    assert everything(shop) == before
    assert merchandiser.post(CHANGE, form(product, stock_msk="+0", name="Моё имя", reason="")).status_code == 302


def test_two_people_on_one_cell_and_buyers_lose_nothing(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    people = [signed_in("merchandiser") for _ in range(2)]

    def deliver(browser: Client, pieces: str) -> int:
        sent = [
            browser.post(CHANGE, form(product, stock_msk=pieces, name=f"Имя {number}" if number else "Имя"))
            for number in range(4)
        ]
        return sum(page.status_code == 302 for page in sent)

    def buy() -> int:
        return sum(
            reserve(
                [Offer(Pieces("audio", "PROD-1", 1), Decimal("3990.00"))],
                "msk",
                Hold(f"hold-{number}", Purpose.CHECKOUT, f"order-{number}", "u:1"),
            )
            for number in range(8)
        )

    five, three, bought = at_once(lambda: deliver(people[0], "+5"), lambda: deliver(people[1], "+3"), buy)

    assert bought == 8
    assert five
    assert three
    assert stored(shop)["stock"] == [{"geozone": "msk", "quantity": 10 + 5 * five + 3 * three, "reserved": bought}]
    assert len(stored(shop)["holds"]) == bought
    assert_whole(shop)


def test_of_two_who_count_one_cell_at_once_the_second_is_asked(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    people = [merchandiser, signed_in("merchandiser")]
    counts = dict(zip(("12", "14"), people, strict=True))

    pages = at_once(
        *[
            lambda count=count, browser=browser: browser.post(CHANGE, form(product, stock_msk=count))
            for count, browser in counts.items()
        ]
    )

    assert sorted(page.status_code for page in pages) == [200, 302]
    (asked,) = [page for page in pages if page.status_code == 200]
    assert 'name="choice.stock.msk" value="theirs"' in text(asked)
    winner = next(count for count, page in zip(counts, pages, strict=True) if page.status_code == 302)
    assert stored(shop)["stock"][0]["quantity"] == int(winner)


# ---------------------------------------------------------------- attributes


def test_declared_attributes_are_suggested_before_those_of_other_products(
    merchandiser: Client, product: Document
) -> None:
    set_attributes("sound", [CategoryAttribute("Вес", AttributeType.NUMBER, "г", 20)], actor=MARINA)
    set_attributes("audio", [CategoryAttribute("Шумоподавление", AttributeType.FLAG, position=10)], actor=MARINA)
    CATEGORIES.forget()

    suggested = merchandiser.get(SUGGESTIONS, {"category": "audio"}).json()

    assert suggested == {
        "declared": [
            {"name": "Шумоподавление", "type": "flag", "unit": ""},
            {"name": "Вес", "type": "number", "unit": "г"},
        ],
        "pairs": ["Цвет=чёрный"],
    }
    assert '<option value="Вес"></option>' in text(merchandiser.get(CHANGE))


def test_value_without_a_name_is_refused_and_an_empty_row_is_none(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    before = everything(shop)

    refused = merchandiser.post(CHANGE, form(product, attributes="Цвет=чёрный\n=\n=20 г"))

    assert errors(refused) == {"attributes": ["«20 г»: Обязательное поле."]}
    assert refused.context["adminform"].form["attributes"].value() == [
        {"name": "Цвет", "value": "чёрный"},
        {"name": "", "value": "20 г"},
    ]
    assert everything(shop) == before


# ---------------------------------------------------------------- pictures


def test_picture_is_uploaded_from_the_form(merchandiser: Client, shop: Database[Document]) -> None:
    answer = merchandiser.post(PICTURES, {"picture": file(photo())}).json()
    again = merchandiser.post(PICTURES, {"picture": file(photo())}).json()

    name = name_in(answer["url"])
    assert name is not None
    assert answer == again
    assert answer["thumbnail"] == f"{OWN}pictures/{name[:2]}/{name}/320.webp"
    assert merchandiser.get(answer["thumbnail"])["content-type"] == "image/webp"
    assert [each["uploaded_by"] for each in pictures().find()] == ["merchandiser@mobile-world.example"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"<svg onload='alert(1)'></svg>", "Это не изображение"),
        (broken(), "Это не изображение"),
        (b"", "Это не изображение"),
        (bomb(), "Слишком много точек"),
        (webp(10_000, 5_000), "Слишком много точек: 10000 × 5000, это 50 Мпикс"),
        (bytes(15_000_001), "Файл слишком велик: 15 МБ, принимается до 15 МБ."),
    ],
    ids=["no picture", "half a picture", "nothing", "bomb", "50 megapixels", "too many bytes"],
)
def test_file_that_is_no_picture_of_ours_is_refused_with_a_reason(
    merchandiser: Client, folder: Path, content: bytes, error: str
) -> None:
    answer = merchandiser.post(PICTURES, {"picture": file(content)})

    assert answer.status_code == 400
    assert answer.json()["error"].startswith(error)
    assert pictures().count_documents({}) == 0
    assert list(folder.rglob("*.webp")) == []


def test_upload_without_a_file_or_by_get_is_refused(merchandiser: Client) -> None:
    assert merchandiser.post(PICTURES).json()["error"].startswith("Это не изображение")
    assert merchandiser.get(PICTURES).status_code == 405


@pytest.mark.parametrize("login", ["support", "analyst", "operator"])
def test_pictures_are_uploaded_only_by_those_who_edit_products(shop: Database[Document], login: str) -> None:
    make_demo_accounts()

    assert signed_in(login).post(PICTURES, {"picture": file(photo())}).status_code == 403
    assert pictures().count_documents({}) == 0


def test_picture_from_another_site_is_refused(merchandiser: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = merchandiser.cookies

    assert strict.post(PICTURES, {"picture": file(photo())}).status_code == 403
    assert pictures().count_documents({}) == 0


def test_files_sent_with_the_form_are_kept_although_something_else_is_refused(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    before = everything(shop)
    files = [file(photo()), file(b"text", "notes.txt"), file(png(), "b.png")]

    refused = merchandiser.post(CHANGE, {**form(product, images="/1.svg Спереди", name=""), "images_files": files})

    rows = refused.context["adminform"].form["images"].value()
    assert [bool(name_in(row["url"])) for row in rows] == [False, True, True]
    assert errors(refused)["images"] == ["«notes.txt»: Это не изображение: принимаются JPEG, PNG, WebP и GIF, целые."]
    assert everything(shop) == before
    assert merchandiser.post(CHANGE, sent_again(refused, name="Моё имя")).status_code == 302
    assert stored(shop)["images"] == [{**row, "alt": row["alt"]} for row in rows]
    assert stored(shop)["pictures"] == [name_in(row["url"]) for row in rows[1:]]


def test_files_are_kept_too_when_the_action_refuses(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    upsert_product(draft(description="Чужое описание."), actor=MARINA)

    refused = merchandiser.post(CHANGE, {**form(product, sale_price="5 000"), "images_files": [file(photo())]})

    assert errors(refused) == {"sale_price": ["Цена со скидкой должна быть ниже обычной."]}
    shown = refused.context["adminform"].form
    assert len(shown["images"].value()) == 1
    assert shown["description"].value() == "Чужое описание."


def test_picture_that_is_gone_is_refused_and_the_form_kept(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    url = merchandiser.post(PICTURES, {"picture": file(photo())}).json()["url"]
    assert sweep_orphans(datetime.now(UTC) + timedelta(hours=25)) == 1
    before = everything(shop)

    refused = merchandiser.post(CHANGE, form(product, images=f"{url} Спереди", name="Моё имя"))

    assert errors(refused) == {"images": [f"«{url} Спереди»: Это изображение уже удалено: загрузите его снова."]}
    assert "Моё имя" in text(refused)
    assert everything(shop) == before


def test_picture_that_is_saved_stays(merchandiser: Client, product: Document, shop: Database[Document]) -> None:
    url = merchandiser.post(PICTURES, {"picture": file(photo())}).json()["url"]

    assert merchandiser.post(CHANGE, form(product, images=f"{url} Спереди")).status_code == 302

    assert sweep_orphans(datetime.now(UTC) + timedelta(hours=25)) == 0
    assert stored(shop)["images"] == [{"url": url, "alt": "Спереди"}]
    assert 'alt="Спереди"' in text(signed_in("support").get(CHANGE))


def test_order_of_images_is_that_of_their_rows(
    merchandiser: Client, shop: Database[Document], product: Document
) -> None:
    images = (ImageDraft("/1.svg", "Спереди"), ImageDraft("/2.svg", "Сзади"))
    document = upsert_product(draft(images=images), actor=MARINA).document

    merchandiser.post(CHANGE, form({**document}, images="/2.svg Сзади\n/1.svg Спереди"))

    assert stored(shop)["images"] == [{"url": "/2.svg", "alt": "Сзади"}, {"url": "/1.svg", "alt": "Спереди"}]


# ---------------------------------------------------------------- copies


def test_copy_begins_with_everything_but_id_and_stock(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    upsert_product(draft(images=(ImageDraft("/1.svg", "Спереди"),)), actor=MARINA)
    before = everything(shop)
    assert f'href="{ADD}?copy=PROD-1"' in text(merchandiser.get(CHANGE))

    page = merchandiser.get(ADD, {"copy": "PROD-1"})

    shown = page.context["adminform"].form
    names = ("product_id", "name", "category", "base_price", "sale_price", "attributes", "images", "stock_msk")
    assert [shown[name].value() for name in names] == [
        None,
        "Наушники Тишина",
        "audio",
        "4 990,00",
        "3 990,00",
        [{"name": "Цвет", "value": "чёрный"}],
        [{"url": "/1.svg", "alt": "Спереди"}],
        None,
    ]
    assert "Всё, кроме артикула и остатков, — как у товара PROD-1." in text(page)
    assert everything(shop) == before


def test_copy_that_is_refused_keeps_everything_and_is_made_then(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    sent = sent_again(merchandiser.get(ADD, {"copy": "PROD-1"}), product_id="PROD-1", base_price="100 000")

    refused = merchandiser.post(f"{ADD}?copy=PROD-1", sent)

    assert errors(refused) == {"product_id": ["Товар с артикулом PROD-1 уже есть."]}
    assert merchandiser.post(f"{ADD}?copy=PROD-1", sent_again(refused, product_id="PROD-7")).status_code == 302
    made = stored(shop, "PROD-7")
    assert (made["name"], made["attributes"], made["stock"]) == ("Наушники Тишина", {"Цвет": "чёрный"}, [])
    assert ProductKey(made["category"], made["_id"]) == ProductKey("audio", "PROD-7")
    assert_whole(shop)


def test_copy_of_nothing_is_an_empty_form(merchandiser: Client, shop: Database[Document]) -> None:
    page = merchandiser.get(ADD, {"copy": "PROD-404"})

    assert page.context["adminform"].form["name"].value() is None
    assert "PROD-404" not in text(page).replace("?copy=PROD-404", "")


def test_attributes_of_two_editors_are_merged_by_attribute(
    merchandiser: Client, product: Document, shop: Database[Document]
) -> None:
    theirs = (AttributeDraft("Цвет", "чёрный"), AttributeDraft("Вес", "20 г"))
    upsert_product(draft(attributes=theirs), actor=MARINA)

    merchandiser.post(CHANGE, form(product, attributes="Цвет=белый\nЗвук=объёмный"))

    assert stored(shop)["attributes"] == {"Цвет": "белый", "Звук": "объёмный", "Вес": "20 г"}
