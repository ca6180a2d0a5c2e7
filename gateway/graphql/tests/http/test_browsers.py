"""What pages of other sites can make a visitor's browser do."""

import httpx
import pytest

from gateway.tests.web_servers import Server

SHOP = "https://shop.example"
SESSION = {"cookie": "sessionid=abc"}
QUERY = {"query": "{ __typename }"}


def test_get_with_a_session_but_without_proof_of_preflight_is_refused(web: httpx.Client) -> None:
    response = web.get("/graphql", params=QUERY, headers=SESSION)

    assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "CSRF")


@pytest.mark.parametrize("cookie", ["sessionid =abc", "a b=c; sessionid=abc", "theme=dark;sessionid=abc"])
def test_session_is_seen_however_the_cookie_is_written(web: httpx.Client, cookie: str) -> None:
    response = web.get("/graphql", params=QUERY, headers={"cookie": cookie})

    assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "CSRF")


def test_other_cookie_whose_name_ends_alike_is_no_session(web: httpx.Client) -> None:
    assert web.get("/graphql", params=QUERY, headers={"cookie": "oldsessionid=abc"}).status_code == 200


@pytest.mark.parametrize("header", ["x-apollo-operation-name", "apollo-require-preflight"])
def test_get_with_a_session_and_a_header_that_needs_preflight_is_served(web: httpx.Client, header: str) -> None:
    served = web.get("/graphql", params=QUERY, headers={**SESSION, header: "1"})
    refused = web.get("/graphql", params=QUERY, headers={**SESSION, header: ""})

    assert served.json()["data"] == {"__typename": "Query"}
    assert refused.status_code == 400


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_form_with_a_session_is_refused(web: httpx.Client, content_type: str) -> None:
    response = web.post(
        "/graphql", content=b'{"query": "{ __typename }"}', headers={**SESSION, "content-type": content_type}
    )

    assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "CSRF")


def test_json_with_a_session_is_served(web: httpx.Client) -> None:
    assert web.post("/graphql", json=QUERY, headers=SESSION).json()["data"] == {"__typename": "Query"}


def test_get_without_a_session_needs_no_header(web: httpx.Client) -> None:
    assert web.get("/graphql", params=QUERY, headers={"cookie": "theme=dark"}).status_code == 200


def test_page_of_the_shop_may_ask_and_read(strict: Server) -> None:
    preflight = strict.client.options(
        "/graphql",
        headers={
            "origin": SHOP,
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type,apollo-require-preflight",
        },
    )
    answer = strict.client.post("/graphql", json=QUERY, headers={"origin": SHOP, "x-forwarded-for": "10.2.0.1"})

    assert (preflight.status_code, preflight.content) == (204, b"")
    assert {name: value for name, value in preflight.headers.items() if name.startswith("access-control")} == {
        "access-control-allow-origin": SHOP,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "content-type,apollo-require-preflight",
        "access-control-expose-headers": "x-request-id, retry-after",
        "access-control-max-age": "7200",
    }
    assert answer.headers["access-control-allow-origin"] == SHOP
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert "Origin" in answer.headers["vary"]


@pytest.mark.parametrize("origin", ["https://evil.example", "https://shop.example.evil.example", "null"])
def test_page_of_another_site_may_not_read(strict: Server, origin: str) -> None:
    preflight = strict.client.options("/graphql", headers={"origin": origin, "access-control-request-method": "POST"})
    answer = strict.client.post("/graphql", json=QUERY, headers={"origin": origin, "x-forwarded-for": "10.2.0.2"})

    for response in (preflight, answer):
        assert not [name for name in response.headers if name.startswith("access-control")]
