"""Titles of pages: written by hand, in the right form, for every model."""

import pytest
from django.contrib import admin
from pymongo.database import Database

from admin_ext.tests.people import in_english, member
from gateway.accounts.roles import ADMINISTRATORS
from gateway.mongo.client import Document
from gateway.staff.titles import Titled


def test_every_page_has_titles_of_its_own() -> None:
    without = [
        model.__name__
        for model, page in admin.site._registry.items()
        if not isinstance(page, Titled) or page.titles is None
    ]

    assert without == []


@pytest.mark.parametrize(
    ("address", "russian", "english"),
    [
        ("category/", "Категории", "Categories"),
        ("category/add/", "Новая категория", "New category"),
        ("category/audio/change/", "Категория", "Category"),
        ("geozone/", "Геозоны", "Geozones"),
        ("geozone/add/", "Новая геозона", "New geozone"),
        ("geozone/msk/change/", "Геозона", "Geozone"),
        ("product/", "Товары", "Products"),
        ("product/add/", "Новый товар", "New product"),
    ],
)
def test_pages_of_the_catalog(shop: Database[Document], address: str, russian: str, english: str) -> None:
    browser = member(ADMINISTRATORS)

    page = browser.get(f"/admin/catalog/{address}")

    assert page.context["title"] == russian
    assert f"{russian} | Мобильный мир" in " ".join(page.content.decode().split())
    for wrong in ("Добавить категор", "Добавить геозон", "для изменения", "Удалить категор", "Удалить геозон"):
        assert wrong not in page.content.decode()
    assert in_english(browser).get(f"/admin/catalog/{address}").context["title"] == english


def test_header_names_the_list_above_an_object(shop: Database[Document]) -> None:
    page = " ".join(member(ADMINISTRATORS).get("/admin/catalog/geozone/msk/change/").content.decode().split())

    assert '<a href="/admin/catalog/geozone/" class="hidden shrink-0 md:block">Геозоны</a>' in page
    assert '<span class="min-w-0 truncate">Москва</span>' in page


def test_what_was_done_is_told_without_a_wrong_ending(shop: Database[Document]) -> None:
    form = {"slug": "phones", "name": "Телефоны", "parent": "", "position": "3"}

    page = member(ADMINISTRATORS).post("/admin/catalog/category/add/", form, follow=True)

    assert [str(message) for message in page.context["messages"]] == [
        'Добавлено: «<a href="/admin/catalog/category/phones/change/">Телефоны</a>».'
    ]
