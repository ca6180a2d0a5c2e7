"""Names instead of codes: of what there is, of what is gone, of nothing."""

from pymongo.database import Database

from catalog.structure.names import category_name, geozone_name
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS


def test_names_of_geozones_and_categories(shop: Database[Document]) -> None:
    assert geozone_name("msk") == "Москва"
    assert category_name("audio") == "Аудио"


def test_code_of_what_is_gone_and_nothing_for_none(shop: Database[Document]) -> None:
    assert (geozone_name("gone"), category_name("gone")) == ("gone", "gone")
    assert (geozone_name(None), category_name(""), geozone_name("")) == ("", "", "")


def test_a_page_full_of_names_is_one_read(shop: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        for _ in range(50):
            geozone_name("msk")
            category_name("audio")

    assert {each.collection: count for each, count in sent.items()} == {"geozones": 1, "categories": 1}
