"""A session that is over is said: by the answer, and by a warning of the first write."""

from typing import Any

import httpx
import pytest
from django.conf import settings
from pymongo.database import Database

from cart.tests.buyer import ADD, lines
from gateway.accounts.models import User
from gateway.mongo.client import Document
from gateway.viewer.tests.visitor import PASSWORD

READ = "{ cart { id } }"
CLEAR = "mutation { cartClear { warnings { code } } }"
LOGOUT = "mutation { logout { viewer { cart { id } } } }"
LOGIN = "mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { token } }"
ENDED = "a-session-that-ended"
BY_COOKIE = {"cookie": f"{settings.SESSION_COOKIE_NAME}={ENDED}"}
BY_TOKEN = {"authorization": f"Bearer {ENDED}"}


def ask(web: httpx.Client, query: str, headers: dict[str, str], **variables: Any) -> dict[str, Any]:
    answer: dict[str, Any] = web.post("/graphql", json={"query": query, "variables": variables}, headers=headers).json()
    return answer


@pytest.mark.parametrize("headers", [BY_COOKIE, BY_TOKEN])
def test_read_under_an_ended_session_says_so(web: httpx.Client, headers: dict[str, str]) -> None:
    answer = ask(web, READ, headers)

    assert answer["data"] == {"cart": None}
    assert answer["extensions"]["session"] == "ENDED"


@pytest.mark.parametrize("headers", [BY_COOKIE, BY_TOKEN])
def test_first_write_is_done_with_a_warning_and_the_next_without(
    web: httpx.Client, stocked: Database[Document], headers: dict[str, str]
) -> None:
    first = ask(web, ADD, {**headers, "accept-language": "en"}, lines=lines(("PROD-1", 1)))
    renewed = {"authorization": f"Bearer {first['data']['a']['token']}"}
    second = ask(web, ADD, renewed, lines=lines(("PROD-1", 1)))

    assert first["data"]["a"]["warnings"] == [
        {
            "code": "SESSION_ENDED",
            "target": None,
            "message": "The session before is over: its cart and orders are there once you sign in.",
        }
    ]
    assert first["extensions"]["session"] == "ENDED"
    assert second["data"]["a"]["warnings"] == []
    assert second["data"]["a"]["cart"]["totalQuantity"] == 2
    assert "session" not in second["extensions"]
    assert ask(web, CLEAR, headers)["data"]["cartClear"]["warnings"] == [{"code": "SESSION_ENDED"}]


def test_who_never_had_a_session_and_who_does_not_ask_for_it_are_told_nothing(web: httpx.Client) -> None:
    assert "session" not in ask(web, READ, {})["extensions"]
    assert "session" not in ask(web, "{ geozones { code } }", BY_TOKEN)["extensions"]


def test_signing_out_under_an_ended_session_tells_nothing_of_it(web: httpx.Client) -> None:
    assert "session" not in ask(web, LOGOUT, BY_COOKIE)["extensions"]


def test_signing_in_tells_nothing_of_the_session_before(web: httpx.Client, database: Database[Document]) -> None:
    User.objects.create_user("ivan@example.com", PASSWORD)

    answer = ask(web, LOGIN, BY_TOKEN, email="ivan@example.com", password=PASSWORD)

    assert answer["data"]["login"]["token"]
    assert "session" not in answer["extensions"]
