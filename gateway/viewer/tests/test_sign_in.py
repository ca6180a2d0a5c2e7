"""register, login and viewer, through the web server."""

from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from gateway.accounts.demo import PASSWORD as DEMO_PASSWORD
from gateway.accounts.demo import ensure_demo_accounts
from gateway.accounts.models import User
from gateway.accounts.tests.sessions import is_alive
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import PASSWORD, Visitor, bearer, visitors

BAD_CREDENTIALS = {"code": "BAD_CREDENTIALS", "field": None, "message": "Неверный e-mail или пароль."}
EVERYTHING = "{ viewer { user { id email name phone sessions { id device ipAddress current } } } }"


def refusal(*errors: dict[str, Any]) -> dict[str, Any]:
    return {"token": None, "viewer": None, "userErrors": list(errors), "warnings": []}


def test_guest_is_nobody_and_gets_no_session(visitor: Visitor) -> None:
    answer = visitor.send("{ viewer { user { email } } }")

    assert answer.json()["data"] == {"viewer": {"user": None}}
    assert "set-cookie" not in answer.headers


@pytest.mark.usefixtures("ivan")
def test_customer_signs_in_and_is_known_by_cookie_and_by_token_alike(visitor: Visitor, another: Visitor) -> None:
    done = visitor.login("IVAN@Example.com")

    assert done == {
        "token": visitor.cookie,
        "viewer": {"user": {"email": "ivan@example.com"}},
        "userErrors": [],
        "warnings": [],
    }
    by_cookie, by_token = visitor.ask(EVERYTHING), another.ask(EVERYTHING, **bearer(done["token"]))
    assert by_cookie == by_token
    assert by_cookie["viewer"]["user"]["name"] == "Иван Петров"


@pytest.mark.usefixtures("ivan")
def test_cookie_is_out_of_reach_of_scripts_and_of_other_sites(visitor: Visitor) -> None:
    answer = visitor.send(
        'mutation ($password: String!) { login(email: "ivan@example.com", password: $password) { token } }',
        {"password": PASSWORD},
    )

    token = answer.json()["data"]["login"]["token"]
    session, device = (cookie.split("; ") for cookie in answer.headers.get_list("set-cookie"))
    assert session[0] == f"sessionid={token}"
    assert sorted(session[1:]) == ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]
    assert device[0].startswith("known_device=")
    assert sorted(device[1:]) == ["HttpOnly", "Max-Age=31536000", "Path=/", "SameSite=Lax"]
    assert answer.headers["cache-control"] == "private, no-store"


@pytest.mark.usefixtures("ivan")
def test_client_with_a_token_gets_no_cookie(visitor: Visitor) -> None:
    token = visitor.login()["token"]
    visitor.http.cookies.clear()

    again = visitor.login(**bearer(token))

    assert again["token"] != token
    assert visitor.cookie is None
    assert visitor.email(**bearer(token)) is None
    assert visitor.email(**bearer(again["token"])) == "ivan@example.com"


@pytest.mark.usefixtures("ivan")
def test_token_wins_over_the_cookie_even_when_it_is_unknown(visitor: Visitor) -> None:
    visitor.login()

    assert visitor.email(**bearer("x" * 22)) is None
    assert visitor.email(authorization="Basic aXZhbg==") == "ivan@example.com"


@pytest.mark.usefixtures("ivan")
def test_get_with_a_token_needs_no_header_against_forgery(visitor: Visitor) -> None:
    token = visitor.login()["token"]
    query = {"query": "{ viewer { user { email } } }"}

    by_cookie = visitor.http.get("/graphql", params=query)
    by_token = visitor.http.get("/graphql", params=query, headers=bearer(token))

    assert by_cookie.status_code == 400
    assert by_token.json()["data"] == {"viewer": {"user": {"email": "ivan@example.com"}}}
    assert by_token.headers["cache-control"] == "private, no-store"


@pytest.mark.usefixtures("ivan")
@pytest.mark.parametrize(
    ("email", "password"),
    [("ivan@example.com", "wrong"), ("nobody@example.com", PASSWORD), ("closed@example.com", PASSWORD)],
)
def test_every_wrong_pair_has_the_same_answer_and_signs_nobody_in(visitor: Visitor, email: str, password: str) -> None:
    User.objects.create_user("closed@example.com", PASSWORD, is_active=False)

    assert visitor.login(email, password) == refusal(BAD_CREDENTIALS)
    assert visitor.cookie is None
    assert visitor.email() is None


@pytest.mark.usefixtures("ivan")
def test_message_follows_the_callers_language(visitor: Visitor) -> None:
    done = visitor.login(password="wrong", **{"accept-language": "en"})

    assert done["userErrors"][0]["message"] == "Wrong e-mail or password."


@pytest.mark.usefixtures("ivan")
def test_failed_login_leaves_the_session_as_it_was(visitor: Visitor) -> None:
    token = visitor.login()["token"]

    visitor.login(password="wrong")

    assert visitor.cookie == token
    assert visitor.email() == "ivan@example.com"


@pytest.mark.usefixtures("ivan")
def test_session_is_rotated_at_login(visitor: Visitor) -> None:
    first = visitor.login()["token"]

    second = visitor.login()["token"]

    assert second == visitor.cookie != first
    assert not is_alive(first)
    (session,) = visitor.ask("{ viewer { user { sessions { current } } } }")["viewer"]["user"]["sessions"]
    assert session == {"current": True}


@pytest.mark.usefixtures("ivan")
def test_login_as_somebody_else_leaves_the_first_account_signed_out_here(visitor: Visitor) -> None:
    User.objects.create_user("anna@example.com", PASSWORD)
    first = visitor.login()["token"]

    visitor.login("anna@example.com")

    assert visitor.email() == "anna@example.com"
    assert not is_alive(first)


def test_newcomer_registers_and_is_signed_in(visitor: Visitor) -> None:
    done = visitor.register("Anna@Example.com", name="Анна", phone="+7 900")

    assert done == {
        "token": visitor.cookie,
        "viewer": {"user": {"email": "anna@example.com"}},
        "userErrors": [],
        "warnings": [],
    }
    user = visitor.ask("{ viewer { user { email name phone } } }")["viewer"]["user"]
    assert user == {"email": "anna@example.com", "name": "Анна", "phone": "+7 900"}


def test_registration_is_refused_with_every_reason_and_its_field(visitor: Visitor) -> None:
    done = visitor.register("anna", "12345678", name="x" * 151, **{"accept-language": "en"})

    assert done == refusal(
        {"code": "INVALID", "field": ["email"], "message": "Give an e-mail address, e.g. ivan@example.com."},
        {"code": "INVALID", "field": ["name"], "message": "At most 150 characters."},
        {"code": "WEAK_PASSWORD", "field": ["password"], "message": "This password is too common."},
        {"code": "WEAK_PASSWORD", "field": ["password"], "message": "This password is entirely numeric."},
    )
    assert User.objects.count() == 0


def test_taken_address_is_refused(visitor: Visitor, ivan: User) -> None:
    done = visitor.register("Ivan@example.com", "another good phrase")

    taken = {"code": "EMAIL_TAKEN", "field": ["email"], "message": "Учётная запись с этим адресом уже есть."}
    assert done == refusal(taken)
    assert (User.objects.count(), visitor.cookie) == (1, None)
    assert visitor.login()["userErrors"] == []


def test_racing_registrations_of_one_address_sign_one_in(server: Server, database: Database[Document]) -> None:
    spellings = ["ivan@example.com", "IVAN@EXAMPLE.COM"] * 3
    with visitors(server, len(spellings)) as crowd:
        done = at_once(*[partial(each.register, spelling) for each, spelling in zip(crowd, spellings, strict=True)])

    outcomes = [each["userErrors"][0]["code"] if each["userErrors"] else "made" for each in done]
    assert sorted(outcomes) == ["EMAIL_TAKEN"] * 5 + ["made"]
    assert User.objects.count() == 1


@pytest.mark.usefixtures("ivan")
def test_eleventh_guess_is_refused_even_when_it_is_right(visitor: Visitor, another: Visitor) -> None:
    guesses = [visitor.login(password=f"wrong {number}")["userErrors"][0]["code"] for number in range(10)]

    right = another.login()

    assert guesses == ["BAD_CREDENTIALS"] * 10
    message = "Слишком много неудачных попыток входа. Повторите через 1 мин."
    assert right == refusal({"code": "RATE_LIMITED", "field": None, "message": message})
    assert another.cookie is None


@pytest.mark.usefixtures("ivan")
def test_guesses_at_once_are_looked_at_no_more_than_ten_times(server: Server) -> None:
    with visitors(server, 16) as crowd:
        done = at_once(*[partial(each.login, password=f"wrong {number}") for number, each in enumerate(crowd)])

    outcomes = [each["userErrors"][0]["code"] for each in done]
    assert sorted(outcomes) == ["BAD_CREDENTIALS"] * 10 + ["RATE_LIMITED"] * 6


def test_viewer_finds_only_their_own_account_by_id(visitor: Visitor, ivan: User) -> None:
    anna = User.objects.create_user("anna@example.com", PASSWORD)
    ids = [global_id("User", str(user.pk)) for user in (ivan, anna)]
    query = "query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on User { email } } }"

    assert visitor.ask(query, {"ids": ids})["nodes"] == [None, None]
    visitor.login()
    assert visitor.ask(query, {"ids": ids})["nodes"] == [{"id": ids[0], "email": "ivan@example.com"}, None]


def test_tokens_and_passwords_are_in_no_log(visitor: Visitor, ivan: User, server: Server) -> None:
    token = visitor.login()["token"]
    visitor.email(**bearer(token))
    visitor.send("{ nonsense }", None, **bearer(token))
    visitor.login(password="a-wrong-password")
    visitor.ask("mutation { logout { token } }")

    log = server.log.read_text()
    assert "/graphql" in log
    assert token not in log
    assert PASSWORD not in log
    assert "a-wrong-password" not in log


# ---------------------------------------------------------------- how browsers send their cookies

# Each is legal in a browser's jar, whoever put it there: consent banners, other applications of the domain.
ODD_COOKIES = ['consent={"ads":true,"lang":"ru"}', "a b=c", "name[0]=x", "=nameless", "flag", 'half="', "@=1"]


@pytest.mark.usefixtures("ivan")
@pytest.mark.parametrize("odd", ODD_COOKIES)
def test_odd_cookie_of_somebody_else_hides_the_session_neither_before_nor_after_it(visitor: Visitor, odd: str) -> None:
    token = visitor.login()["token"]
    visitor.http.cookies.clear()
    session = f"sessionid={token}"

    seen = [visitor.email(cookie=cookie) for cookie in (f"{odd}; {session}", f"{session}; {odd}")]

    assert seen == ["ivan@example.com"] * 2


def test_cookies_in_headers_of_their_own_are_read_by_the_api_and_by_the_admin(visitor: Visitor) -> None:
    ensure_demo_accounts()
    token = visitor.login("staff@mobile-world.example", DEMO_PASSWORD)["token"]
    visitor.http.cookies.clear()
    headers = [("cookie", "theme=dark"), ("cookie", f"sessionid={token}"), ("cookie", "lang=ru")]

    asked = visitor.http.post("/graphql", json={"query": "{ viewer { user { email } } }"}, headers=headers)
    page = visitor.http.get("/admin/", headers=headers)

    assert asked.json()["data"]["viewer"]["user"] == {"email": "staff@mobile-world.example"}
    assert page.status_code == 200
