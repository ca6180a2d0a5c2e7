"""The tariff: an object 1, a scalar nothing, a page as many nodes as were asked for, a mutation 10."""

from typing import Any

import pytest
from graphql import GraphQLObjectType
from pytest_django import Settings

from gateway.graphql.documents.cost import EXTRA, check, objects_in
from gateway.graphql.errors import RequestRefused
from gateway.graphql.schema import schema
from gateway.graphql.tests.shop import documents


def cost(query: str, **variables: Any) -> int:
    remembered = documents()
    operation = remembered.prepared(query).operation(None)
    return operation.cost.total(remembered.variables(operation, variables).coerced)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("{ __typename }", 0),
        ("{ __schema { types { name fields { name } } } }", 0),
        ("{ geozones { code } }", 1),
        ('{ node(id: "a") { id } }', 1),
        ('{ nodes(ids: ["a", "b", "c"]) { id } }', 3),
        ('{ nodes(ids: "a") { id } }', 1),
        ('{ nodes(ids: ["a", "b"]) { ... on Product { price { amount } } } }', 4),
        ("{ products { pageInfo { hasNextPage } } }", 2),
        ("{ products { nodes { name } } }", 1 + 24),
        ("{ products { edges { cursor node { name } } } }", 1 + 24),
        ("{ products(first: 10) { nodes { price { amount } images { url } } } }", 1 + 10 * 3),
        ("{ products(last: 7) { edges { node { price { amount } } } } }", 1 + 7 * 2),
        ("{ products(first: null) { nodes { name } } }", 1 + 24),
        ("{ products(first: 0) { nodes { name } } }", 1),
        ("{ products(first: -5) { nodes { name } } }", 1),
        ("{ products(first: 2) { nodes { name } edges { node { name } } } }", 1 + 2 + 2),
        ("{ products(first: 2) { totalCount } }", 1 + 10),
        ("{ products(first: 2) { facets { name } } }", 1 + 20 + 1),
        ('{ category(slug: "a") { ancestors { slug } children { slug } } }', 1 + 5 + 5),
        ("{ products(first: 10) { nodes { category { ancestors { slug } } } } }", 1 + 10 * (1 + 1 + 5)),
        ("mutation { clear { ok } }", 10 + 1),
        ("mutation { clear { query { products(first: 3) { nodes { name } } } } }", 10 + 1 + 1 + 1 + 3),
    ],
)
def test_tariff(query: str, expected: int) -> None:
    assert cost(query) == expected


def test_page_size_comes_from_variables_and_their_defaults() -> None:
    query = "query ($n: Int = 5) { products(first: $n) { nodes { name } } }"

    assert cost(query) == 1 + 5
    assert cost(query, n=50) == 1 + 50
    assert cost(query, n=50.0) == 1 + 50
    assert cost(query, n=None) == 1 + 24


def test_page_without_a_size_costs_what_is_shown(settings: Settings) -> None:
    settings.GRAPHQL_MAX_PAGE = 10

    assert cost("{ products { nodes { name } } }") == 1 + 10


def test_list_size_comes_from_variables() -> None:
    query = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }"

    assert cost(query, ids=["a"] * 40) == 40
    assert cost(query, ids="a") == 1


def test_fragments_count_where_they_are_spread() -> None:
    query = """
    { a: products(first: 10) { ...Page } b: products(first: 20) { ...Page } }
    fragment Page on ProductConnection { nodes { ...Card } }
    fragment Card on Product { price { amount } }
    """

    assert cost(query) == (1 + 10 * 2) + (1 + 20 * 2)


def test_fragment_bomb_is_counted_at_once_and_refused() -> None:
    fragments = [f"fragment F{level} on Category {{ ...F{level + 1} ...F{level + 1} }}" for level in range(40)]
    query = (
        f'{{ category(slug: "a") {{ ...F0 }} }} {" ".join(fragments)} fragment F40 on Category {{ children {{ id }} }}'
    )

    assert cost(query) == 1 + 5 * 2**40


def test_cost_above_the_limit_names_both() -> None:
    check(1000)
    with pytest.raises(RequestRefused) as refused:
        check(1001)

    assert refused.value.formatted("en") == [
        {
            "message": "The query costs 1001, at most 1000 allowed. Ask for fewer objects or smaller pages.",
            "extensions": {"code": "COST_LIMIT", "limit": "cost", "maximum": 1000, "value": 1001},
        }
    ]


def test_objects_of_an_answer_are_counted() -> None:
    assert objects_in(None) == 0
    assert objects_in({"a": 1, "b": [{"c": {}}, {"c": None}], "d": [[{}]]}) == 5


def test_extra_costs_are_those_of_fields_that_exist() -> None:
    served = schema.as_graphql_core()

    for coordinate in EXTRA:
        type_, _, field = coordinate.partition(".")
        found = served.type_map[type_]
        assert isinstance(found, GraphQLObjectType)
        assert field in found.fields
