"""The proxy of compose, with its own configuration, before a real gateway with production's settings."""

import os
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.local.servers.caddy import locate
from deploy.tests.descriptions import ROOT
from deploy.tests.servers import running
from gateway.tests.redis_servers import free_port
from gateway.web.tests.production import PRODUCTION
from gateway.web.transport import ADMIN_POLICY, HEADERS

CADDYFILE = ROOT / "deploy" / "compose" / "Caddyfile"
QUERY = {"query": "{ __typename }"}


@pytest.fixture(scope="module")
def site(run_process: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """Its port and the certificate of whoever signed its own."""
    directory = tmp_path_factory.mktemp("proxy")
    web, port, admin = free_port(), free_port(), free_port()
    run_process(
        *("uvicorn", "gateway.asgi:application", "--no-proxy-headers", "--no-server-header", "--port", str(web)),
        **{**PRODUCTION, "ALLOWED_HOSTS": "localhost", "BEHIND_TLS_PROXY": "true", "TRUSTED_PROXIES": "127.0.0.1"},
    )
    configuration = directory / "Caddyfile"
    configuration.write_text(CADDYFILE.read_text().replace("127.0.0.1:2019", f"127.0.0.1:{admin}"))
    environment = {
        "SITE": f"https://localhost:{port}",
        "WEB": f"127.0.0.1:{web}",
        "HOME": str(directory),
        "XDG_DATA_HOME": str(directory / "data"),
        "XDG_CONFIG_HOME": str(directory / "config"),
    }
    command = [str(locate(Launch(Progress()))), "run", "--config", str(configuration), "--adapter", "caddyfile"]
    authority = directory / "data" / "caddy" / "pki" / "authorities" / "local" / "root.crt"

    def ready() -> bool:
        if not authority.exists():
            return False
        try:
            return httpx.get(f"http://127.0.0.1:{web}/healthz").status_code == 200 and hello(port, authority) != ""
        except (httpx.ConnectError, OSError):
            return False

    with running(command, ready=ready, log=directory / "caddy.log", environment=environment):
        yield port, authority


def hello(port: int, authority: Path) -> str:
    """Which protocol the proxy chooses of the two that browsers offer."""
    context = ssl.create_default_context(cafile=str(authority))
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as secure,
    ):
        return secure.selected_alpn_protocol() or ""


@pytest.fixture
def client(site: tuple[int, Path]) -> Iterator[httpx.Client]:
    port, authority = site
    trusting = ssl.create_default_context(cafile=str(authority))
    with httpx.Client(base_url=f"https://localhost:{port}", timeout=20, verify=trusting) as client:
        yield client


def test_configuration_is_valid_and_formatted() -> None:
    caddy = str(locate(Launch(Progress())))
    environment = {**os.environ, "SITE": "https://localhost:8443", "WEB": "web:8000"}
    arguments = ["validate", "--config", str(CADDYFILE), "--adapter", "caddyfile"]
    subprocess.run([caddy, *arguments], env=environment, check=True, capture_output=True)
    assert subprocess.run([caddy, "fmt", "--diff", str(CADDYFILE)], check=False, capture_output=True).returncode == 0


def test_buyer_reaches_both_halves_over_tls(client: httpx.Client) -> None:
    answer = client.post("/graphql", json=QUERY)
    page = client.get("/admin/")

    assert (answer.status_code, answer.json()["data"]) == (200, {"__typename": "Query"})
    assert page.status_code == 302
    for response, policy in ((answer, HEADERS["content-security-policy"]), (page, ADMIN_POLICY)):
        expected = {**HEADERS, "strict-transport-security": "max-age=31536000", "content-security-policy": policy}
        assert {name: response.headers.get_list(name) for name in expected} == {
            name: [value] for name, value in expected.items()
        }
        assert "server" not in response.headers


def test_browser_is_offered_http_2(site: tuple[int, Path]) -> None:
    assert hello(*site) == "h2"


@pytest.mark.parametrize("encoding", ["zstd", "gzip"])
def test_answers_are_compressed(client: httpx.Client, encoding: str) -> None:
    long = {"query": "{" + " ".join(f"{'x' * 100}{number}: __typename" for number in range(10)) + "}"}
    response = client.post("/graphql", json=long, headers={"accept-encoding": encoding})

    assert response.headers["content-encoding"] == encoding
    assert response.num_bytes_downloaded < len(client.post("/graphql", json=long).content) / 2


def test_client_cannot_speak_for_the_proxy(client: httpx.Client) -> None:
    forged = {"x-forwarded-proto": "http", "x-forwarded-for": "203.0.113.9", "x-forwarded-host": "evil.example"}

    assert client.post("/graphql", json=QUERY, headers=forged).status_code == 200
