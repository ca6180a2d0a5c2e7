"""Categories and geozones in the admin: deleted only when nothing is in them, always with an audit entry."""

import json
from html import unescape

import pytest
from django.test import Client
from pymongo.database import Database

from admin_ext.structure import form
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft, everything
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import just_before

CATEGORIES = "/admin/catalog/category/"
GEOZONES = "/admin/catalog/geozone/"
EDITED = [(f"{CATEGORIES}video/", "categories"), (f"{GEOZONES}spb/", "geozones")]


@pytest.fixture
def merchandiser(shop: Database[Document]) -> Client:
    make_demo_accounts()
    return signed_in("merchandiser")


def seen(name: str, position: int) -> str:
    """What a browser sends back of the form that it opened."""
    return json.dumps({"name": name, "position": position}, ensure_ascii=False)


def test_category_is_added_renamed_and_deleted(merchandiser: Client, shop: Database[Document]) -> None:
    added = {"slug": "speakers", "name": "Колонки", "parent": "sound", "position": "3"}
    assert merchandiser.post(f"{CATEGORIES}add/", added).status_code == 302
    renamed = {"name": "Акустика", "position": "4", "seen": seen("Колонки", 3)}
    assert merchandiser.post(f"{CATEGORIES}speakers/change/", renamed).status_code == 302
    assert shop["categories"].find_one({"_id": "speakers"}) == {
        "_id": "speakers",
        "name": "Акустика",
        "path": ["sound"],
        "position": 4,
    }
    assert merchandiser.post(f"{CATEGORIES}speakers/delete/", {"post": "yes"}).status_code == 302

    assert shop["categories"].find_one({"_id": "speakers"}) is None
    assert [(entry["action"], entry["actor"]) for entry in shop["audit"].find().sort("at")] == [
        ("category.added", "merchandiser@mobile-world.example"),
        ("category.changed", "merchandiser@mobile-world.example"),
        ("category.deleted", "merchandiser@mobile-world.example"),
    ]


def test_slug_and_parent_never_change(merchandiser: Client, shop: Database[Document]) -> None:
    hacked = {"slug": "hacked", "parent": "video", "path": "video", "name": "Аудио", "position": "1"}
    merchandiser.post(f"{CATEGORIES}audio/change/", hacked)

    assert shop["categories"].find_one({"_id": "audio"}) == {
        "_id": "audio",
        "name": "Аудио",
        "path": ["sound"],
        "position": 1,
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slug": "Звук"}, "Латинские строчные буквы"),
        ({"slug": "video"}, "уже существует"),
        ({"parent": "audio"}, "есть товары: подкатегорий у неё быть не может"),
        ({"parent": "nowhere"}, "Выберите корректный вариант"),
        ({"name": " "}, "Обязательное поле"),
    ],
)
def test_bad_category_is_explained_and_nothing_changes(
    merchandiser: Client, shop: Database[Document], changes: dict[str, str], message: str
) -> None:
    upsert_product(draft(), actor=MARINA)
    before = everything(shop)

    added = {"slug": "speakers", "name": "Колонки", "parent": "", "position": "3", **changes}
    page = merchandiser.post(f"{CATEGORIES}add/", added)

    assert page.status_code == 200
    assert message in unescape(page.content.decode())
    assert everything(shop) == before


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (f"{CATEGORIES}audio/", "В категории есть товары или подкатегории"),
        (f"{CATEGORIES}sound/", "В категории есть товары или подкатегории"),
        (f"{GEOZONES}msk/", "В геозоне есть остатки, например у товара PROD-1"),
    ],
)
def test_what_is_in_use_is_not_deleted(
    merchandiser: Client, shop: Database[Document], address: str, message: str
) -> None:
    upsert_product(draft(), actor=MARINA)
    before = everything(shop)

    asked = merchandiser.get(f"{address}delete/")
    done = merchandiser.post(f"{address}delete/", {"post": "yes"}, follow=True)

    assert message in unescape(asked.content.decode())
    assert message in unescape(done.content.decode())
    assert everything(shop) == before


def test_empty_geozone_is_deleted(merchandiser: Client, shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)

    assert merchandiser.post(f"{GEOZONES}spb/delete/", {"post": "yes"}).status_code == 302

    assert [geozone["_id"] for geozone in shop["geozones"].find()] == ["msk"]


def test_geozones_are_reordered_in_the_list(merchandiser: Client, shop: Database[Document]) -> None:
    rows = {
        "form-TOTAL_FORMS": "2",
        "form-INITIAL_FORMS": "2",
        "form-0-code": "msk",
        "form-0-position": "9",
        "form-1-code": "spb",
        "form-1-position": "2",
        "_save": "Save",
    }
    assert merchandiser.post(GEOZONES, rows).status_code == 302

    assert shop["geozones"].find_one({"_id": "msk"}) == {"_id": "msk", "name": "Москва", "position": 9}
    assert [(entry["target"], entry["changes"]) for entry in shop["audit"].find()] == [
        ("geozone:msk", {"position": [1, 9]})
    ]


def test_support_sees_but_does_not_change(merchandiser: Client, shop: Database[Document]) -> None:
    support = signed_in("support")
    before = everything(shop)

    assert support.get(f"{CATEGORIES}audio/change/").status_code == 200
    assert support.post(f"{CATEGORIES}audio/change/", {"name": "Взлом", "position": "1"}).status_code == 403
    assert support.post(f"{CATEGORIES}audio/delete/", {"post": "yes"}).status_code == 403
    assert everything(shop) == before


@pytest.mark.parametrize(
    ("address", "collection"), [(f"{CATEGORIES}video/", "categories"), (f"{GEOZONES}spb/", "geozones")]
)
def test_changes_of_two_editors_are_merged(
    merchandiser: Client, shop: Database[Document], address: str, collection: str
) -> None:
    opened = merchandiser.get(f"{address}change/").context["adminform"].form.initial
    key = {"_id": address.rstrip("/").rpartition("/")[2]}
    shop[collection].update_one(key, {"$set": {"position": 7}})

    mine = {"name": "Моё имя", "position": str(opened["position"]), "seen": opened["seen"]}
    saved = merchandiser.post(f"{address}change/", mine, follow=True)

    found = shop[collection].find_one(key)
    assert found is not None
    assert (found["name"], found["position"]) == ("Моё имя", 7)
    assert "Сохранено вместе с чужой правкой: Порядок." in unescape(saved.content.decode())
    entry = shop["audit"].find_one()
    assert entry is not None
    assert list(entry["changes"]) == ["name"]


@pytest.mark.parametrize(("choice", "name"), [("mine", "Моё имя"), ("theirs", "Чужое имя")])
@pytest.mark.parametrize(
    ("address", "collection"), [(f"{CATEGORIES}video/", "categories"), (f"{GEOZONES}spb/", "geozones")]
)
def test_both_values_are_shown_where_they_collide_and_the_person_chooses(
    merchandiser: Client, shop: Database[Document], address: str, collection: str, choice: str, name: str
) -> None:
    opened = merchandiser.get(f"{address}change/").context["adminform"].form.initial
    key = {"_id": address.rstrip("/").rpartition("/")[2]}
    shop[collection].update_one(key, {"$set": {"name": "Чужое имя"}})
    before = everything(shop)

    mine = {"name": "Моё имя", "position": "9", "seen": opened["seen"]}
    asked = merchandiser.post(f"{address}change/", mine)

    page = unescape(asked.content.decode())
    assert asked.status_code == 200
    assert f"было «{opened['name']}», стало «Чужое имя»" in page
    assert "моё: Моё имя" in page
    assert everything(shop) == before

    again = {field: asked.context["adminform"].form[field].value() for field in ("name", "position", "seen", "clashed")}
    assert again["name"] == "Моё имя"
    assert merchandiser.post(f"{address}change/", again).status_code == 200
    assert everything(shop) == before
    assert merchandiser.post(f"{address}change/", {**again, "choice.name": choice}).status_code == 302
    found = shop[collection].find_one(key)
    assert found is not None
    assert (found["name"], found["position"]) == (name, 9)


def test_form_without_a_change_says_so(merchandiser: Client, shop: Database[Document]) -> None:
    same = {"name": " Видео ", "position": "2", "seen": seen("Видео", 2)}

    saved = merchandiser.post(f"{CATEGORIES}video/change/", same, follow=True)

    assert "Ничего не изменено." in unescape(saved.content.decode())
    assert "успешно" not in unescape(saved.content.decode())
    assert shop["audit"].count_documents({}) == 0


def test_category_that_is_gone_meanwhile_is_told_and_not_made_anew(
    merchandiser: Client, shop: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_away() -> None:
        shop["categories"].delete_one({"_id": "video"})

    just_before(monkeypatch, form, "edit_category", take_away)

    page = merchandiser.post(
        f"{CATEGORIES}video/change/", {"name": "Кино", "position": "2", "seen": seen("Видео", 2)}, follow=True
    )

    assert page.status_code == 200
    assert shop["categories"].find_one({"_id": "video"}) is None
    assert shop["audit"].count_documents({}) == 0


def test_position_out_of_bounds_in_the_list_is_a_message(merchandiser: Client, shop: Database[Document]) -> None:
    rows = {
        "form-TOTAL_FORMS": "1",
        "form-INITIAL_FORMS": "1",
        "form-0-code": "msk",
        "form-0-position": "1000001",
        "_save": "Save",
    }
    before = everything(shop)

    page = merchandiser.post(GEOZONES, rows, follow=True)

    assert "Порядок — от 0 до 1000000." in unescape(page.content.decode())
    assert everything(shop) == before
