"""Both halves of the gateway, GraphQL and Django, on real servers with production's settings: one list for both."""

import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from gateway.tests.certificates import make_certificates
from gateway.tests.redis_servers import free_port
from gateway.tests.web_servers import answering
from gateway.web.tests.production import PRODUCTION
from gateway.web.transport import ADMIN_POLICY, CONTENT_SECURITY_POLICY, HEADERS

HOST = {"host": "shop.example"}
QUERY = {"query": "{ __typename }"}
HALVES = {
    "an answer of GraphQL": ("POST", "/graphql", 200),
    "a refusal of GraphQL": ("PUT", "/graphql", 405),
    "a page of Django": ("GET", "/admin/", 302),
    "an error of Django": ("GET", "/nowhere", 404),
}


@pytest.fixture(scope="module")
def plain(run_process: Callable[..., Path]) -> Iterator[httpx.Client]:
    """Without TLS, and without a proxy that could have it."""
    port = free_port()
    log = run_process("uvicorn", "gateway.asgi:application", "--port", str(port), **PRODUCTION)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
        yield answering(client, log)


@pytest.fixture(scope="module")
def secure(run_process: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """With TLS of its own."""
    port = free_port()
    made = make_certificates(tmp_path_factory.mktemp("web"))
    tls = ("--ssl-certfile", str(made.certificate), "--ssl-keyfile", str(made.key))
    log = run_process("uvicorn", "gateway.asgi:application", "--port", str(port), *tls, **PRODUCTION)
    trusting = ssl.create_default_context(cafile=str(made.authority))
    with httpx.Client(base_url=f"https://127.0.0.1:{port}", timeout=20, verify=trusting) as client:
        yield answering(client, log)


def ask(client: httpx.Client, half: str, **headers: str) -> httpx.Response:
    method, path, _ = HALVES[half]
    body = QUERY if path == "/graphql" else None
    return client.request(method, path, json=body, headers={**HOST, **headers})


@pytest.mark.parametrize("half", HALVES)
def test_every_answer_carries_each_header_once(secure: httpx.Client, half: str) -> None:
    response = ask(secure, half)

    assert response.status_code == HALVES[half][2]
    expected = {**HEADERS, "strict-transport-security": "max-age=31536000"}
    if HALVES[half][1].startswith("/admin/"):
        expected["content-security-policy"] = ADMIN_POLICY
    assert {name: response.headers.get_list(name) for name in expected} == {
        name: [value] for name, value in expected.items()
    }


@pytest.mark.parametrize(
    "host", ["evil.example", "shop.example.evil.example", "127.0.0.1", "shop.example,evil.example"]
)
@pytest.mark.parametrize("half", HALVES)
def test_unknown_host_is_refused(secure: httpx.Client, half: str, host: str) -> None:
    response = ask(secure, half, host=host)

    assert (response.status_code, response.text) == (400, "This host name is not served here.\n")
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("half", HALVES)
def test_subdomain_of_an_allowed_host_is_served(secure: httpx.Client, half: str) -> None:
    assert ask(secure, half, host="spb.shops.example").status_code == HALVES[half][2]


@pytest.mark.parametrize("path", ["/admin/login/?next=/admin/", "/images/X-1.svg", "/static/none.css"])
def test_page_over_plain_http_is_redirected(plain: httpx.Client, path: str) -> None:
    response = plain.get(path, headers=HOST)

    assert response.status_code == 301
    assert response.headers["location"] == f"https://shop.example{path}"
    assert "strict-transport-security" not in response.headers


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/graphql"), ("GET", "/graphql"), ("POST", "/payments/webhook"), ("POST", "/admin/login/")],
)
def test_what_carries_secrets_is_refused_over_plain_http(plain: httpx.Client, method: str, path: str) -> None:
    response = plain.request(method, path, headers=HOST, json=QUERY)

    assert response.status_code == 403
    assert response.text.startswith("Use HTTPS.")
    assert response.headers["x-content-type-options"] == "nosniff"


def test_redirect_never_leads_to_a_host_that_is_not_served(plain: httpx.Client) -> None:
    assert plain.get("/admin/", headers={"host": "evil.example"}).status_code == 400
    two_slashes = plain.get(f"{plain.base_url}//evil.example/x", headers=HOST)
    assert two_slashes.headers["location"] == "https://shop.example//evil.example/x"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_load_balancer_asks_health_by_address_over_plain_http(plain: httpx.Client, path: str) -> None:
    response = plain.get(path)

    assert response.status_code == 200
    assert {name: response.headers[name] for name in HEADERS} == HEADERS


def test_admin_runs_scripts_of_its_own_files_only() -> None:
    rules = dict(rule.split(" ", 1) for rule in ADMIN_POLICY.split("; "))

    assert rules["script-src"] == "'self' 'unsafe-eval'"
    assert rules["default-src"] == "'self'"
    assert "'unsafe-eval'" not in CONTENT_SECURITY_POLICY


def test_page_with_rules_of_its_own_keeps_them(web: httpx.Client) -> None:
    page = web.get("/graphql", headers={"accept": "text/html"})

    (policy,) = page.headers.get_list("content-security-policy")
    assert policy.startswith(CONTENT_SECURITY_POLICY)
    assert "script-src 'self' 'sha256-" in policy
    assert page.headers["x-frame-options"] == "DENY"
