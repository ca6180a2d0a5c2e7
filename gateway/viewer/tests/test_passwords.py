"""passwordResetRequest and passwordReset, through the web server, with letters by a real SMTP server."""

from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts import links
from gateway.accounts.errors import DeadLink
from gateway.accounts.links import Purpose
from gateway.accounts.models import User
from gateway.accounts.own import delivery
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.accounts.tests.sessions import is_alive
from gateway.mongo.client import Document
from gateway.redis.clients import redis_client
from gateway.tests.races import at_once, paused_process
from gateway.tests.web_servers import Server
from gateway.viewer.tests.mail import Mail, tokens
from gateway.viewer.tests.visitor import PASSWORD, PAYLOAD, Visitor, visitors
from ordering.tests.postbox import subject, text

REQUEST = "mutation ($email: String!) { passwordResetRequest(email: $email) { ok userErrors { code field message } } }"
RESET = (
    f"mutation ($token: String!, $password: String!) {{ passwordReset(token: $token, password: $password) {PAYLOAD} }}"
)
ANOTHER_PASSWORD = "staple of the battery horse"
OK = {"ok": True, "userErrors": []}
DEAD = {"code": "NOT_FOUND", "field": ["token"], "message": "Ссылка больше не действует. Попросите новую."}
REFUSED: dict[str, Any] = {"token": None, "viewer": None, "userErrors": [DEAD], "warnings": []}


def ask_for_letter(visitor: Visitor, email: str = "ivan@example.com", **headers: str) -> Any:
    return visitor.ask(REQUEST, {"email": email}, **headers)["passwordResetRequest"]


def reset(visitor: Visitor, token: str, password: str = ANOTHER_PASSWORD) -> Any:
    return visitor.ask(RESET, {"token": token, "password": password})["passwordReset"]


def test_link_of_the_letter_sets_a_password_signs_in_and_ends_every_other_session(
    server: Server, ivan: User, mail: Mail
) -> None:
    with visitors(server, 2) as (forgetful, signed_in):
        old = signed_in.login()["token"]
        assert ask_for_letter(forgetful, " IVAN@example.com ") == OK
        (letter,) = mail.arrive()

        (token,) = tokens(letter)
        answer = reset(forgetful, token)

        assert letter["To"] == "ivan@example.com"
        assert subject(letter) == "Новый пароль в «Мобильном мире»"
        assert f"http://localhost:5173/password?token={quote(token)}\n" in text(letter)
        assert answer["viewer"] == {"user": {"email": "ivan@example.com"}}
        assert forgetful.cookie == answer["token"]
        assert forgetful.email() == "ivan@example.com"
        assert not is_alive(old)
        assert forgetful.login()["userErrors"][0]["code"] == "BAD_CREDENTIALS"
        assert forgetful.login(password=ANOTHER_PASSWORD)["userErrors"] == []


@pytest.mark.usefixtures("ivan")
def test_letter_is_in_the_language_of_whoever_asks(visitor: Visitor, mail: Mail) -> None:
    ask_for_letter(visitor, **{"accept-language": "en"})

    (letter,) = mail.arrive()

    assert subject(letter) == "A new password at Mobile World"
    assert "It works for an hour and once." in text(letter)


def test_unknown_address_gets_the_same_answer_by_the_same_work_and_no_letter(
    visitor: Visitor, ivan: User, mail: Mail, database: Database[Document]
) -> None:
    make_demo_accounts()
    User.objects.create_user("closed@example.com", PASSWORD, is_active=False)
    addresses = ["ivan@example.com", "nobody@example.com", "support@mobile-world.example", "closed@example.com"]

    answers = [ask_for_letter(visitor, email) for email in addresses]

    assert answers == [OK] * 4
    written = list(database["account_letters"].find({}, {"_id": 0, "kind": 1, "to": 1, "user_id": 1}))
    assert [sorted(each.items()) for each in written if each["to"] in addresses] == [
        [("kind", "password"), ("to", email), ("user_id", None)]
        for email in [each["to"] for each in written if each["to"] in addresses]
    ]
    assert sorted(each["to"] for each in written) == sorted(addresses)
    assert [letter["To"] for letter in mail.arrive()] == ["ivan@example.com"]
    assert database["account_letters"].count_documents({}) == 0


def test_what_is_no_address_is_said_and_nothing_is_written(visitor: Visitor, database: Database[Document]) -> None:
    for email, code in (("", "REQUIRED"), ("ivan", "INVALID"), ("x" * 255, "INVALID"), ("\0@example.com", "INVALID")):
        answer = ask_for_letter(visitor, email)
        assert (answer["ok"], [(error["code"], error["field"]) for error in answer["userErrors"]]) == (
            False,
            [(code, ["email"])],
        )

    assert database["account_letters"].count_documents({}) == 0


@pytest.mark.usefixtures("ivan")
def test_letters_to_one_address_are_limited_whether_it_has_an_account_or_not(visitor: Visitor, mail: Mail) -> None:
    for email in ("ivan@example.com", "nobody@example.com"):
        answers = [ask_for_letter(visitor, email) for _ in range(6)]

        assert [answer["ok"] for answer in answers] == [True] * 5 + [False]
        assert [error["code"] for error in answers[-1]["userErrors"]] == ["RATE_LIMITED"]

    assert len(mail.arrive()) == 5


@pytest.mark.usefixtures("database")
def test_letters_from_one_network_are_limited(visitor: Visitor) -> None:
    answers = [ask_for_letter(visitor, f"nobody-{number}@example.com")["ok"] for number in range(31)]

    assert answers == [True] * 30 + [False]


@pytest.mark.usefixtures("ivan")
def test_used_link_is_dead(visitor: Visitor, another: Visitor, mail: Mail) -> None:
    ask_for_letter(visitor)
    token = mail.token()
    reset(visitor, token)

    assert reset(another, token, "yet another horse battery") == REFUSED

    assert another.email() is None
    assert another.login(password=ANOTHER_PASSWORD)["userErrors"] == []


@pytest.mark.parametrize(
    "change",
    [
        {"session_generation": 1},
        {"email": "petr@example.com"},
        {"password": "!"},
        {"is_active": False},
        {"is_staff": True},
    ],
)
def test_link_dies_with_the_password_the_address_and_the_sessions(
    visitor: Visitor, ivan: User, mail: Mail, change: dict[str, Any]
) -> None:
    ask_for_letter(visitor)
    token = mail.token()
    User.objects.filter(pk=ivan.pk).update(**change)

    assert reset(visitor, token) == REFUSED


@pytest.mark.usefixtures("database")
def test_made_up_links_and_those_of_other_letters_are_dead(visitor: Visitor, ivan: User) -> None:
    others = [links.make_token(purpose, ivan) for purpose in Purpose if purpose is not Purpose.CUSTOMER_PASSWORD]

    for token in ("", "nonsense", "x" * 10_000, "\0", *others):
        assert reset(visitor, token) == REFUSED


def test_link_expires(ivan: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = links.make_token(Purpose.CUSTOMER_PASSWORD, ivan)
    assert links.user_of_token(Purpose.CUSTOMER_PASSWORD, token) == ivan

    monkeypatch.setitem(links.LIFE, Purpose.CUSTOMER_PASSWORD, timedelta(seconds=-1))

    with pytest.raises(DeadLink):
        links.user_of_token(Purpose.CUSTOMER_PASSWORD, token)


def test_link_stays_good_when_the_secret_key_is_changed(ivan: User, settings: Settings) -> None:
    token = links.make_token(Purpose.CUSTOMER_PASSWORD, ivan)

    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = (
        [settings.SECRET_KEY],
        "another key that nobody guesses",
    )

    assert links.user_of_token(Purpose.CUSTOMER_PASSWORD, token) == ivan


@pytest.mark.usefixtures("ivan")
def test_weak_password_is_refused_and_the_link_stays_good(visitor: Visitor, mail: Mail) -> None:
    ask_for_letter(visitor)
    token = mail.token()

    weak = reset(visitor, token, "123")["userErrors"]

    assert {(error["code"], tuple(error["field"])) for error in weak} == {("WEAK_PASSWORD", ("password",))}
    assert reset(visitor, token)["userErrors"] == []


def test_of_two_that_use_a_link_at_once_one_sets_the_password(server: Server, ivan: User, mail: Mail) -> None:
    with visitors(server, 2) as devices:
        ask_for_letter(devices[0])
        token = mail.token()
        wanted = [f"{ANOTHER_PASSWORD} {number}" for number in range(2)]

        answers = at_once(*[partial(reset, device, token, one) for device, one in zip(devices, wanted, strict=True)])

        done = [answer["userErrors"] == [] for answer in answers]
        assert sorted(done) == [False, True]
        ivan.refresh_from_db()
        assert [ivan.check_password(one) for one in wanted] == done
        assert [device.email() is not None for device in devices] == done


@pytest.mark.usefixtures("ivan")
def test_guests_things_are_handed_over_as_at_any_sign_in(visitor: Visitor, mail: Mail) -> None:
    ask_for_letter(visitor)

    reset(visitor, mail.token())

    confirmed = visitor.ask("{ viewer { user { emailConfirmed } } }")["viewer"]["user"]
    # Whoever has the letter has the mailbox.
    assert confirmed == {"emailConfirmed": True}


# ---------------------------------------------------------------- delivery


@pytest.mark.usefixtures("ivan")
def test_worker_sends_what_is_queued_and_once(visitor: Visitor, mail: Mail) -> None:
    redis_client().delete(delivery.QUEUE.name)  # with what other tests left
    ask_for_letter(visitor)

    sent = [delivery.send_queued_letters() for _ in range(2)]

    assert sent == [1, 0]
    assert mail.arrive() == []
    assert len(mail.postbox.letters) == 1


@pytest.mark.usefixtures("ivan")
def test_two_workers_at_once_send_a_letter_once(visitor: Visitor, mail: Mail, database: Database[Document]) -> None:
    ask_for_letter(visitor)
    (letter,) = database["account_letters"].find()

    at_once(*[partial(delivery._send_all, [letter["_id"]])] * 4)

    assert len(mail.postbox.letters) == 1


@pytest.mark.usefixtures("ivan")
def test_letter_refused_by_the_mail_server_waits_and_keeps_no_other(
    visitor: Visitor, mail: Mail, database: Database[Document]
) -> None:
    User.objects.create_user("anna@example.com", PASSWORD)
    mail.postbox.refused = {"ivan@example.com"}
    ask_for_letter(visitor)
    ask_for_letter(visitor, "anna@example.com")

    assert [letter["To"] for letter in mail.arrive()] == ["anna@example.com"]

    (left,) = database["account_letters"].find()
    assert (left["to"], left["tries"]) == ("ivan@example.com", 1)
    assert mail.arrive() == []  # under its lease


@pytest.mark.usefixtures("ivan")
def test_without_a_storefront_there_is_no_link_and_no_letter(visitor: Visitor, mail: Mail, settings: Settings) -> None:
    settings.STOREFRONT_URL = ""
    ask_for_letter(visitor)

    assert mail.arrive() == []


@pytest.mark.usefixtures("ivan")
def test_worker_killed_before_it_forgets_a_letter_leaves_it_to_the_sweep(
    visitor: Visitor, mail: Mail, database: Database[Document]
) -> None:
    ask_for_letter(visitor)
    (letter,) = database["account_letters"].find()
    code = f"from gateway.accounts.own.delivery import _send_all; _send_all(['{letter['_id']}'])"
    server = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(mail.postbox.port)}

    with paused_process(database, code, command="delete", collection="account_letters", variables=server) as worker:
        worker.kill()
        worker.wait()
    assert mail.arrive() == []  # under the lease of the dead
    database["account_letters"].update_one({}, {"$set": {"due": letter["at"]}})
    mail.arrive()

    # Twice, and known to be the same by its id.
    assert len({each["Message-ID"] for each in mail.postbox.letters}) == 1
    assert database["account_letters"].count_documents({}) == 0
