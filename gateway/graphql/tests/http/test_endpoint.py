"""GraphQL over HTTP, as a real client of a real server sees it."""

import json

import httpx
import pytest

GRAPHQL_RESPONSE = "application/graphql-response+json"


def test_geozones_by_post_in_the_order_of_the_merchandisers(web: httpx.Client, geozones: None) -> None:
    response = web.post("/graphql", json={"query": "{ geozones { code name } }"})

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["cache-control"] == "private, no-store"
    assert response.json()["data"] == {
        "geozones": [{"code": "msk", "name": "Москва"}, {"code": "spb", "name": "Санкт-Петербург"}]
    }


def test_slash_at_the_end_of_the_address_changes_nothing(web: httpx.Client, geozones: None) -> None:
    query = {"query": "{ geozones { code } }"}
    answer = {"geozones": [{"code": "msk"}, {"code": "spb"}]}

    assert web.post("/graphql/", json=query).json()["data"] == answer
    assert web.get("/graphql/", params=query).json()["data"] == answer
    assert web.post("/graphql//", json=query).status_code == 404


def test_query_by_get_with_variables_and_operation_name(web: httpx.Client, geozones: None) -> None:
    response = web.get(
        "/graphql",
        params={
            "query": "query A { geozones { code } } query B($all: Boolean!) { geozones { name @include(if: $all) } }",
            "variables": json.dumps({"all": True}),
            "operationName": "B",
        },
        headers={"accept": GRAPHQL_RESPONSE},
    )

    assert response.headers["content-type"] == f"{GRAPHQL_RESPONSE}; charset=utf-8"
    assert response.json()["data"] == {"geozones": [{"name": "Москва"}, {"name": "Санкт-Петербург"}]}


@pytest.mark.parametrize(("accept", "status"), [("application/json", 200), (GRAPHQL_RESPONSE, 400)])
@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"query": "{ geozones {"}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "{ nothing }"}, "GRAPHQL_VALIDATION_FAILED"),
        ({"query": "query ($a: Boolean!) { geozones { code @skip(if: $a) } }"}, "BAD_USER_INPUT"),
        ({"query": "query A { __typename } query B { __typename }"}, "OPERATION_RESOLUTION_FAILURE"),
        ({"query": "query A { __typename }", "operationName": "B"}, "OPERATION_RESOLUTION_FAILURE"),
        ({"query": "fragment F on Query { __typename }"}, "GRAPHQL_VALIDATION_FAILED"),
    ],
)
def test_refused_document_has_the_status_its_media_type_asks_for(
    web: httpx.Client, accept: str, status: int, request_: dict[str, str], code: str
) -> None:
    response = web.post("/graphql", json=request_, headers={"accept": accept})

    assert response.status_code == status
    assert "data" not in response.json()
    assert [error["extensions"]["code"] for error in response.json()["errors"]] == [code]
    assert response.json()["extensions"]["cost"]["actualQueryCost"] == 0


@pytest.mark.parametrize(
    ("content", "content_type", "status", "message"),
    [
        (b"{", "application/json", 400, "Not JSON: body."),
        (b"[" * 9_999, "application/json", 400, "Not JSON: body."),
        (b'{"query": "{a}", "variables": {"a": NaN}}', "application/json", 400, "Not JSON: body."),
        (b'{"query": "{a}", "variables": {"a": "\\uD83D"}}', "application/json", 400, "The text is no Unicode: body."),
        (b"\xff", "application/json", 400, "Not JSON: body."),
        (b"1", "application/json", 400, "Must be an object: body."),
        (b"[]", "application/json", 400, "Batching is not supported: send one operation per request."),
        (
            b'[{"query": "{ __typename }"}, {"query": "{ __typename }"}]',
            "application/json",
            400,
            "Batching is not supported: send one operation per request.",
        ),
        (b"{}", "application/json", 400, "There is no query: the parameter `query`."),
        (b'{"query": 1}', "application/json", 400, "Must be a string: query."),
        (b'{"query": "{a}", "variables": []}', "application/json", 400, "Must be an object: variables."),
        (b'{"query": "{a}", "operationName": 1}', "application/json", 400, "Must be a string: operationName."),
        (b"query={a}", "application/x-www-form-urlencoded", 415, "The content type must be application/json."),
        (b"", "multipart/form-data; boundary=x", 415, "The content type must be application/json."),
        (b"{}", "application/json; charset=koi8-r", 415, "The charset must be utf-8."),
        (b" " * 1_000_001, "application/json", 413, "Bytes of the body: > 1000000, at most 1000000 allowed."),
    ],
)
def test_broken_request_is_told_what_is_wrong(
    web: httpx.Client, content: bytes, content_type: str, status: int, message: str
) -> None:
    response = web.post("/graphql", content=content, headers={"content-type": content_type, "accept-language": "en"})

    assert response.status_code == status
    assert [error["message"] for error in response.json()["errors"]] == [message]


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (b"[" * 100_000, 100_000),
        (b'{"query": "{ __typename }", "variables": {"a": [' + b"[]," * 300_000 + b"1]}}", 600_004),
        (b'{"query": "{ __typename }", "variables": {' + b'"a":{},' * 100_000 + b'"a":1}}', 200_003),
    ],
)
def test_json_of_too_many_values_is_refused_before_it_is_decoded(
    web: httpx.Client, content: bytes, values: int
) -> None:
    response = web.post("/graphql", content=content, headers={"content-type": "application/json"})

    assert response.json()["errors"][0]["extensions"] == {
        "code": "LIMIT_EXCEEDED",
        "limit": "values",
        "value": values,
        "maximum": 10_000,
    }


def test_commas_of_a_long_text_are_no_values(web: httpx.Client, geozones: None) -> None:
    query = "query ($s: String!) { category(slug: $s) { name } }"

    response = web.post("/graphql", json={"query": query, "variables": {"s": '[{, "\\' * 20_000}})

    assert response.json()["data"] == {"category": None}


def test_parameters_of_the_address_have_a_limit_of_their_own(web: httpx.Client) -> None:
    response = web.get("/graphql", params={"query": "{ __typename }", "variables": "1" * 60_000})

    assert response.status_code == 414
    assert response.json()["errors"][0]["extensions"]["limit"] == "urlBytes"


def test_message_is_russian_unless_english_is_asked_for(web: httpx.Client) -> None:
    default = web.post("/graphql", json={})
    english = web.post("/graphql", json={}, headers={"accept-language": "de, en-GB;q=0.8, ru;q=0.5"})

    assert default.json() == {
        "errors": [{"message": "Нет запроса: параметр query.", "extensions": {"code": "BAD_REQUEST"}}]
    }
    assert english.json()["errors"][0]["message"] == "There is no query: the parameter `query`."


def test_mutation_by_get_is_refused(web: httpx.Client) -> None:
    response = web.get("/graphql", params={"query": "mutation { __typename }"})

    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert "data" not in response.json()


def test_other_methods_are_refused(web: httpx.Client) -> None:
    response = web.put("/graphql", json={"query": "{ geozones { code } }"})

    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST, OPTIONS")


def test_media_type_that_nobody_speaks_is_refused(web: httpx.Client) -> None:
    response = web.post("/graphql", json={"query": "{ __typename }"}, headers={"accept": "image/png"})

    assert response.status_code == 406
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


def test_answer_varies_by_what_it_depends_on(web: httpx.Client) -> None:
    response = web.post("/graphql", json={"query": "{ __typename }"})

    assert response.headers["vary"] == "Accept, Accept-Encoding, Accept-Language, Origin"


def test_request_id_is_answered_and_a_hostile_one_replaced(web: httpx.Client) -> None:
    given = web.get("/healthz", headers={"x-request-id": "checkout-0001"})
    hostile = web.get("/healthz", headers={"x-request-id": 'x" level="fatal'})

    assert given.headers["x-request-id"] == "checkout-0001"
    assert len(hostile.headers["x-request-id"]) == 32


def test_emoji_spelt_in_two_halves_is_a_text_like_any_other(web: httpx.Client, geozones: None) -> None:
    body = b'{"query": "query ($s: String!) { category(slug: $s) { name } }", "variables": {"s": "\\ud83d\\ude00"}}'

    response = web.post("/graphql", content=body, headers={"content-type": "application/json"})

    assert response.json()["data"] == {"category": None}
