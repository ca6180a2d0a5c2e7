"""Signing in while Cassandra or Redis is killed, through the web server."""

import pytest
from django.test import Client
from pytest_django import Settings

from catalog.demo.geozones import load_geozones
from deploy.local.start.stack import Stack
from gateway.accounts.models import User
from gateway.accounts.owners import session_hash
from gateway.accounts.sessions.catch_up import catch_up
from gateway.accounts.tests.sessions import in_cassandra, is_alive
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.tests.node import answers
from gateway.redis.clients import redis_client
from gateway.tests.eventually import eventually
from gateway.viewer.tests.visitor import Visitor

pytestmark = [pytest.mark.usefixtures("ivan"), pytest.mark.timeout(170)]


@pytest.fixture(autouse=True)
def own_connection() -> None:
    """This process's own: what the tests look with must not remember the outage."""
    CONNECTOR.close()
    CIRCUIT.reset()


def back_again(stack: Stack, name: str) -> None:
    stack.start(name)
    eventually(answers, within=90)


def test_login_while_cassandra_is_killed_holds_and_reaches_it_when_it_is_back(visitor: Visitor, stack: Stack) -> None:
    stack.kill("cassandra")

    token = visitor.login()["token"]

    assert visitor.email() == "ivan@example.com"
    assert visitor.ask("{ viewer { user { sessions { current } } } }")["viewer"]["user"]["sessions"] == [
        {"current": True}
    ]
    report = visitor.http.get("/readyz").json()["sessions"]
    assert (report["state"], report["kept_in"], report["waiting_for_cassandra"] > 0) == ("degraded", "redis", True)

    back_again(stack, "cassandra")
    eventually(lambda: bool(catch_up() or in_cassandra(session_hash(token))), within=60)

    record = in_cassandra(session_hash(token))
    assert record is not None
    assert record.user_id == str(User.objects.get().pk)
    redis_client().delete(f"session:{session_hash(token)}")
    eventually(lambda: visitor.send("{ viewer { user { email } } }").json().get("errors") is None, within=60)
    assert visitor.email() == "ivan@example.com"


def test_with_redis_killed_people_sign_in_and_out_by_cassandra_alone(visitor: Visitor, stack: Stack) -> None:
    stack.kill("redis")

    token = visitor.login()["token"]

    assert visitor.email() == "ivan@example.com"
    assert visitor.http.get("/readyz").json()["sessions"] == {"state": "degraded", "kept_in": "cassandra"}
    visitor.ask("mutation { logout { token } }")
    assert in_cassandra(session_hash(token)) is None
    stack.start("redis")
    assert not is_alive(token)


def test_with_both_killed_nobody_is_signed_out_and_the_catalog_is_read(visitor: Visitor, stack: Stack) -> None:
    load_geozones()
    token = visitor.login()["token"]
    stack.kill("cassandra")
    stack.kill("redis")

    answer = visitor.send("{ viewer { user { email } } geozones { code } }", None, **{"accept-language": "en"})

    (error,) = answer.json()["errors"]
    assert error["extensions"]["code"] == "SESSIONS_UNAVAILABLE"
    assert error["path"] == ["viewer", "user"]
    assert error["message"].endswith("You are still signed in, try again shortly.")
    assert len(answer.json()["data"]["geozones"]) == 5
    assert "set-cookie" not in answer.headers
    page = visitor.http.get("/admin/")
    assert (page.status_code, page.headers["retry-after"]) == (503, "10")
    nowhere = {"state": "down", "kept_in": "nowhere"}
    eventually(lambda: visitor.http.get("/readyz").json()["sessions"] == nowhere, within=30)

    stack.start("redis")
    assert visitor.email() == "ivan@example.com"
    assert visitor.cookie == token


def test_sessions_are_kept_in_redis_alone_when_cassandra_is_not_configured(
    settings: Settings, database: object
) -> None:
    settings.CASSANDRA_CONTACT_POINTS = []
    browser = Client()
    User.objects.create_superuser("boss@example.com", "correct horse battery")

    browser.post("/admin/login/?next=/admin/", {"username": "boss@example.com", "password": "correct horse battery"})

    assert browser.get("/admin/").status_code == 200
