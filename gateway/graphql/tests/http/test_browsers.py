"""What pages of other sites can make a visitor's browser do."""

import httpx
import pytest
from django.test import override_settings

from gateway.graphql.http import browsers
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


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:4321",
        "http://localhost",
        "https://shop.localhost:5173",
        "http://127.0.0.1:1",
        "http://[::1]:3000",
    ],
)
def test_page_of_this_machine_may_read_in_development_whatever_its_port(web: httpx.Client, origin: str) -> None:
    answer = web.post("/graphql", json=QUERY, headers={"origin": origin})

    assert answer.headers["access-control-allow-origin"] == origin
    assert answer.headers["access-control-allow-credentials"] == "true"


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://evil.example:127",
        "file://localhost",
        "null",
    ],
)
def test_page_that_only_looks_like_one_of_this_machine_may_not(web: httpx.Client, origin: str) -> None:
    answer = web.post("/graphql", json=QUERY, headers={"origin": origin})

    assert "access-control-allow-origin" not in answer.headers


@override_settings(PRODUCTION=True, GRAPHQL_CORS_ORIGINS=[SHOP])
def test_page_of_this_machine_may_not_in_production() -> None:
    def allowed(origin: str) -> dict[str, str]:
        return browsers.cors_headers({"headers": [(b"origin", origin.encode())]})

    assert allowed("http://localhost:5173") == {}
    assert allowed(SHOP)["access-control-allow-origin"] == SHOP


PERSONAL = {"query": "{ viewer { user { email } } }"}
PAGE = "http://localhost:5173"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": PAGE, "sec-fetch-site": "cross-site"},
        {"origin": PAGE, "host": "127.0.0.1:8000"},
        {"origin": "http://127.0.0.1:5173", "host": "localhost:8000"},
    ],
)
def test_answer_explains_why_the_browser_keeps_no_cookies(web: httpx.Client, headers: dict[str, str]) -> None:
    answer = web.post("/graphql", json=PERSONAL, headers={**headers, "accept-language": "en"}).json()

    (warning,) = answer["extensions"]["warnings"]
    assert warning["code"] == "COOKIES_REFUSED"
    assert warning["message"].startswith(
        f"The browser will neither send nor keep cookies: the page {headers['origin']} and the address "
    )


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (PERSONAL, {"origin": PAGE, "host": "localhost:8000"}),
        (PERSONAL, {"origin": PAGE, "sec-fetch-site": "same-site", "host": "127.0.0.1:8000"}),
        (PERSONAL, {"origin": PAGE, "sec-fetch-site": "cross-site", "authorization": "Bearer a"}),
        (PERSONAL, {"origin": PAGE, "sec-fetch-site": "cross-site", **SESSION}),
        (PERSONAL, {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}),
        (PERSONAL, {}),
        (QUERY, {"origin": PAGE, "sec-fetch-site": "cross-site"}),
    ],
)
def test_answer_warns_of_nothing_else(web: httpx.Client, content: dict[str, str], headers: dict[str, str]) -> None:
    assert "warnings" not in web.post("/graphql", json=content, headers=headers).json()["extensions"]
