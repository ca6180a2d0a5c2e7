"""A stranger without a cookie: each first line makes a session and a cart, but not for ever."""

from collections.abc import Callable, Iterator

import pytest
from pymongo.database import Database

from cart.tests.shop import HOMES
from gateway.accounts.models import User
from gateway.accounts.sessions.cache import GUESTS
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.redis.clients import cache_client, redis_client
from gateway.tests.redis_servers import free_port
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import Visitor

ADD = """
mutation ($lines: [CartLineInput!]!) {
  cartLinesAdd(lines: $lines, geozone: "msk") { token userErrors { code message } }
}
"""
LINES = {"lines": [{"product": global_id("Product", HOMES["PROD-1"], "PROD-1"), "quantity": 1}]}
REFUSAL = "С вашего адреса начато слишком много сеансов. Повторите через 20 мин."


@pytest.fixture(scope="module", params=["with the cache", "without the cache"])
def sparing(request: pytest.FixtureRequest, serve: Callable[..., Server]) -> Server:
    """Three sessions an hour; counted in Redis, or by the process itself."""
    away = {"REDIS_CACHE_URL": f"redis://127.0.0.1:{free_port()}/0"} if "without" in request.param else {}
    return serve(SESSIONS_PER_CLIENT_HOUR="3", **away)


@pytest.fixture
def strangers(sparing: Server, database: Database[Document]) -> Iterator[list[Visitor]]:
    for key in cache_client().scan_iter("sessions:new:*"):
        cache_client().delete(key)
    visitors = [Visitor(str(sparing.client.base_url)) for _ in range(5)]
    yield visitors
    for visitor in visitors:
        visitor.http.close()


def test_address_begins_no_more_carts_than_it_may_and_those_go_on(
    stocked: Database[Document], strangers: list[Visitor]
) -> None:
    at_home = {"x-forwarded-for": "10.3.0.1"}
    before = redis_client().zcard(GUESTS)

    answers = [stranger.ask(ADD, LINES, **at_home)["cartLinesAdd"] for stranger in strangers]
    again = strangers[0].ask(ADD, LINES, **at_home)["cartLinesAdd"]
    elsewhere = strangers[4].ask(ADD, LINES, **{"x-forwarded-for": "10.3.0.2"})["cartLinesAdd"]

    assert [answer["userErrors"] for answer in answers[:3]] == [[]] * 3
    assert answers[3:] == [{"token": None, "userErrors": [{"code": "RATE_LIMITED", "message": REFUSAL}]}] * 2
    assert again == {"token": None, "userErrors": []}
    assert elsewhere["userErrors"] == []
    assert redis_client().zcard(GUESTS) - before == stocked["carts"].count_documents({}) == 4
    assert strangers[3].cookie is None


def test_neither_signing_in_nor_registering_gets_past_it_and_nothing_has_changed(
    database: Database[Document], strangers: list[Visitor], ivan: User
) -> None:
    at_home = {"x-forwarded-for": "10.3.0.3"}
    for stranger in strangers[:3]:
        assert stranger.login(**at_home)["userErrors"] == []

    refused = [strangers[3].login(**at_home), strangers[4].register("olga@example.com", **at_home)]

    assert [[error["code"] for error in answer["userErrors"]] for answer in refused] == [["RATE_LIMITED"]] * 2
    assert [answer["token"] for answer in refused] == [None, None]
    assert User.objects.count() == 1
    assert strangers[0].email(**at_home) == "ivan@example.com"
