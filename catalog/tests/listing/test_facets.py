"""Facets and price ranges against a brute-force count, and the short memory of facets."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.test import override_settings

from catalog.listing import facet_cache
from catalog.listing.facet_cache import remembered_facets
from catalog.listing.facets import Facet, FacetValue, facets, price_bound
from catalog.listing.filters import AnyOf, Wanted
from catalog.tests.listing import brute_force
from catalog.tests.listing.questions import ask
from catalog.tests.listing.wishes import EVERY_CATEGORY, LISTED
from gateway.mongo.client import Document, close_async_client
from gateway.mongo.commands import COMMANDS
from gateway.mongo.policies import CATALOG_LIST, collecting_policies
from gateway.mongo.reads import Aggregation, run
from gateway.redis.clients import Reachability, cache_client, close_async_redis

POSSIBLE = [name for name, wanted in LISTED.items() if not wanted.impossible]
WHITE_SAMSUNG = Wanted(
    categories=("smartphones",), attributes=(AnyOf("Цвет", ("белый",)), AnyOf("Бренд", ("Samsung", "Nokia")))
)


def counted(documents: list[Document], wanted: Wanted) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for name in ("Бренд", "Цвет", "Память", "Гарантия"):
        others = tuple(attribute for attribute in wanted.attributes if attribute.name != name)
        matching = [each for each in documents if brute_force.matches(each, replace(wanted, attributes=others))]
        found[name] = Counter(document["attributes"][name] for document in matching)
    return {name: dict(values) for name, values in found.items() if values}


@pytest.fixture(autouse=True)
def nothing_remembered(documents: list[Document]) -> Iterator[None]:
    yield
    for key in cache_client().scan_iter("facets:*"):
        cache_client().delete(key)


@pytest.mark.parametrize("name", [*POSSIBLE, "two selections"])
def test_each_facet_ignores_its_own_selection(documents: list[Document], name: str) -> None:
    wanted = LISTED.get(name, WHITE_SAMSUNG)
    found = run(facets(wanted, every_category=EVERY_CATEGORY))

    assert {facet.name: dict(facet.values) for facet in found} == counted(documents, wanted)
    for facet in found:
        assert facet.values == sorted(facet.values, key=lambda value: (-value.products, value.value))


@pytest.mark.parametrize("name", POSSIBLE)
def test_price_range_ignores_the_price_filter(documents: list[Document], name: str) -> None:
    unbounded = replace(LISTED[name], price_min=None, price_max=None)
    prices = [each["price"].to_decimal() for each in documents if brute_force.matches(each, unbounded)]

    cheapest, dearest = (run(price_bound(LISTED[name], way, every_category=EVERY_CATEGORY)) for way in (1, -1))

    assert (cheapest, dearest) == (min(prices, default=None), max(prices, default=None))


def test_asked_together_with_a_page(documents: list[Document]) -> None:
    found = ask(
        """{ products(filter: {category: "speakers", price: {min: "20000", max: "30000.00"}}, first: 0) {
               nodes { name } totalCount priceRange { min { amount } max { amount } }
               facets { name values { value count } } } }"""
    ).data["products"]
    speakers = [
        each["price"].to_decimal()
        for each in documents
        if brute_force.matches(each, LISTED["empty category"])
        or brute_force.matches(each, Wanted(categories=("speakers",)))
    ]

    assert found["nodes"] == []
    assert found["priceRange"] == {"min": {"amount": f"{min(speakers):.2f}"}, "max": {"amount": f"{max(speakers):.2f}"}}
    assert sum(value["count"] for value in found["facets"][0]["values"]) == found["totalCount"]


async def several(read: Aggregation[list[Facet]], times: int) -> list[list[Facet]]:
    try:
        return await asyncio.gather(*(remembered_facets(read) for _ in range(times)))
    finally:
        await close_async_client()
        await close_async_redis()


def test_stampede_computes_once_and_the_answer_is_remembered(documents: list[Document]) -> None:
    read = facets(LISTED["category"], every_category=EVERY_CATEGORY)

    with COMMANDS.counted() as sent:
        answers = asyncio.run(several(read, 20))
        with collecting_policies() as used:
            later = asyncio.run(several(read, 1))

    assert sent.total() == 1
    assert [*answers, *later] == [run(read)] * 21
    assert used == {CATALOG_LIST}


def test_answer_that_came_between_the_look_and_the_claim_is_not_computed_again(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = facets(LISTED["one facet"], every_category=EVERY_CATEGORY)
    claim = facet_cache._claim

    async def claim_after_another_has_finished(key: str, mine: str) -> bool:
        monkeypatch.setattr(facet_cache, "_claim", claim)
        await facet_cache.remembered_facets(read)
        return await claim(key, mine)

    monkeypatch.setattr(facet_cache, "_claim", claim_after_another_has_finished)
    with COMMANDS.counted() as sent:
        answers = asyncio.run(several(read, 1))

    assert sent.total() == 1
    assert answers == [run(read)]


def test_two_filters_never_share_an_answer(documents: list[Document]) -> None:
    for name in ("category", "in stock", "one facet", "price range"):
        read = facets(LISTED[name], every_category=EVERY_CATEGORY)
        assert asyncio.run(several(read, 1)) == [run(read)]


@override_settings(REDIS_CACHE_URL="redis://127.0.0.1:9/0")
def test_without_redis_a_crowd_computes_once_too(documents: list[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    # So that later tests do not find Redis given up.
    monkeypatch.setattr("gateway.redis.clients._reachability", Reachability())
    monkeypatch.setattr(facet_cache, "_own", facet_cache._OwnMemory())
    read = facets(LISTED["category"], every_category=EVERY_CATEGORY)

    with COMMANDS.counted() as sent:
        answers = [*asyncio.run(several(read, 20)), *asyncio.run(several(read, 1))]

    assert sent.total() == 1
    assert answers == [run(read)] * 21


def test_memory_of_the_process_is_bounded_and_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facet_cache, "OWN_ENTRIES", 3)
    memory = facet_cache._OwnMemory()

    for number in range(10):
        memory.put(f"facets:{number}", "answer", 60_000)
    memory.put("facets:old", "answer", 0)

    assert [number for number in range(10) if memory.get(f"facets:{number}")] == [8, 9]
    assert memory.get("facets:old") == ""


def test_dead_computer_holds_the_others_back_for_a_moment_only(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facet_cache, "COMPUTE_MS", 200)
    read: Aggregation[Any] = facets(LISTED["in stock"], every_category=EVERY_CATEGORY)

    async def ask_after_a_death() -> list[list[Facet]]:
        cache_client().set(f"{facet_cache._key(read)}:lock", "somebody who died", px=60_000)
        return await several(read, 1)

    assert asyncio.run(ask_after_a_death()) == [run(read)]


def test_facets_and_values_are_bounded_to_the_most_frequent() -> None:
    read = facets(LISTED["category"], every_category=EVERY_CATEGORY)
    rows = [{"_id": f"name{name}=value{value}", "count": 100 - value} for name in range(40) for value in range(60)]

    found = read.result(rows)

    assert len(found) == 30
    assert {len(facet.values) for facet in found} == {50}
    assert found[0].values[0] == FacetValue("value0", 100)
