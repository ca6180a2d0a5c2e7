"""Whose request it is, with proxies in front: one answer for limits, sessions, logs and Django."""

from collections.abc import Callable
from ipaddress import ip_network
from typing import Any

import pytest
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.models import User
from gateway.accounts.tests.sessions import forget_attempts
from gateway.mongo.client import Document
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import PASSWORD, Visitor
from gateway.web.clients import client_of
from gateway.web.proxies import behind_proxies

PROXY, STRANGER = "10.0.0.1", "203.0.113.9"


@pytest.fixture
def trusting(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/24"), ip_network("fd00::/64")]
    settings.BEHIND_TLS_PROXY = True


def told(peer: str | None, *headers: tuple[str, str]) -> tuple[str | None, str]:
    """Address and scheme of what is handed on."""
    scope: dict[str, Any] = {
        "client": (peer, 4711) if peer else None,
        "scheme": "http",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    resolved = behind_proxies(scope)
    return resolved["client"] and resolved["client"][0], resolved["scheme"]


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        (PROXY, [], PROXY),
        (PROXY, ["198.51.100.7"], "198.51.100.7"),
        # What the client wrote itself stands further to the left.
        (PROXY, ["192.0.2.1, 198.51.100.7"], "198.51.100.7"),
        (PROXY, ["192.0.2.1", "198.51.100.7"], "198.51.100.7"),
        (PROXY, ["192.0.2.1, 198.51.100.7, 10.0.0.9, 10.0.0.8"], "198.51.100.7"),
        (PROXY, ["192.0.2.1, 10.0.0.9, 198.51.100.7"], "198.51.100.7"),
        # Nobody but ours on the whole way.
        (PROXY, ["10.0.0.7, 10.0.0.8"], "10.0.0.7"),
        (PROXY, ["198.51.100.7:52000"], "198.51.100.7"),
        (PROXY, ["[2001:db8::7]:443"], "2001:db8::7"),
        (PROXY, ["2001:db8::7"], "2001:db8::7"),
        (PROXY, ["::ffff:198.51.100.7"], "198.51.100.7"),
        (PROXY, ["198.51.100.7, unknown"], PROXY),
        (PROXY, ["198.51.100.7, , 10.0.0.9"], "10.0.0.9"),
        (PROXY, ["198.51.100.7, _hidden, 10.0.0.9"], "10.0.0.9"),
        (PROXY, [""], PROXY),
        ("fd00::1", ["198.51.100.7"], "198.51.100.7"),
        ("::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        # Nobody believes a stranger.
        (STRANGER, ["198.51.100.7"], STRANGER),
        ("10.0.1.1", ["198.51.100.7"], "10.0.1.1"),
        (None, ["198.51.100.7"], None),
    ],
)
def test_client_is_the_nearest_that_is_no_proxy_of_ours(peer: str | None, forwarded: list[str], client: str) -> None:
    assert told(peer, *(("x-forwarded-for", value) for value in forwarded))[0] == client


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize(
    ("peer", "headers", "scheme"),
    [
        (PROXY, [("x-forwarded-proto", "https")], "https"),
        (PROXY, [("x-forwarded-proto", "HTTPS")], "https"),
        (PROXY, [("x-forwarded-proto", "http")], "http"),
        (PROXY, [("x-forwarded-proto", "https, http")], "http"),
        (PROXY, [("x-forwarded-proto", "https"), ("x-forwarded-proto", "http")], "http"),
        (PROXY, [("x-forwarded-proto", "javascript")], "http"),
        (PROXY, [], "http"),
        (STRANGER, [("x-forwarded-proto", "https")], "http"),
        (None, [("x-forwarded-proto", "https")], "http"),
    ],
)
def test_scheme_is_what_the_nearest_proxy_says(peer: str, headers: list[tuple[str, str]], scheme: str) -> None:
    assert told(peer, *headers)[1] == scheme


@pytest.mark.usefixtures("trusting")
def test_proxy_that_ends_no_tls_says_nothing_of_the_scheme(settings: Settings) -> None:
    settings.BEHIND_TLS_PROXY = False

    assert told(PROXY, ("x-forwarded-proto", "https"), ("x-forwarded-for", STRANGER)) == (STRANGER, "http")


def test_nobody_is_trusted_by_default(settings: Settings) -> None:
    assert settings.TRUSTED_PROXIES == []
    assert told("127.0.0.1", ("x-forwarded-for", STRANGER), ("x-forwarded-proto", "https")) == ("127.0.0.1", "http")


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        # One of them is not all of them.
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("testclient", "unknown"),
    ],
)
def test_home_network_is_one_client(address: str, client: str) -> None:
    assert client_of({"client": (address, 1), "headers": []}) == client


# ---------------------------------------------------------------- on real servers


@pytest.fixture(scope="module")
def behind(serve: Callable[..., Server]) -> Server:
    """Behind a proxy on this machine."""
    return serve(BEHIND_TLS_PROXY="true", SECURE_SSL_REDIRECT="true", SIGN_IN_FAILURES_PER_ADDRESS="3")


@pytest.fixture(scope="module")
def in_the_open(serve: Callable[..., Server]) -> Server:
    """Nobody is trusted, though a proxy is said to be there."""
    return serve(
        TRUSTED_PROXIES="", BEHIND_TLS_PROXY="true", SECURE_SSL_REDIRECT="true", SIGN_IN_FAILURES_PER_ADDRESS="3"
    )


@pytest.fixture(scope="module")
def without_tls(serve: Callable[..., Server]) -> Server:
    """Likewise, and plain HTTP is good enough."""
    return serve(TRUSTED_PROXIES="", BEHIND_TLS_PROXY="true", SIGN_IN_FAILURES_PER_ADDRESS="3")


@pytest.fixture
def ivan(database: Database[Document]) -> User:
    forget_attempts()
    return User.objects.create_user("ivan@example.com", PASSWORD)


def from_(address: str) -> dict[str, str]:
    return {"x-forwarded-for": address, "x-forwarded-proto": "https"}


def guess(server: Server, times: int, address: str) -> list[str]:
    with Visitor(str(server.client.base_url)) as visitor:
        answers = [visitor.login(f"nobody-{n}@example.com", "wrong", **from_(address)) for n in range(times)]
    return [answer["userErrors"][0]["code"] for answer in answers]


def test_one_client_behind_the_proxy_locks_no_other_out(behind: Server, ivan: User) -> None:
    guesses = guess(behind, 5, "198.51.100.7")

    with Visitor(str(behind.client.base_url)) as visitor:
        assert guesses == ["BAD_CREDENTIALS"] * 3 + ["RATE_LIMITED"] * 2
        assert visitor.login(**from_("198.51.100.8"))["userErrors"] == []


def test_address_that_a_stranger_claims_is_neither_counted_nor_kept(without_tls: Server, ivan: User) -> None:
    with Visitor(str(without_tls.client.base_url)) as visitor:
        visitor.login(**from_("198.51.100.7"))
        seen = visitor.ask("{ viewer { user { sessions { ipAddress } } } }", None, **from_("198.51.100.7"))
    guesses = [guess(without_tls, 1, f"198.51.100.{n}")[0] for n in range(5)]

    assert seen["viewer"]["user"]["sessions"] == [{"ipAddress": "127.0.0.1"}]
    assert guesses == ["BAD_CREDENTIALS"] * 3 + ["RATE_LIMITED"] * 2


def test_sessions_and_logs_know_the_real_client(behind: Server, ivan: User) -> None:
    headers = {**from_("192.0.2.66, 198.51.100.9"), "x-request-id": "from-the-real-one"}
    with Visitor(str(behind.client.base_url)) as visitor:
        visitor.login(**headers)
        seen = visitor.ask("{ viewer { user { sessions { ipAddress } } } }", None, **headers)

    assert seen["viewer"]["user"]["sessions"] == [{"ipAddress": "198.51.100.9"}]
    lines = [line for line in behind.logged("request") if line["request_id"] == "from-the-real-one"]
    assert {line["client"] for line in lines} == {"198.51.100.9"}


def test_only_the_trusted_proxy_makes_a_request_secure(behind: Server, in_the_open: Server) -> None:
    pages = [
        server.client.get("/admin/login/", headers=headers).status_code
        for server in (behind, in_the_open)
        for headers in (from_(STRANGER), {})
    ]

    assert pages == [200, 301, 301, 301]
