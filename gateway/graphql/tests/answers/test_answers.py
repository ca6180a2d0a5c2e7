"""Kept answers as clients of real servers see them, and how many commands they spare MongoDB."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

from catalog.cassandra.structure import copy_structure
from gateway.accounts.sessions.recent_changes import KEY, RECENT_CHANGES
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.graphql.answers.kept import KeptAnswer, Lookup
from gateway.graphql.http import endpoint
from gateway.graphql.relay.ids import global_id
from gateway.graphql.tests.answers.asking import ask_together, caches
from gateway.mongo.client import close_async_client
from gateway.mongo.commands import COMMANDS
from gateway.redis.clients import cache_client, close_async_redis
from gateway.staff.tests.browser import signed_in
from gateway.tests.web_servers import Server

PAGE = {"query": "{ products(first: 5) { nodes { name price { amount } } } }"}
MERCHANDISER = "merchandiser@mobile-world.example"
CARD = {
    "query": "query Card($id: ID!) { product(id: $id) { name } }",
    "variables": {"id": global_id("Product", "audio", "PROD-1")},
}
STOCK = {
    "query": "query Stock($id: ID!) { stock(product: $id) { available } }",
    "variables": CARD["variables"],
}
NAME = """
mutation ($input: ProductInput!) { productUpsert(input: $input) { product { name } userErrors { code } } }
"""


def merchandiser() -> Client:
    """The browser of one who has signed in, and changed nothing for a while."""
    make_demo_accounts()
    browser: Client = signed_in("merchandiser")
    RECENT_CHANGES._own.clear()
    RECENT_CHANGES._all.clear()
    cache_client().delete(KEY)
    return browser


def key_of(browser: Client) -> str:
    key: str = browser.cookies[settings.SESSION_COOKIE_NAME].value
    return key


def test_crowd_that_asks_the_same_makes_mongodb_answer_once(product: None, here: None) -> None:
    with COMMANDS.counted() as sent:
        answers = ask_together(*[PAGE] * 40)

    assert {sent_.collection: count for sent_, count in sent.items()} == {"products": 1}
    assert sorted(map(str, caches(answers))) == ["hit"] * 39 + ["miss"]
    assert {answer.json()["data"]["products"]["nodes"][0]["name"] for answer in answers} == {"Наушники Тишина"}
    assert endpoint.answers.counts == {Lookup.MISS: 1, Lookup.WAITED: 39}


def test_kept_answer_asks_mongodb_for_nothing_and_says_how_old_it_is(product: None, here: None) -> None:
    (first,) = ask_together(PAGE)
    with COMMANDS.counted() as sent:
        (again,) = ask_together(PAGE)

    assert sent == {}
    assert (first.headers["x-cache"], again.headers["x-cache"]) == ("miss", "hit")
    assert "age" not in first.headers
    assert again.headers["age"] == "0"
    assert again.json()["data"] == first.json()["data"]


@pytest.mark.parametrize(("request_", "seconds"), [(PAGE, 30), (CARD, 30), (STOCK, 5)], ids=["page", "card", "stock"])
def test_answer_is_kept_as_long_as_its_policies_allow(
    product: None, here: None, request_: dict[str, Any], seconds: int
) -> None:
    ask_together(request_)

    (key,) = endpoint.answers._kept._kept
    kept = endpoint.answers._kept.get(key)
    assert kept is not None
    assert kept.seconds == seconds
    endpoint.answers._kept.keep(key, KeptAnswer(kept.data, kept.cost, seconds, kept.made_at - seconds), 1)
    assert caches(ask_together(request_)) == ["miss"]


def test_price_is_asked_of_each_and_points_are_told_to_each(product: None, serve: Callable[..., Server]) -> None:
    # How long the machine takes costs nothing.
    tariff = {"GRAPHQL_BUCKET_POINTS": "1000", "GRAPHQL_BUCKET_RESTORE": "1", "GRAPHQL_POINTS_PER_MS": "0"}
    server = serve(GRAPHQL_ANSWERS_BYTES="1000000", **tariff)
    cache_client().delete("graphql:bucket:10.7.1.1", "graphql:bucket:10.7.1.2")
    query = {"query": "query Priced { products(first: 5) { nodes { name } } }"}

    costs = [
        server.client.post("/graphql", json=query, headers={"x-forwarded-for": address}).json()["extensions"]["cost"]
        for address in ("10.7.1.1", "10.7.1.1", "10.7.1.2")
    ]

    assert [(cost["requestedQueryCost"], cost["actualQueryCost"]) for cost in costs] == [(6, 2)] * 3
    left = [cost["throttleStatus"]["currentlyAvailable"] for cost in costs]
    assert left[0] == left[2] == 994
    assert 988 <= left[1] < 994


def test_language_and_variables_make_answers_of_their_own(product: None, here: None) -> None:
    query = "query ($first: Int = 1) { products(first: $first) { nodes { name } } }"
    asked = [{"query": query, "variables": given} for given in ({}, {"first": 1}, {"first": None}, {"first": 2})]

    first = [ask_together(each)[0] for each in asked]
    again = [ask_together(each)[0] for each in asked]
    english = ask_together(asked[0], headers={"accept-language": "en"})

    assert caches(first) == ["miss"] * 4
    assert caches(again) == ["hit"] * 4
    assert caches(english) == ["miss"]


@pytest.mark.parametrize("by", ["cookie", "bearer"])
def test_personal_answers_are_never_kept_and_public_ones_are_everybodys(product: None, here: None, by: str) -> None:
    key = key_of(merchandiser())
    who = {"cookie": f"{settings.SESSION_COOKIE_NAME}={key}"} if by == "cookie" else {"authorization": f"Bearer {key}"}
    mine = {"query": "{ viewer { user { email } } products(first: 5) { nodes { name } } }"}

    personal = [ask_together(mine, headers=headers)[0] for headers in (who, {}, who)]
    public = [ask_together(PAGE, headers=headers)[0] for headers in ({}, who)]

    assert caches(personal) == [None] * 3
    users = [(answer.json()["data"]["viewer"]["user"] or {}).get("email") for answer in personal]
    assert users == [MERCHANDISER, None, MERCHANDISER]
    assert all("no-store" in answer.headers["cache-control"] for answer in personal)
    assert caches(public) == ["miss", "hit"]


def test_crowd_of_different_people_each_gets_its_own(product: None, here: None) -> None:
    key = key_of(merchandiser())

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=endpoint.graphql_endpoint)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as client:
            whose = [{"authorization": f"Bearer {key}"}, {}] * 5
            query = {"query": "{ viewer { user { email } } }"}
            answers = await asyncio.gather(*(client.post("/graphql", json=query, headers=each) for each in whose))
        await close_async_client()
        await close_async_redis()
        return answers

    viewers = [answer.json()["data"]["viewer"]["user"] for answer in asyncio.run(ask())]

    assert viewers == [{"email": MERCHANDISER}, None] * 5


def test_errors_are_not_kept(product: None, here: None) -> None:
    asked = {"query": '{ geozones { code } stock(product: "nonsense") { available } }'}

    answers = [ask_together(asked)[0] for _ in range(2)]

    assert all(answer.json()["errors"] for answer in answers)
    assert caches(answers) == [None, None]


def test_degraded_answers_are_not_kept(product: None, here: None, request: pytest.FixtureRequest) -> None:
    copy_structure()
    request.getfixturevalue("mongodb_away")
    zones = {"query": "{ geozones { code } }"}

    answers = [ask_together(zones)[0] for _ in range(2)]

    assert [answer.json()["extensions"]["degraded"] for answer in answers] == [True, True]
    assert caches(answers) == [None, None]


def test_off_by_one_setting(product: None, here: None, settings: Settings) -> None:
    settings.GRAPHQL_ANSWERS_BYTES = 0

    assert caches([ask_together(PAGE)[0] for _ in range(2)]) == [None, None]
    assert endpoint.answers.size == 0


def test_client_may_ask_for_an_answer_made_now(product: None, here: None) -> None:
    ask_together(PAGE)

    assert caches(ask_together(PAGE, headers={"cache-control": "no-cache"})) == [None]


def test_kept_answer_by_get_is_cached_by_others_for_the_rest_of_its_time(
    product: None, serve: Callable[..., Server]
) -> None:
    client = serve(GRAPHQL_ANSWERS_BYTES="1000000").client
    query = {"query": "query ByGet { geozones { code } }"}

    first, again = (client.get("/graphql", params=query) for _ in range(2))

    assert (first.headers["x-cache"], again.headers["x-cache"]) == ("miss", "hit")
    assert again.content == first.content
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == "public, max-age=30"
    assert int(again.headers["age"]) < 30
    assert first.headers["x-request-id"] != again.headers["x-request-id"]


def rename(web: httpx.Client, cookie: str, name: str) -> None:
    given = {"productId": "PROD-1", "name": name, "category": "audio", "basePrice": "4990.00"}
    body = {"query": NAME, "variables": {"input": given}}
    answer = web.post("/graphql", json=body, headers={"cookie": cookie}).json()
    assert answer["data"]["productUpsert"]["product"]["name"] == name, answer


def name_shown(web: httpx.Client, headers: dict[str, str] | None = None) -> tuple[str, str | None]:
    answer = web.post("/graphql", json=CARD, headers=headers or {})
    return answer.json()["data"]["product"]["name"], answer.headers.get("x-cache")


def test_staff_see_their_own_change_at_once_in_every_process(product: None, serve: Callable[..., Server]) -> None:
    changing = serve(GRAPHQL_ANSWERS_BYTES="1000000", SERVER_NUMBER="1").client
    other = serve(GRAPHQL_ANSWERS_BYTES="1000000", SERVER_NUMBER="2").client
    key = key_of(merchandiser())
    cookie = f"{settings.SESSION_COOKIE_NAME}={key}"
    before = [name_shown(web)[0] for web in (changing, other)]

    rename(changing, cookie, "Наушники Гром")

    staff: list[dict[str, str]] = [{"cookie": cookie}, {"authorization": f"Bearer {key}"}]
    assert before == ["Наушники Тишина"] * 2
    assert name_shown(changing, staff[0]) == ("Наушники Гром", None)
    assert name_shown(changing, staff[1]) == ("Наушники Гром", None)
    # A process looks for the changes of others ten times a second.
    asyncio.run(asyncio.sleep(0.2))
    assert name_shown(other, staff[0]) == ("Наушники Гром", None)
    # Everybody else sees it when the answer's time is over.
    assert [name_shown(web) for web in (changing, other)] == [("Наушники Тишина", "hit")] * 2


def test_change_in_the_admin_is_seen_by_whoever_made_it(product: None, serve: Callable[..., Server]) -> None:
    web = serve(GRAPHQL_ANSWERS_BYTES="1000000", SERVER_NUMBER="3").client
    browser = merchandiser()
    cookie = {"cookie": f"{settings.SESSION_COOKIE_NAME}={key_of(browser)}"}
    name_shown(web)
    seen_before = name_shown(web, cookie)

    browser.post("/admin/language/", {"language": "en"})
    asyncio.run(asyncio.sleep(0.2))

    assert seen_before == ("Наушники Тишина", "hit")
    assert name_shown(web, cookie) == ("Наушники Тишина", None)
