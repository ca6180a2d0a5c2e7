"""The groups of synonyms that the demo shop begins with, and what merchandisers make of them."""

import pytest
from pymongo.database import Database

from catalog.demo.synonyms import GROUPS, load_synonyms
from catalog.search import alternatives
from catalog.search.alternatives import current_blocking
from catalog.search.synonyms import add_synonyms, delete_synonyms, edit_synonyms
from catalog.search.words import words_in
from catalog.tests.shop import MARINA
from gateway.mongo.client import Document


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("айфончик", "iphone"),
        ("ноуты", "ноутбук"),
        ("телек", "телевизор"),
        ("уши", "наушники"),
        ("видюху", "видеокарта"),
        ("зарядка", "зарядное устройство"),
        ("повербанк", "внешний аккумулятор"),
        ("ксяоми", "xiaomi"),
        ("самсунг", "samsung"),
        ("холодос", "холодильник"),
        ("флешку", "usb накопитель"),
        ("type-c", "тайпси"),
    ],
)
def test_spoken_word_stands_for_the_written_one(database: Database[Document], said: str, meant: str) -> None:
    alternatives.REMEMBERED.forget()

    assert load_synonyms() == len(GROUPS)

    assert meant in [" ".join(phrase) for phrase in current_blocking().alternatives(tuple(words_in(said)))]


def test_what_merchandisers_made_of_them_stays(database: Database[Document]) -> None:
    own = add_synonyms(["телек", "экранчик"], actor=MARINA)
    load_synonyms()
    edit_synonyms("demo-iphone", ["iphone", "айфоша"], actor=MARINA)
    delete_synonyms("demo-lg", actor=MARINA)

    assert load_synonyms() == 0

    titles = {each["_id"]: each["title"] for each in database["search_synonyms"].find()}
    assert (titles["demo-iphone"], titles[own["_id"]]) == ("iphone, айфоша", "телек, экранчик")
    assert titles.keys() == (GROUPS.keys() | {own["_id"]}) - {"demo-lg", "demo-television"}
