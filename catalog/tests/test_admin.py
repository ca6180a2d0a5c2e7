"""Geozones in the admin: merchandisers edit them, support looks, others stay outside."""

import pytest
from pymongo.database import Database

from catalog.models import Geozone
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in

CHANGE = "/admin/catalog/geozone/msk/change/"
SEEN = '{"name": "Москва", "position": 1}'


@pytest.fixture(autouse=True)
def shop(database: Database[Document]) -> None:
    make_demo_accounts()
    Geozone.objects.create(code="msk", name="Москва", position=1)


def test_staff_signs_in_and_sees_the_shop() -> None:
    page = signed_in("staff").get("/admin/")

    assert page.status_code == 200
    assert "Геозоны" in page.content.decode()
    assert "Сотрудники" in page.content.decode()


def test_merchandiser_renames_a_geozone(database: Database[Document]) -> None:
    saved = signed_in("merchandiser").post(CHANGE, {"name": "Москва и область", "position": "5", "seen": SEEN})

    assert saved.status_code == 302
    assert database["geozones"].find_one() == {"_id": "msk", "name": "Москва и область", "position": 5}


def test_code_of_an_existing_geozone_cannot_be_changed(database: Database[Document]) -> None:
    signed_in("merchandiser").post(CHANGE, {"code": "hacked", "name": "Москва", "position": "1", "seen": SEEN})

    assert [document["_id"] for document in database["geozones"].find()] == ["msk"]


def test_merchandiser_adds_a_geozone(database: Database[Document]) -> None:
    signed_in("merchandiser").post(
        "/admin/catalog/geozone/add/", {"code": "nsk", "name": "Новосибирск", "position": "2"}
    )

    assert database["geozones"].find_one({"_id": "nsk"}) == {"_id": "nsk", "name": "Новосибирск", "position": 2}


@pytest.mark.parametrize(
    ("code", "message"),
    [("msk", "уже существует"), ("Москва", "Латинские строчные буквы"), ("", "Обязательное поле")],
)
def test_bad_code_is_explained_and_nothing_is_added(database: Database[Document], code: str, message: str) -> None:
    form = {"code": code, "name": "Новая", "position": "2"}

    page = signed_in("merchandiser").post("/admin/catalog/geozone/add/", form)

    assert page.status_code == 200
    assert message in page.content.decode()
    assert [document["name"] for document in database["geozones"].find()] == ["Москва"]


def test_support_sees_but_does_not_change(database: Database[Document]) -> None:
    support = signed_in("support")

    assert support.get(CHANGE).status_code == 200
    assert support.post(CHANGE, {"name": "Взлом", "position": "1"}).status_code == 403
    assert database["geozones"].find_one({"_id": "msk"})["name"] == "Москва"  # type: ignore[index]


@pytest.mark.parametrize("login", ["customer", "nobody"])
def test_others_stay_outside(login: str) -> None:
    assert signed_in(login).get("/admin/").status_code == 302
