"""What one document may hold. Each refusal names the limit, the value found and the value allowed."""

from typing import Any

import httpx
import pytest
from graphql import get_introspection_query
from pytest_django import Settings

from gateway.graphql.errors import RequestRefused
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.connections import page_asked
from gateway.graphql.tests.shop import documents


def nested(levels: int) -> str:
    return '{ category(slug: "a") ' + "{ children " * (levels - 2) + "{ slug }" + " }" * (levels - 2) + " }"


def refusal(query: str, **variables: Any) -> dict[str, Any] | None:
    """What is told besides the message, or None when the document may run."""
    remembered = documents()
    try:
        operation = remembered.prepared(query).operation(None)
        operation.cost.total(remembered.variables(operation, variables).coerced)
    except RequestRefused as refused:
        return dict(refused.formatted("en")[0]["extensions"])
    return None


def exceeded(limit: str, value: int | str, maximum: int) -> dict[str, Any]:
    return {"code": "LIMIT_EXCEEDED", "limit": limit, "value": value, "maximum": maximum}


FRAGMENT = "fragment C on Category { children { slug } }"


@pytest.mark.parametrize(
    ("allowed", "refused", "told"),
    [
        ("{ __typename }" + " " * 14_986, "{ __typename }" + " " * 14_987, exceeded("documentBytes", 15_001, 15_000)),
        (
            "{ __typename }#" + "😀" * 3_746,
            "{ __typename }#" + "😀" * 3_747,
            exceeded("documentBytes", 15_003, 15_000),
        ),
        ("{ __typename }" + "#\n" * 1_996, "{ __typename }" + "#\n" * 1_999, exceeded("tokens", "> 2000", 2_000)),
        (nested(12), nested(13), exceeded("depth", 13, 12)),
    ],
)
def test_limit_of_size(allowed: str, refused: str, told: dict[str, Any]) -> None:
    assert refusal(allowed) is None
    assert refusal(refused) == told


def test_depth_is_counted_through_fragments() -> None:
    query = nested(12).replace("{ slug }", "{ ...C }") + FRAGMENT

    assert refusal(query) == exceeded("depth", 13, 12)


def test_aliases() -> None:
    aliases = [f"a{number}: __typename" for number in range(16)]

    assert refusal("{ " + " ".join(aliases[:15]) + " }") is None
    assert refusal("{ " + " ".join(aliases) + " }") == exceeded("aliases", 16, 15)


def test_directives() -> None:
    fields = ["__typename @skip(if: false) @include(if: true)"] * 25

    assert refusal("{ geozones { " + " ".join(fields) + " } }") is None
    assert refusal("{ geozones { code @skip(if: false) " + " ".join(fields) + " } }") == exceeded("directives", 51, 50)


def test_root_fields_are_counted_through_fragments() -> None:
    fragment = "fragment Q on Query { __typename }"

    assert refusal("{ " + "...Q " * 20 + "} " + fragment) is None
    assert refusal("{ __typename " + "...Q " * 20 + "} " + fragment) == exceeded("rootFields", 21, 20)


def test_one_sign_in_per_document() -> None:
    login, register = '{name}: login(email: "a") {{ ok }}', 'register(email: "a") { ok }'
    told = {"code": "LIMIT_EXCEEDED", "limit": "signIns", "maximum": 1}

    assert refusal("mutation { " + login.format(name="a") + " clear { ok } }") is None
    assert refusal("mutation { " + login.format(name="a") + login.format(name="b") + " }") == told
    assert refusal("mutation { " + login.format(name="a") + register + " }") == told
    assert refusal("mutation { ...M ...M } fragment M on Mutation { " + register + " }") == told


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("{ " + "nothing " * 21 + "}", exceeded("rootFields", 21, 20)),
        ("{ " + "...Q " * 21 + "} fragment Q on Query { nothing ...Q }", exceeded("rootFields", 21, 20)),
        ("{ " + "nothing " * 21 + "...Missing }", exceeded("rootFields", 21, 20)),
        (
            "{ a { b { c { ...A } } } } fragment A on X " + "{ a " * 10 + "{ ...A }" + " }" * 10,
            exceeded("depth", 13, 12),
        ),
        ("mutation { a: login b: login }", {"code": "LIMIT_EXCEEDED", "limit": "signIns", "maximum": 1}),
        ("{ __schema " + "{ a " * 20 + "}" * 20 + " }", exceeded("introspectionDepth", 21, 20)),
        ("{ " + "a" * 129 + " }", exceeded("name", 129, 128)),
        ("{ a(b: {" + "c: 1 " * 101 + "}) }", exceeded("list", 101, 100)),
    ],
)
def test_document_that_is_invalid_as_well_is_refused_by_the_limit_before_it_is_validated(
    query: str, told: dict[str, Any]
) -> None:
    assert refusal(query) == told


def test_chain_of_fragments_longer_than_the_stack_is_measured() -> None:
    chain = " ".join(
        f"fragment F{n} on Category {{ " + "... { " * 18 + f"...F{n + 1}" + " }" * 18 + " }" for n in range(5)
    )

    assert refusal("{ a { ...F0 } } " + chain + " fragment F5 on Category " + "{ a " * 12 + "}" * 12) == exceeded(
        "depth", 13, 12
    )


def test_page_size_written_or_in_a_variable() -> None:
    query = "query ($n: Int) { products(first: $n) { nodes { name } } }"

    assert refusal("{ products(first: 100) { nodes { name } } }") is None
    assert refusal("{ products(first: 101) { nodes { name } } }") == exceeded("page", 101, 100)
    assert refusal("{ products(last: 101) { edges { cursor } } }") == exceeded("page", 101, 100)
    assert refusal(query, n=100) is None
    assert refusal(query, n=2_000_000) == exceeded("page", 2_000_000, 100)


def test_setting_raises_the_page_size_too(settings: Settings) -> None:
    settings.GRAPHQL_MAX_PAGE = 200

    assert refusal("{ products(first: 200) { nodes { name } } }") is None
    assert refusal("{ products(first: 201) { nodes { name } } }") == exceeded("page", 201, 200)
    assert page_asked(200, None, None, None).size == page_asked(None, None, 200, None).size == 200
    with pytest.raises(BadInput):
        page_asked(201, None, None, None)


def test_page_without_a_size_is_within_a_setting_below_the_default(settings: Settings) -> None:
    settings.GRAPHQL_MAX_PAGE = 10

    assert refusal("{ products { nodes { name } } }") is None
    assert refusal("{ products(first: 11) { nodes { name } } }") == exceeded("page", 11, 10)
    assert page_asked(None, None, None, None).size == 10
    with pytest.raises(BadInput):
        page_asked(None, None, 11, None)


def test_list_written_or_in_a_variable() -> None:
    written = "{{ products(filter: {{ nested: {{ brands: [{}] }} }}) {{ nodes {{ name }} }} }}"
    variable = "query ($filter: Filter) { products(filter: $filter) { nodes { name } } }"

    assert refusal(written.format('"a" ' * 100)) is None
    assert refusal(written.format('"a" ' * 101)) == exceeded("list", 101, 100)
    assert refusal(variable, filter={"nested": {"brands": ["a"] * 100}}) is None
    assert refusal(variable, filter={"nested": {"brands": ["a"] * 101}}) == exceeded("list", 101, 100)


def test_repeated_fields_which_validation_would_compare_with_each_other() -> None:
    assert refusal("{ geozones { " + "code " * 50 + "} }") is None
    assert refusal("{ geozones { " + "code " * 1_900 + "} }") == exceeded("repeats", 1_900, 50)
    assert refusal("{ geozones { " + "...{ code } " * 400 + "} }") == exceeded("fragments", 400, 100)


@pytest.mark.parametrize(
    "query",
    [
        "{ a { " * 600,
        "{ geozones { ...A } } fragment A on Geozone { ...B } fragment B on Geozone { ...A }",
        "{ geozones { ...A } } fragment A on Geozone { code ...A }",
        "query ($a: [[[[[[[[Int]]]]]]]]) { __typename }",
        "{ products(filter: " + "{ nested: " * 300 + "null" + " }" * 300 + ") { nodes { name } } }",
    ],
)
def test_hostile_documents_are_refused_cleanly(query: str) -> None:
    told = refusal(query)

    assert told is not None
    assert told["code"] in {"GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED"}


def test_full_introspection_is_within_the_limits(web: httpx.Client) -> None:
    query = get_introspection_query(
        specified_by_url=True, schema_description=True, directive_is_repeatable=True, input_value_deprecation=True
    )

    response = web.post("/graphql", json={"query": query})

    assert response.json()["data"]["__schema"]["queryType"]["name"] == "Query"


def test_introspection_has_a_depth_of_its_own() -> None:
    query = "{ __schema { types " + "{ ofType " * 20 + "{ name }" + " }" * 20 + " } }"

    assert refusal(query.replace("types", "queryType")) == exceeded("introspectionDepth", 23, 20)


@pytest.mark.parametrize(
    ("query", "variables", "message"),
    [
        (
            "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }",
            {"ids": ["a"] * 101},
            "Elements of a list ($ids): 101, at most 100 allowed.",
        ),
        (
            "query ($filter: ProductFilter!) { products(filter: $filter) { nodes { name } } }",
            {"filter": {"attributes": [{"name": "a", "values": []}, {"name": "b", "values": ["c"] * 101}]}},
            "Elements of a list ($filter.attributes.1.values): 101, at most 100 allowed.",
        ),
        (
            '{ nodes(ids: ["a"' + ' "a"' * 100 + "]) { id } }",
            {},
            "Elements of a list (1:14): 101, at most 100 allowed.",
        ),
        (
            "query ($n: Int) { products(first: $n) { nodes { name } } }",
            {"n": 101},
            "Size of a page ($n): 101, at most 100 allowed.",
        ),
    ],
)
def test_refusal_says_where(web: httpx.Client, query: str, variables: dict[str, Any], message: str) -> None:
    response = web.post("/graphql", json={"query": query, "variables": variables}, headers={"accept-language": "en"})

    assert [error["message"] for error in response.json()["errors"]] == [message]


def test_refusal_is_told_over_http_in_russian(web: httpx.Client) -> None:
    aliases = " ".join(f"a{number}: __typename" for number in range(16))

    response = web.post("/graphql", json={"query": f"{{ {aliases} }}"})

    assert response.json()["errors"] == [
        {
            "message": "Псевдонимов в документе: 16, а можно не больше 15.",
            "extensions": exceeded("aliases", 16, 15),
        }
    ]
