"""Russian for everybody, English for whoever chose it; what the catalogues hold is what their sources say."""

import gettext
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from pymongo.database import Database

from admin_ext.boards.boards import BOARDS
from admin_ext.tests.people import in_english, member, only_administrator
from gateway.accounts.roles import ADMINISTRATORS, SUPPORT
from gateway.mongo.client import Document

LOCALES = Path(__file__).parents[1] / "locale"
CYRILLIC = re.compile("[а-яёА-ЯЁ]+")
# The language menu names each language in itself.
ITS_OWN_NAME = "Русский"


def test_russian_whatever_the_browser_prefers(database: Database[Document]) -> None:
    page = member(SUPPORT).get("/admin/", headers={"accept-language": "en"})

    assert page.context["title"] == "Рабочий стол"
    assert '<html lang="ru"' in page.content.decode()


def test_english_once_chosen_and_russian_again(database: Database[Document]) -> None:
    browser = member(SUPPORT)

    chosen = browser.post("/admin/language/", {"language": "en", "next": "/admin/"})

    assert chosen.status_code == 302
    cookie = chosen.cookies["django_language"]
    assert (cookie.value, cookie["max-age"], cookie["httponly"]) == ("en", 365 * 24 * 3600, True)
    assert browser.get("/admin/").context["title"] == "Home"
    browser.post("/admin/language/", {"language": "ru", "next": "/admin/"})
    assert browser.get("/admin/").context["title"] == "Рабочий стол"


def test_account_menu_offers_both(database: Database[Document]) -> None:
    page = member(SUPPORT).get("/admin/").content.decode()

    assert 'action="/admin/language/"' in page
    assert 'name="language" type="hidden" value="en"' in page
    assert 'name="language" type="hidden" value="ru"' in page


@pytest.mark.parametrize("cookie", ["fr", "", "ru-RU; x", "e" * 5_000])
def test_nonsense_in_the_cookie_is_russian(database: Database[Document], cookie: str) -> None:
    browser = member(SUPPORT)
    browser.cookies["django_language"] = cookie

    assert browser.get("/admin/").context["title"] == "Рабочий стол"


def test_choice_of_one_does_not_reach_the_next_request(database: Database[Document]) -> None:
    in_english(member(SUPPORT)).get("/admin/")

    assert member(SUPPORT).get("/admin/").context["title"] == "Рабочий стол"


def test_nobody_is_sent_elsewhere_by_choosing(database: Database[Document]) -> None:
    chosen = member(SUPPORT).post("/admin/language/", {"language": "en", "next": "https://elsewhere.example/"})

    assert chosen.headers["location"] == "/"


def pages(registered: dict[Any, Any]) -> list[str]:
    """The list of every model, and the form for a new one where there is one."""
    names = [f"{model._meta.app_label}_{model._meta.model_name}" for model in registered]
    addresses = [reverse(f"admin:{name}_{kind}") for name in names for kind in ("changelist", "add")]
    # Offers the permissions, whose names are data.
    return [address for address in addresses if address != "/admin/auth/group/add/"]


def shown(page: str) -> str:
    """A page as it is read: without scripts, the values behind choices and what languages call themselves."""
    without_scripts = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r'\bvalue="[^"]*"', "", without_scripts).replace(ITS_OWN_NAME, "")


def left_in_russian(browser: Client, address: str) -> list[str]:
    page = browser.get(address)
    if page.status_code == 403:
        return []
    assert page.status_code == 200
    return [line.strip() for line in shown(page.content.decode()).splitlines() if CYRILLIC.search(line)]


def test_english_admin_has_no_russian_left(database: Database[Document]) -> None:
    browser = in_english(only_administrator())
    boards = [board.url for board in BOARDS]
    addresses = ["/admin/", "/admin/password_change/", *boards, *pages(admin.site._registry)]

    left = {address: lines for address in addresses if (lines := left_in_russian(browser, address))}

    assert left == {}


def test_sign_in_is_in_both_languages(database: Database[Document]) -> None:
    browser = Client()
    russian = browser.get("/admin/login/").content.decode()

    assert "Вход для сотрудников" in russian
    assert "Мобильный мир" in russian
    assert left_in_russian(in_english(browser), "/admin/login/") == []


def test_russian_pages_have_no_english_phrases_of_the_library(database: Database[Document]) -> None:
    browser = member(ADMINISTRATORS)

    for address in ("/admin/catalog/product/", "/admin/catalog/category/add/", "/admin/ordering/order/"):
        page = browser.get(address).content.decode()
        for phrase in ("No results found", "Type to search", "Apply Filters", "Select value", "Go back", "Log out"):
            assert phrase not in page, (address, phrase)


@pytest.mark.parametrize("language", ["ru", "en"])
def test_compiled_catalogue_is_that_of_its_source(language: str) -> None:
    folder = LOCALES / language / "LC_MESSAGES"
    with (folder / "django.mo").open("rb") as compiled:
        catalogue = gettext.GNUTranslations(compiled)._catalog  # type: ignore[attr-defined]
    compiled_texts = {key[0] if isinstance(key, tuple) else key: text for key, text in catalogue.items() if key}

    source = (folder / "django.po").read_text(encoding="utf-8")
    written = dict(re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', source, re.MULTILINE))
    plural = re.findall(r'^msgid "(.+)"\nmsgid_plural', source, re.MULTILINE)

    assert {_unescaped(key) for key in [*written, *plural]} == set(compiled_texts)
    assert {key: text for key, text in compiled_texts.items() if key in written} == {
        key: _unescaped(text) for key, text in written.items() if "\\" not in key
    }


def _unescaped(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n")
