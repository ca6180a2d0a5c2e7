"""What a query finds as people write it: misspelt, with too many words, in quotes; asked as frontends ask."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo import WriteConcern
from pymongo.database import Database

from catalog.products.derived import standing_of
from catalog.search.alternatives import REMEMBERED
from catalog.search.lexicon import Lexicon, Words
from catalog.search.miss_counter import MISSED
from catalog.search.readings import readings
from catalog.search.synonyms import add_synonyms
from catalog.search.vocabulary.census import count_vocabulary
from catalog.search.vocabulary.vocabulary import Vocabulary
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.listing.questions import ask
from catalog.tests.search.vocabulary.goods import stock_up
from catalog.tests.shop import MARINA
from gateway.mongo.client import Document
from gateway.mongo.policies import STAFF_LIST

SEARCH = """
query ($search: String!, $sort: ProductSort! = RELEVANCE, $first: Int, $after: String, $maximum: Decimal) {
  products(filter: { search: $search, price: { max: $maximum } }, sort: $sort, first: $first, after: $after) {
    searchedFor leftOut totalCount nodes { name } pageInfo { endCursor hasNextPage }
  }
}
"""
PHONE, CASE, BUDS, TABLET = (
    "Смартфон Apple iPhone 15, чёрный",
    "Чехол Deppa Gel для iPhone 15, чёрный",
    "Наушники Samsung Galaxy Buds",
    "Планшет Samsung Galaxy Tab",
)


@pytest.fixture
def goods(database: Database[Document]) -> None:
    everywhere = database["categories"].with_options(write_concern=WriteConcern(w=3, wtimeout=60_000))
    everywhere.insert_many(
        [
            {"_id": "phones", "name": "Смартфоны", "path": [], "position": 1},
            {"_id": "cases", "name": "Чехлы", "path": [], "position": 2},
            {"_id": "sound", "name": "Звук", "path": [], "position": 3},
            {"_id": "audio", "name": "Беспроводные гарнитуры", "path": ["sound"], "position": 1},
        ]
    )
    CATEGORIES.forget()
    # Cases first, so that the order of ids does not help.
    stock_up(database, CASE, category="cases", attributes={"Бренд": "Deppa"})
    stock_up(database, PHONE, category="phones", attributes={"Бренд": "Apple", "Память": "256 ГБ"})
    stock_up(database, BUDS, category="audio", attributes={"NFC": "есть"})
    stock_up(database, TABLET, category="phones")
    count_vocabulary(CATEGORIES.get().names_shown, policy=STAFF_LIST)


def found(search: str, **arguments: Any) -> dict[str, Any]:
    products: dict[str, Any] = ask(SEARCH, search=search, **arguments).data["products"]
    return products


def names(search: str) -> list[str]:
    answer = found(search)
    assert (answer["searchedFor"], answer["leftOut"]) == (None, [])
    return [node["name"] for node in answer["nodes"]]


def test_model_comes_before_what_has_its_letters_and_numbers_elsewhere(
    goods: None, database: Database[Document]
) -> None:
    near, exact = "Смартфон Samsung Galaxy A26, 16 ГБ", "Смартфон Samsung Galaxy A16, 8 ГБ"
    stock_up(database, near, category="phones")
    stock_up(database, exact, category="phones")

    assert names("galaxy a16") == [exact, near]


def test_what_can_be_had_where_the_buyer_is_comes_first(goods: None, database: Database[Document]) -> None:
    away, here = "Смартфон Honor 36", "Смартфон Honor 56"
    stock_up(database, away, here, category="phones")
    on_all = WriteConcern(w=3, wtimeout=60_000)
    zones = database["geozones"].with_options(write_concern=on_all)
    zones.insert_one({"_id": "msk", "name": "Москва", "position": 1})
    everywhere = database["products"].with_options(write_concern=on_all)
    everywhere.update_one({"name": away}, {"$set": {"available_in": [], "standing": 9 * 10**12}})
    query = """query ($zone: String) {
      products(filter: { search: "honor", geozone: $zone }, sort: RELEVANCE) { nodes { name } } }"""

    def shown(zone: str | None) -> list[str]:
        return [node["name"] for node in ask(query, zone=zone).data["products"]["nodes"]]

    assert shown(None) == [away, here]
    assert shown("msk") == [here, away]


def test_of_equals_the_bought_come_first_then_the_new(goods: None, database: Database[Document]) -> None:
    old, new, bought = "Смартфон Honor 1", "Смартфон Honor 2", "Смартфон Honor 3"
    stock_up(database, old, new, bought, category="phones")
    everywhere = database["products"].with_options(write_concern=WriteConcern(w=3, wtimeout=60_000))
    for name, buckets, made_at in ((old, 0, 1), (new, 0, 5), (bought, 1, 3)):
        standing = standing_of(buckets, datetime(2026, 1, made_at, tzinfo=UTC))
        everywhere.update_one({"name": name}, {"$set": {"standing": standing}})

    assert names("honor") == [bought, new, old]


def test_thing_comes_before_what_is_made_for_it(goods: None) -> None:
    assert names("айфон 15") == [PHONE, CASE]
    assert names("чехол айфон 15") == [CASE]
    assert names("256gb") == [PHONE]
    assert names("nfc") == [BUDS]


def test_names_of_categories_are_found_up_the_tree_and_follow_a_new_name_at_once(
    goods: None, database: Database[Document]
) -> None:
    assert names("беспроводная гарнитура") == [BUDS]
    assert names("звук") == [BUDS]
    everywhere = database["categories"].with_options(write_concern=WriteConcern(w=3, wtimeout=60_000))

    everywhere.update_one({"_id": "audio"}, {"$set": {"name": "Затычки"}})
    CATEGORIES.forget()

    assert names("затычки") == [BUDS]


def test_synonym_and_phrase_of_synonyms_find_each_other(goods: None) -> None:
    add_synonyms(["яблофон", "apple iphone", "трубка"], actor=MARINA)
    REMEMBERED.forget()

    assert names("яблофон") == [PHONE]
    assert names("apple iphone") == [PHONE]
    assert names("чёрный яблофон 15") == [PHONE]


@pytest.mark.parametrize(
    ("typed", "corrected", "expected"),
    [
        ("наушнеки", "наушники", [BUDS]),
        ("Смартвон эпл", "смартфон эпл", [PHONE]),
        ("samsng tab", "samsung tab", [TABLET]),
        ("самсуг tab", "samsung tab", [TABLET]),
        ("чехлом deppf", "чехлом deppa", [CASE]),
    ],
)
def test_misspelt_word_is_corrected_and_said(goods: None, typed: str, corrected: str, expected: list[str]) -> None:
    answer = found(typed)

    assert [node["name"] for node in answer["nodes"]] == expected
    assert (answer["searchedFor"], answer["leftOut"], answer["totalCount"]) == (corrected, [], len(expected))


def test_what_was_not_found_as_typed_is_counted_once_a_list(goods: None, database: Database[Document]) -> None:
    MISSED.flush()
    database["search_misses"].delete_many({})
    for search in ("бубубу", "наушнеки", "айфон 27", "чехлы"):
        found(search, first=1)
    first = found("чорный", first=1)
    found("чорный", first=1, after=first["pageInfo"]["endCursor"])

    MISSED.flush()

    counted = {(each["text"], each["outcome"], each["count"]) for each in database["search_misses"].find()}
    assert counted == {
        ("бубубу", "nothing", 1),
        ("наушнеки", "corrected", 1),
        ("айфон 27", "left_out", 1),
        ("чорный", "corrected", 1),
    }


def test_in_quotes_it_is_searched_for_as_typed(goods: None) -> None:
    assert names('"наушнеки"') == []
    assert names("«наушники»") == [BUDS]


def test_least_telling_word_is_left_out_and_said(goods: None) -> None:
    for search, left_out, expected in (
        ("айфон 27", ["27"], {PHONE, CASE}),
        ("наушники бубубу samsung", ["бубубу"], {BUDS}),
        ("чехол samsung", ["samsung"], {CASE}),
        ("бубубу", [], set()),
    ):
        answer = found(search)
        assert ({node["name"] for node in answer["nodes"]}, answer["leftOut"]) == (expected, left_out)


def test_word_is_left_out_where_the_filter_leaves_nothing_with_all(goods: None) -> None:
    assert found("samsung", maximum="1.00")["nodes"] == []


@pytest.mark.parametrize("sort", ["RELEVANCE", "PRICE_ASC", "NAME"])
def test_further_pages_keep_to_the_reading_of_the_first(goods: None, sort: str) -> None:
    first = found("чорный 27", sort=sort, first=1)
    second = found("чорный 27", sort=sort, first=1, after=first["pageInfo"]["endCursor"])
    beyond = found("чорный 27", sort=sort, first=1, after=second["pageInfo"]["endCursor"])

    assert {node["name"] for answer in (first, second) for node in answer["nodes"]} == {PHONE, CASE}
    assert beyond["nodes"] == []
    for answer in (first, second, beyond):
        assert (answer["searchedFor"], answer["leftOut"], answer["totalCount"]) == ("черный 27", ["27"], 2)


def test_short_word_that_is_known_is_not_taken_for_the_other_layout() -> None:
    lexicon = Lexicon(Words(Vocabulary({"ssd": 3, "ноутбук": 4, "привет": 1})))

    (ssd,) = next(readings("ssd", lexicon)).words
    assert set(ssd.terms) == {"ssd", "ссд"}
    assert next(readings("yjen,er", lexicon)).words[0].terms[0] == "ноутбук"
    assert "ноутбук" in next(readings("yjen,er 15", lexicon)).words[0].terms
    assert "привт" in next(readings("ghbdtn", lexicon)).words[0].terms
