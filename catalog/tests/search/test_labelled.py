"""The quality of the search on the demo catalog: what is found for labelled queries and for slips of the finger."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from django.core.management import call_command

from catalog.search import alternatives
from catalog.search.vocabulary import memory
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.search.labelled import QUERIES, Query, precision
from catalog.tests.search.slips import SLIPS, slips
from gateway.graphql.schema import schema
from gateway.mongo.client import close_async_client, database
from gateway.mongo.collections import declared_collections
from gateway.redis.clients import close_async_redis

PRODUCTS = 6_000
# Of each class; a word that hardly any product has tells nothing of the search.
NUMBER, FREQUENT = 40, 5

SEARCH = """
query ($text: String!) {
  products(filter: { search: $text }, sort: RELEVANCE, first: 10) {
    nodes { productId name category { slug } attributes { value } }
  }
}
"""


class Shown(NamedTuple):
    category: str
    name: str
    values: tuple[str, ...]
    product_id: str


@pytest.fixture(scope="module", autouse=True)
def shop(cluster: None) -> Iterator[None]:
    call_command("load_demo", "--products", str(PRODUCTS))
    for remembered in (CATEGORIES, memory.REMEMBERED, alternatives.REMEMBERED):
        remembered.forget()
    yield
    for name, _ in declared_collections():
        database()[name].delete_many({})
    for remembered in (CATEGORIES, memory.REMEMBERED, alternatives.REMEMBERED):
        remembered.forget()


def shown(texts: Sequence[str]) -> list[list[Shown]]:
    """The first ten products for each text, asked as frontends ask."""

    async def ask() -> list[list[Shown]]:
        try:
            return [_shown(await schema.execute(SEARCH, variable_values={"text": text})) for text in texts]
        finally:
            await close_async_client()
            await close_async_redis()

    return asyncio.run(ask())


def _shown(result: Any) -> list[Shown]:
    assert not result.errors, result.errors
    return [
        Shown(
            node["category"]["slug"],
            node["name"],
            tuple(each["value"] for each in node["attributes"]),
            node["productId"],
        )
        for node in result.data["products"]["nodes"]
    ]


@pytest.mark.parametrize("held_out", [False, True], ids=["developed with", "held out"])
def test_labelled_queries_find_what_is_meant(held_out: bool) -> None:
    queries: list[Query] = [query for query in QUERIES if query.is_held_out is held_out]

    found = shown([query.text for query in queries])

    nothing = [query.text for query, products in zip(queries, found, strict=True) if not products]
    assert len(nothing) <= 0.03 * len(queries), nothing
    reached = {
        query.text: precision(query, [(each.category, each.name, each.values) for each in products])
        for query, products in zip(queries, found, strict=True)
    }
    poor = {text: share for text, share in reached.items() if share < 0.5}
    assert sum(reached.values()) / len(queries) >= 0.85, poor


def test_there_are_two_hundred_queries_and_a_third_is_held_out() -> None:
    assert len({query.text for query in QUERIES}) == len(QUERIES) >= 200
    assert 0.27 < sum(query.is_held_out for query in QUERIES) / len(QUERIES) < 0.4


@pytest.mark.parametrize("slip", SLIPS)
def test_mistyped_word_finds_what_the_right_one_finds(slip: str) -> None:
    vocabulary = memory.current_blocking()
    made = slips(slip, [word for word in vocabulary.words() if vocabulary.frequency(word) >= FREQUENT], NUMBER)
    right, mistyped = shown([word for word, _ in made]), shown([slipped for _, slipped in made])

    missed = [
        pair
        for pair, meant, found in zip(made, right, mistyped, strict=True)
        if not found or 2 * len({*meant} & {*found}) < len(found)
    ]

    assert len(made) == NUMBER
    assert len(missed) <= 0.1 * NUMBER, missed
