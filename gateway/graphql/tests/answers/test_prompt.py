"""Kept answers given at once: the same as the endpoint's, and only where the endpoint would give them too."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.conf import settings as configured
from pytest_django import Settings

from gateway.accounts.owners import session_hash
from gateway.accounts.sessions.recent_changes import RECENT_CHANGES
from gateway.graphql.answers.kept import KeptAnswer, Lookup
from gateway.graphql.answers.questions import LONGEST_BODY, Question, Questions
from gateway.graphql.documents import persisted_queries
from gateway.graphql.documents.persisted_queries import hash_of
from gateway.graphql.http import charges, endpoint
from gateway.graphql.http.prompt import graphql_at_once
from gateway.graphql.tests.answers.asking import ask_together, caches
from gateway.redis.clients import cache_client
from gateway.tests.web_servers import Server
from gateway.web.http import PromptAnswer, Scope
from gateway.web.transport import prompt_api

NAMES = "query Names { products(first: 5) { nodes { name } } }"
PRICES = "query Prices { products(first: 5) { nodes { price { amount } } } }"
QUESTION = Question(b"key", 1, b"digest", None, "off")
# What differs from one answer to the same question to the next.
OF_THE_MOMENT = {"x-request-id", "age", "date", "content-length"}

pytestmark = pytest.mark.usefixtures("product")


def scope_of(request: httpx.Request, **changed: Any) -> Scope:
    headers = [(name.lower(), value) for name, value in request.headers.raw]
    of_the_test = {"scheme": "http", "server": ("shop.example", 80), "client": ("127.0.0.1", 123)}
    return {"method": "POST", "path": "/graphql", "query_string": b"", "headers": headers, **of_the_test, **changed}


def at_once(asked: httpx.Request, **headers: str) -> PromptAnswer | None:
    """The answer given at once to the same request, with some headers changed."""
    again = httpx.Request("POST", asked.url, content=asked.content, headers={**asked.headers, **headers})
    return graphql_at_once(scope_of(again), asked.content)


def asked_twice(content: dict[str, Any], **headers: str) -> httpx.Request:
    """The request, asked so often that it is answered at once from then on."""
    answers = [ask_together(content, headers=headers)[0] for _ in range(2)]
    assert caches(answers) == ["miss", "hit"]
    request: httpx.Request = answers[0].request
    return request


def head_of(answer: PromptAnswer | None) -> dict[str, str]:
    assert answer is not None
    return dict(line.split(": ", 1) for line in answer.head.decode().splitlines())


def test_what_was_asked_twice_is_answered_at_once_as_the_endpoint_answers_it(here: None) -> None:
    asked = asked_twice({"query": NAMES})
    (by_endpoint,) = ask_together({"query": NAMES})

    answer = at_once(asked)

    assert answer is not None
    head = head_of(answer)
    assert {name: value for name, value in head.items() if name not in OF_THE_MOMENT} == {
        name: value for name, value in by_endpoint.headers.items() if name not in OF_THE_MOMENT
    }
    assert (head["content-length"], head["age"]) == (str(len(answer.body)), "0")
    told, expected = httpx.Response(200, content=answer.body).json(), by_endpoint.json()
    for each in (told, expected):
        del each["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"]
    assert told == expected
    assert answer.body.split(b',"extensions"')[0] == by_endpoint.content.split(b',"extensions"')[0]
    assert endpoint.answers.counts == {Lookup.MISS: 1, Lookup.HIT: 3}


def test_what_was_asked_once_or_otherwise_is_left_to_the_endpoint(here: None) -> None:
    (first,) = ask_together({"query": NAMES})
    assert at_once(first.request) is None
    asked = asked_twice({"query": PRICES})

    spaced = httpx.Request("POST", asked.url, content=asked.content + b" ", headers=asked.headers)

    assert at_once(asked) is not None
    assert at_once(spaced) is None
    assert graphql_at_once(scope_of(asked, method="GET"), asked.content) is None


def test_each_language_and_media_type_gets_its_own(here: None) -> None:
    asked = asked_twice({"query": NAMES}, **{"accept-language": "ru"})

    assert at_once(asked, **{"accept-language": "en"}) is None
    # Another spelling of the same language.
    assert at_once(asked, **{"accept-language": "ru-RU, en;q=0.5"}) is not None
    types = ("application/json", "application/graphql-response+json")
    assert [head_of(at_once(asked, accept=type_))["content-type"] for type_ in types] == [
        "application/json; charset=utf-8",
        "application/graphql-response+json; charset=utf-8",
    ]


def test_name_of_the_operation_and_variables_decide(here: None) -> None:
    both = {"query": f"{NAMES} {PRICES}"}
    names, prices = (asked_twice({**both, "operationName": name}) for name in ("Names", "Prices"))

    answers = [at_once(names), at_once(prices)]

    assert [b'"name"' in answer.body for answer in answers if answer] == [True, False]
    assert [b'"amount"' in answer.body for answer in answers if answer] == [False, True]


@pytest.mark.parametrize(
    "header",
    [
        {"accept": "text/html"},
        {"cache-control": "no-cache"},
        {"content-type": "text/plain"},
        {"content-type": "application/json; charset=latin-1"},
        {"accept-language": "ru," * 400},
    ],
    ids=lambda header: next(iter(header.items()))[1][:30],
)
def test_what_the_endpoint_refuses_or_makes_anew_is_left_to_it(here: None, header: dict[str, str]) -> None:
    asked = asked_twice({"query": NAMES})

    assert at_once(asked, **header) is None
    assert at_once(asked) is not None


def test_page_of_another_site_hears_whether_it_may_read_the_answer(here: None, settings: Settings) -> None:
    asked = asked_twice({"query": NAMES})
    settings.GRAPHQL_CORS_ORIGINS, settings.GRAPHQL_CORS_CREDENTIALS = ["https://shop.example"], True

    ours, other = (head_of(at_once(asked, origin=f"https://{name}.example")) for name in ("shop", "other"))

    assert ours["access-control-allow-origin"] == "https://shop.example"
    assert ours["access-control-allow-credentials"] == "true"
    assert "access-control-allow-origin" not in other
    settings.GRAPHQL_CORS_ORIGINS = []
    assert "access-control-allow-origin" not in head_of(at_once(asked, origin="https://shop.example"))


@pytest.mark.parametrize("by", ["cookie", "authorization"])
def test_session_gets_it_while_it_is_known_to_have_changed_nothing(here: None, by: str) -> None:
    header = {by: f"{configured.SESSION_COOKIE_NAME}=secret" if by == "cookie" else "Bearer secret"}
    RECENT_CHANGES._own.clear()
    asked = asked_twice({"query": NAMES})
    (seen,) = ask_together({"query": NAMES}, headers=header)

    assert seen.headers["x-cache"] == "hit"
    RECENT_CHANGES._look_again_at = float("inf")
    assert at_once(asked, **header) is not None
    RECENT_CHANGES._note_here(session_hash("secret"))
    assert at_once(asked, **header) is None
    assert at_once(asked) is not None
    RECENT_CHANGES._own.clear()
    # Time to look for what other processes know.
    RECENT_CHANGES._look_again_at = float("-inf")
    assert at_once(asked, **header) is None


def test_refusals_of_now_come_from_the_endpoint(here: None, settings: Settings) -> None:
    asked = asked_twice({"query": NAMES})

    settings.GRAPHQL_MAX_COST = 5
    assert at_once(asked) is None
    settings.GRAPHQL_MAX_COST = 6
    assert at_once(asked) is not None
    settings.GRAPHQL_OPERATIONS = "enforce"
    assert at_once(asked) is None
    settings.GRAPHQL_OPERATIONS = "off"
    charges.owe("127.0.0.1", 5)
    assert at_once(asked) is None
    charges._owed.clear()
    settings.GRAPHQL_MAX_RUNNING = 0
    assert at_once(asked) is None
    settings.GRAPHQL_MAX_RUNNING = 100
    settings.GRAPHQL_ANSWERS_BYTES = 0
    assert at_once(asked) is None


def test_answer_whose_time_is_over_is_made_anew_and_then_given_at_once_again(here: None) -> None:
    asked = asked_twice({"query": NAMES})
    (key,) = endpoint.answers._kept._kept
    kept = endpoint.answers._kept.get(key)
    assert kept is not None
    endpoint.answers._kept.keep(key, KeptAnswer(kept.data, kept.cost, kept.seconds, kept.made_at - kept.seconds), 1)

    assert at_once(asked) is None
    assert caches(ask_together({"query": NAMES})) == ["miss"]
    assert at_once(asked) is not None


def test_text_named_by_its_id_is_answered_at_once_as_long_as_the_id_names_this_text(here: None) -> None:
    id_ = hash_of(NAMES)
    persisted_queries._automatic.remember(id_, NAMES)
    asked = asked_twice({"extensions": {"persistedQuery": {"version": 1, "sha256Hash": id_}}})

    assert at_once(asked) is not None
    persisted_queries._automatic.remember(id_, PRICES)
    assert at_once(asked) is None
    persisted_queries._automatic.remember(id_, NAMES)
    assert at_once(asked) is not None
    persisted_queries._automatic._kept._forget(id_.encode())
    assert at_once(asked) is None


def test_host_and_plain_http_are_judged_before(here: None, settings: Settings) -> None:
    asked = asked_twice({"query": NAMES})
    answer_at_once = prompt_api(graphql_at_once)
    settings.SECURE_HSTS_SECONDS = 60

    settings.ALLOWED_HOSTS = ["other.example"]
    assert answer_at_once(scope_of(asked), asked.content) is None
    settings.ALLOWED_HOSTS = ["shop.example"]
    plain = head_of(answer_at_once(scope_of(asked), asked.content))
    settings.SECURE_SSL_REDIRECT = True
    assert answer_at_once(scope_of(asked), asked.content) is None
    secure = head_of(answer_at_once(scope_of(asked, scheme="https"), asked.content))

    assert plain["x-content-type-options"] == secure["x-content-type-options"] == "nosniff"
    assert "strict-transport-security" not in plain
    assert secure["strict-transport-security"] == "max-age=60"


def test_questions_are_bounded_in_bytes_and_long_bodies_are_none() -> None:
    questions = Questions(lambda: 80_000)

    for number in range(100):
        questions.remember(b"%d" % number, "ru", QUESTION)
    questions.remember(b"x" * (LONGEST_BODY + 1), "ru", QUESTION)

    assert 9_000 < questions.size <= 10_000
    assert questions.find(b"99", "ru") == QUESTION
    assert questions.find(b"0", "ru") is questions.find(b"99", "en") is None
    assert questions.find(b"x" * (LONGEST_BODY + 1), "ru") is None


def test_each_is_paid_for_and_refused_when_the_points_are_spent(serve: Callable[..., Server]) -> None:
    tariff = {"GRAPHQL_BUCKET_POINTS": "120", "GRAPHQL_BUCKET_RESTORE": "1", "GRAPHQL_POINTS_PER_MS": "0"}
    client = serve(GRAPHQL_ANSWERS_BYTES="1000000", **tariff).client
    cache_client().delete("graphql:bucket:10.7.2.1")
    who = {"x-forwarded-for": "10.7.2.1"}

    answers = [client.post("/graphql", json={"query": NAMES}, headers=who) for _ in range(40)]

    paid = [answer for answer in answers if answer.status_code == 200]
    assert {answer.status_code for answer in answers[len(paid) :]} == {429}
    assert 19 <= len(paid) <= 22
    assert caches(paid)[1:] == ["hit"] * (len(paid) - 1)
    left = [answer.json()["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"] for answer in paid]
    assert left == sorted(left, reverse=True)
