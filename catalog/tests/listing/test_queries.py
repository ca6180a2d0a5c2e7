"""The catalog as frontends see it."""

import base64
import itertools
import json
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort
from catalog.products.derived import discount_percent
from catalog.search.lexicon import Lexicon
from catalog.search.query import words_asked
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.listing import brute_force
from catalog.tests.listing.questions import ask
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent

PAGE = """
query Page($filter: ProductFilter! = {}, $sort: ProductSort! = PRICE_ASC, $first: Int, $after: String, $last: Int,
           $before: String) {
  products(filter: $filter, sort: $sort, first: $first, after: $after, last: $last, before: $before) {
    nodes { productId name price { amount currency } basePrice { amount } discountPercent
            category { slug ancestors { slug } children { slug } } stock { geozone available } }
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}
"""


def crafted(*parts: Any) -> str:
    text = json.dumps(list(parts), ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.fixture(scope="module")
def discounted(on_sale: list[Document]) -> Document:
    return next(document for document in on_sale if document["prices"]["sale"] and len(document["stock"]) > 1)


def product_id_of(document: Document) -> str:
    return global_id("Product", document["category"], document["_id"])


def test_product_by_global_id_is_one_command_to_one_shard(discounted: Document) -> None:
    CATEGORIES.get()
    query = """query ($id: ID!) { product(id: $id) {
        id productId name description price { amount currency } basePrice { amount } discountPercent
        attributes { name value } images { url alt } stock { geozone available } spb: stock(geozone: "spb") { geozone }
        createdAt updatedAt category { slug name ancestors { slug } } } }"""

    with COMMANDS.counted() as sent:
        found = ask(query, id=product_id_of(discounted)).data["product"]

    assert sent == {Sent("find", "products", "catalog.card", 1): 1}
    assert found["id"] == product_id_of(discounted)
    assert found["productId"] == discounted["_id"]
    assert found["price"] == {"amount": str(discounted["prices"]["sale"]), "currency": "RUB"}
    assert found["basePrice"] == {"amount": str(discounted["prices"]["base"])}
    assert found["discountPercent"] == 20
    assert found["attributes"] == [{"name": name, "value": value} for name, value in discounted["attributes"].items()]
    assert found["createdAt"] == discounted["created_at"].strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert found["stock"] == [
        {"geozone": level["geozone"], "available": max(0, level["quantity"] - level["reserved"])}
        for level in discounted["stock"]
    ]


def test_product_by_its_own_id_asks_the_directory_then_one_shard(discounted: Document) -> None:
    with COMMANDS.counted() as sent:
        found = ask("query ($id: String!) { product(productId: $id) { productId } }", id=discounted["_id"]).data

    assert found == {"product": {"productId": discounted["_id"]}}
    assert sent == {
        Sent("find", "product_directory", "catalog.card", 1): 1,
        Sent("find", "products", "catalog.card", 1): 1,
    }


def test_withdrawn_or_unknown_product_is_null(documents: list[Document]) -> None:
    withdrawn = next(document for document in documents if document["withdrawn"])
    query = "query ($id: ID, $productId: String) { product(id: $id, productId: $productId) { name } }"

    for arguments in (
        {"id": product_id_of(withdrawn)},
        {"productId": withdrawn["_id"]},
        {"productId": "PROD-0"},
        {"productId": ""},
        {"productId": "x" * 10_000},
        {"id": global_id("Category", "phones")},
        {"id": crafted("Product", {"$gt": ""}, "PROD-1")},
        {"id": crafted("Product", "smartphones")},
        {"id": "$where"},
        {"id": ""},
    ):
        assert ask(query, **arguments).data == {"product": None}


def test_product_needs_exactly_one_of_its_two_arguments(documents: list[Document]) -> None:
    told = [("BAD_USER_INPUT", "Укажите ровно одно: id или productId.")]

    assert ask("{ product { name } }").messages == told
    assert ask('{ product(id: "a", productId: "b") { name } }').messages == told


def test_stock_is_read_alone_under_its_own_policy(discounted: Document) -> None:
    query = "query ($id: ID!, $zone: String) { stock(product: $id, geozone: $zone) { geozone available } }"
    level = discounted["stock"][0]

    with COMMANDS.counted() as sent:
        found = ask(query, id=product_id_of(discounted), zone=level["geozone"]).data

    assert found["stock"] == [{"geozone": level["geozone"], "available": max(0, level["quantity"] - level["reserved"])}]
    assert sent == {Sent("find", "products", "stock.display", 1): 1}
    assert ask(query, id="nonsense").messages == [("NOT_FOUND", "Такого товара нет.")]


@pytest.mark.parametrize("sort", list(Sort))
def test_relay_pages_there_and_back(documents: list[Document], sort: Sort) -> None:
    search = "наушники samsung" if sort is Sort.RELEVANCE else None
    words = words_asked(search or "", Lexicon(branches=CATEGORIES.get().names_shown))
    expected = brute_force.listed(documents, Wanted(categories=("wireless-headphones",), words=words), sort)
    given = {"filter": {"category": "wireless-headphones", "search": search}, "sort": sort.name}

    seen, after = [], None
    while True:
        found = ask(PAGE, **given, first=100, after=after).data["products"]
        seen.append([node["productId"] for node in found["nodes"]])
        after = found["pageInfo"]["endCursor"]
        assert after == found["edges"][-1]["cursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
    back = ask(PAGE, **given, last=100, before=found["pageInfo"]["startCursor"]).data["products"]

    assert list(itertools.chain(*seen)) == expected
    assert len(seen) == 1 or [node["productId"] for node in back["nodes"]] == seen[-2]


def test_page_of_any_size_makes_the_same_number_of_commands(documents: list[Document]) -> None:
    counts = []
    for size in (1, 100):
        CATEGORIES.forget()
        with COMMANDS.counted() as sent:
            ask(PAGE, filter={"category": "audio"}, first=size)
        counts.append(sent.total())

    assert counts == [2, 2]


def test_page_is_24_by_default_and_everything_is_listed_without_a_filter(on_sale: list[Document]) -> None:
    found = ask(PAGE).data["products"]

    assert len(found["nodes"]) == 24
    assert ask("{ products { totalCount } }").data["products"]["totalCount"] == len(on_sale)


def test_page_is_as_large_as_the_setting_allows(on_sale: list[Document], settings: Settings) -> None:
    settings.GRAPHQL_MAX_PAGE = 200

    assert len(ask(PAGE, first=150).data["products"]["nodes"]) == min(150, len(on_sale))
    assert len(on_sale) > 100
    assert ask(PAGE, first=201).messages[0][1] == "first должно быть от 0 до 200, а не 201."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"first": 101}, "first должно быть от 0 до 100, а не 101."),
        ({"last": -1}, "last должно быть от 0 до 100, а не -1."),
        ({"first": 1, "last": 1}, "Укажите либо first и after, либо last и before."),
        ({"after": "a", "before": "b"}, "Укажите либо first и after, либо last и before."),
        ({"first": 1, "before": "b"}, "Укажите либо first и after, либо last и before."),
        ({"sort": "RELEVANCE"}, "Сортировка RELEVANCE возможна только вместе с filter.search."),
        (
            {"sort": "RELEVANCE", "filter": {"search": " "}},
            "Сортировка RELEVANCE возможна только вместе с filter.search.",
        ),
        ({"after": "garbage"}, "Курсор повреждён: «garbage»."),
        (
            {"after": crafted("NAME", "a", "PROD-1")},
            "Курсор взят из сортировки NAME, а запрошена PRICE_ASC. Начните с первой страницы.",
        ),
        ({"filter": {"search": "a" * 201}}, "Запрос длиннее 200 знаков."),
        ({"filter": {"category": "smartphonez"}}, "Категории «smartphonez» нет."),
        ({"filter": {"inStockIn": "moscow"}}, "Геозоны «moscow» нет."),
        ({"filter": {"price": {"min": "2.00", "max": "1"}}}, "price: min 2.00 больше, чем max 1."),
        (
            {"filter": {"attributes": [{"name": "Память", "min": "512", "max": "256"}]}},
            "Память: min 512 больше, чем max 256.",
        ),
        (
            {"filter": {"attributes": [{"name": "Цвет", "values": ["x"] * 101}]}},
            "values: не больше 100, а не 101.",
        ),
    ],
)
def test_what_cannot_be_asked_is_told(documents: list[Document], arguments: dict[str, Any], message: str) -> None:
    assert ask(PAGE, **arguments).messages == [("BAD_USER_INPUT", message)]


@pytest.mark.parametrize(
    "value", [{"$gt": ""}, 5, None, ["1"], "NaN", "Infinity", "1e9", "-1", "", "1" * 400, "0x10", "١٢"]
)
def test_crafted_cursor_never_reaches_the_database(documents: list[Document], value: Any) -> None:
    with COMMANDS.counted() as sent:
        answer = ask(PAGE, after=crafted("PRICE_ASC", value, "PROD-1"))

    assert [code for code, _ in answer.messages] == ["BAD_USER_INPUT"]
    assert not [kind for kind in sent if kind.collection == "products"]


def test_filter_values_are_never_operators(documents: list[Document]) -> None:
    hostile = '{"$gt": ""}'
    for given in (
        {"attributes": [{"name": "$where", "values": [hostile]}]},
        {"search": '$where {"$gt": {"$type": "null"}}'},
    ):
        assert ask(PAGE, filter=given).data["products"]["nodes"] == []


def test_unknown_category_or_geozone_is_an_error_and_no_empty_answer(discounted: Document) -> None:
    hostile = '{"$gt": ""}'
    query = "query ($id: ID!, $zone: String) { stock(product: $id, geozone: $zone) { geozone } }"

    for given, told in (
        ({"category": hostile}, f"Категории «{hostile}» нет."),
        ({"inStockIn": hostile}, f"Геозоны «{hostile}» нет."),
        ({"geozone": "none"}, "Геозоны «none» нет."),
        ({"geozone": "none", "search": "наушники"}, "Геозоны «none» нет."),
        ({"category": "x" * 1_000}, f"Категории «{'x' * 64}» нет."),
    ):
        assert ask(PAGE, filter=given).messages == [("BAD_USER_INPUT", told)]
    assert ask('{ categories(parent: "none") { slug } }').messages == [("BAD_USER_INPUT", "Категории «none» нет.")]
    assert ask(query, id=product_id_of(discounted), zone="none").messages == [("BAD_USER_INPUT", "Геозоны «none» нет.")]


def test_search_without_words_finds_nothing(documents: list[Document]) -> None:
    assert ask(PAGE, filter={"search": "!!! ???"}).data["products"]["nodes"] == []


@pytest.mark.parametrize("typed", ["шзрщту", "айфоны", "iPhone", "IPHONES", "fqajy"])
def test_search_forgives_layout_alphabet_case_and_form(on_sale: list[Document], typed: str) -> None:
    query = "query ($typed: String!) { products(filter: {search: $typed}) { totalCount } }"
    expected = sum("iPhone" in document["name"] + document["description"] for document in on_sale)

    assert ask(query, typed=typed).data["products"]["totalCount"] == expected


def test_categories_as_a_tree(documents: list[Document]) -> None:
    answer = ask(
        """{ categories { slug } audio: categories(parent: "audio") { slug name }
             category(slug: "wired-headphones") { name ancestors { slug } children { slug } }
             none: category(slug: "none") { slug } }"""
    ).data

    assert [category["slug"] for category in answer["categories"]] == ["phones", "audio", "empty"]
    assert [category["slug"] for category in answer["audio"]] == ["headphones", "speakers"]
    assert answer["category"] == {
        "name": "Проводные наушники",
        "ancestors": [{"slug": "audio"}, {"slug": "headphones"}],
        "children": [],
    }
    assert answer["none"] is None


def test_nodes_are_found_by_their_ids_in_one_command_per_type(on_sale: list[Document]) -> None:
    CATEGORIES.get()
    three = on_sale[:3]
    ids = [
        product_id_of(three[0]),
        "nonsense",
        global_id("Category", "audio"),
        product_id_of(three[1]),
        global_id("Shelf", "u:1", "2"),
        product_id_of(three[2]),
        product_id_of(three[0]),
        global_id("Product", "speakers", "no-such"),
    ]
    query = "query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }"

    with COMMANDS.counted() as sent:
        found = ask(query, ids=ids).data["nodes"]

    assert [node and node["id"] for node in found] == [ids[0], None, ids[2], ids[3], None, ids[5], ids[0], None]
    assert [node["__typename"] for node in found if node] == ["Product", "Category", "Product", "Product", "Product"]
    # One for all products; the directory says that the unknown one has not moved elsewhere.
    assert {(kind.collection, number) for kind, number in sent.items()} == {("products", 1), ("product_directory", 1)}
    assert ask(query, ids=["a"] * 101).messages == [("BAD_USER_INPUT", "Не больше 100 id за раз, а не 101.")]
    assert ask("query ($id: ID!) { node(id: $id) { id } }", id=ids[2]).data == {"node": {"id": ids[2]}}


@pytest.mark.parametrize(
    ("base", "price", "percent"),
    [("100", "100", 0), ("100", "99.90", 1), ("100", "0.10", 99), ("100", "0", 100), ("3", "2", 33)],
)
def test_discount_is_rounded_but_never_away(base: str, price: str, percent: int) -> None:
    assert discount_percent(Decimal(base), Decimal(price)) == percent
