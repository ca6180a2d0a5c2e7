"""Whoever stands between may keep a public answer for as long as its reads allow, and nothing else."""

import httpx
import pytest

from gateway.graphql.http.cache_headers import is_known, max_age
from gateway.mongo import policies

ZONES = {"query": "{ geozones { code } }"}


def test_get_may_be_cached_as_long_as_its_strictest_read_allows(web: httpx.Client, geozones: None) -> None:
    response = web.get("/graphql", params=ZONES)

    assert response.headers["cache-control"] == "public, max-age=30"
    assert response.headers["vary"] == "Accept, Accept-Encoding, Accept-Language, Origin"
    assert response.json()["extensions"] == {"cost": {"requestedQueryCost": 1, "actualQueryCost": 1}}


def test_catalog_page_by_get_may_be_cached(web: httpx.Client, geozones: None) -> None:
    response = web.get("/graphql", params={"query": "{ products(first: 1) { nodes { name } } }"})

    assert response.json()["data"] == {"products": {"nodes": []}}
    assert response.headers["cache-control"] == "public, max-age=30"


def test_answer_that_the_client_has_is_not_sent_again(web: httpx.Client, geozones: None) -> None:
    first = web.get("/graphql", params=ZONES)

    same = web.get("/graphql", params=ZONES, headers={"if-none-match": first.headers["etag"]})
    other = web.get("/graphql", params=ZONES, headers={"if-none-match": '"another"'})

    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["etag"] == first.headers["etag"]
    assert same.headers["cache-control"] == "public, max-age=30"
    assert "content-type" not in same.headers
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("query", ["{ nothing }", "{", "{ __typename }"])
def test_errors_and_answers_without_a_known_read_are_not_cached(web: httpx.Client, query: str) -> None:
    response = web.get("/graphql", params={"query": query})

    assert response.headers["cache-control"] == "private, no-store"
    assert "etag" not in response.headers


def test_post_is_not_cached(web: httpx.Client, geozones: None) -> None:
    response = web.post("/graphql", json=ZONES)

    assert response.headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize(
    ("used", "seconds"),
    [
        ({policies.CATALOG_LIST}, 30),
        ({policies.CATALOG_LIST, policies.STOCK_DISPLAY}, 5),
        ({policies.CATALOG_LIST, policies.CART_ACTIVE}, 0),
        ({policies.CATALOG_LIST, policies.ORDER_REPORTS}, 0),
        (set(), 0),
    ],
)
def test_smallest_allowance_decides(used: set[policies.Policy], seconds: int) -> None:
    assert max_age(used) == seconds


@pytest.mark.parametrize(
    ("if_none_match", "known"),
    [(None, False), ('"a"', True), ('W/"a"', True), ('"b", "a"', True), ("*", True), ('"b"', False), ("", False)],
)
def test_etags_are_compared_weakly(if_none_match: str | None, known: bool) -> None:
    assert is_known('"a"', if_none_match) is known


def test_policies_are_collected_from_everything_inside() -> None:
    with policies.collecting_policies() as used:
        with policies.under(policies.CATALOG_CARD):
            pass
        policies.note_policy(policies.STOCK_DISPLAY)
    with policies.under(policies.CART_ACTIVE):
        pass

    assert used == {policies.CATALOG_CARD, policies.STOCK_DISPLAY}
