"""emailConfirm, a change of e-mail, and orders of guests, which join an account once its address is confirmed."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.mongo.client import Document
from gateway.tests.races import at_once, paused_process
from gateway.tests.web_servers import Server
from gateway.viewer.joining import sweep_claims
from gateway.viewer.tests.mail import Mail, tokens
from gateway.viewer.tests.test_shopping import add
from gateway.viewer.tests.visitor import PASSWORD, Visitor, bearer, visitors
from ordering.tests.api import CHECKOUT, INPUT
from ordering.tests.postbox import subject, text

ANSWER = "{ user { email newEmail emailConfirmed } userErrors { code field message } }"
CONFIRM = f"mutation ($token: String!) {{ emailConfirm(token: $token) {ANSWER} }}"
CHANGE = (
    "mutation ($email: String!, $password: String, $name: String)"
    f" {{ accountUpdate(email: $email, password: $password, name: $name) {ANSWER} }}"
)
ORDERS = "{ viewer { orders { nodes { number contact { email } } } } }"
RESET = (
    "mutation ($token: String!)"
    ' { passwordReset(token: $token, password: "staple of the horse") { userErrors { code } } }'
)
DEAD = {"code": "NOT_FOUND", "field": ["token"], "message": "Ссылка больше не действует. Попросите новую."}
NEW = "petr@example.com"


def confirm(visitor: Visitor, token: str) -> Any:
    return visitor.ask(CONFIRM, {"token": token})["emailConfirm"]


def change(visitor: Visitor, email: str = NEW, password: str = PASSWORD) -> Any:
    return visitor.ask(CHANGE, {"email": email, "password": password})["accountUpdate"]


def account(visitor: Visitor) -> Any:
    return visitor.ask("{ viewer { user { email newEmail emailConfirmed } } }")["viewer"]["user"]


def state(email: str, *, new: str | None = None, confirmed: bool) -> dict[str, Any]:
    return {"email": email, "newEmail": new, "emailConfirmed": confirmed}


def orders(visitor: Visitor) -> list[str]:
    nodes = visitor.ask(ORDERS)["viewer"]["orders"]["nodes"]
    return [order["number"] for order in nodes]


def buy(visitor: Visitor, email: str = "ivan@example.com") -> str:
    add(visitor, "PROD-1", 2)
    wanted = {**INPUT, "contact": {**INPUT["contact"], "email": email}}
    answer = visitor.ask(CHECKOUT, {"input": wanted})["a"]
    assert answer["userErrors"] == []
    return str(answer["order"]["number"])


# ---------------------------------------------------------------- confirming


def test_registering_sends_a_letter_whose_link_confirms_the_address(visitor: Visitor, mail: Mail) -> None:
    visitor.register("ivan@example.com", **{"accept-language": "en"})
    assert account(visitor) == state("ivan@example.com", confirmed=False)
    (letter,) = mail.arrive()

    (token,) = tokens(letter)
    answer = confirm(visitor, token)

    assert letter["To"] == "ivan@example.com"
    assert subject(letter) == "Confirm your e-mail at Mobile World"
    assert f"http://localhost:5173/email?token={quote(token)}\n" in text(letter)
    assert answer == {"user": state("ivan@example.com", confirmed=True), "userErrors": []}
    assert account(visitor) == state("ivan@example.com", confirmed=True)


def test_used_link_is_dead_and_the_address_stays_confirmed(visitor: Visitor, mail: Mail) -> None:
    visitor.register("ivan@example.com")
    token = mail.token()
    confirm(visitor, token)

    assert confirm(visitor, token) == {"user": None, "userErrors": [DEAD]}

    assert account(visitor)["emailConfirmed"]


def test_link_shows_the_account_to_nobody_who_is_not_signed_in_to_it(
    visitor: Visitor, another: Visitor, mail: Mail
) -> None:
    visitor.register("ivan@example.com")

    assert confirm(another, mail.token()) == {"user": None, "userErrors": []}

    assert another.email() is None
    assert account(visitor)["emailConfirmed"]


def test_own_address_given_anew_has_its_letter_sent_once_more_until_it_is_confirmed(
    visitor: Visitor, mail: Mail
) -> None:
    visitor.register("ivan@example.com")
    mail.arrive()

    assert change(visitor, "IVAN@example.com") == {"user": state("ivan@example.com", confirmed=False), "userErrors": []}
    confirm(visitor, mail.token())
    change(visitor, "ivan@example.com")

    assert mail.arrive() == []


# ---------------------------------------------------------------- a new address


def test_new_address_takes_effect_when_confirmed_and_the_old_one_is_told(
    visitor: Visitor, another: Visitor, ivan: User, mail: Mail
) -> None:
    visitor.login()

    answer = change(visitor)
    letters = {letter["To"]: letter for letter in mail.arrive()}

    assert answer == {"user": state("ivan@example.com", new=NEW, confirmed=False), "userErrors": []}
    assert sorted(letters) == ["ivan@example.com", NEW]
    assert "сменить e-mail вашей учётной записи на p•••@example.com" in text(letters["ivan@example.com"])
    assert tokens(letters["ivan@example.com"]) == []
    assert another.login()["userErrors"] == []
    (token,) = tokens(letters[NEW])
    assert confirm(visitor, token) == {"user": state(NEW, confirmed=True), "userErrors": []}
    assert another.login()["userErrors"][0]["code"] == "BAD_CREDENTIALS"
    assert another.login(NEW)["userErrors"] == []


@pytest.mark.usefixtures("ivan")
def test_change_of_address_asks_for_the_password(visitor: Visitor, mail: Mail) -> None:
    visitor.login()

    assert change(visitor, password="wrong horse")["userErrors"][0]["code"] == "BAD_CREDENTIALS"

    assert account(visitor) == state("ivan@example.com", confirmed=False)
    assert mail.arrive() == []


@pytest.mark.usefixtures("ivan")
def test_address_of_another_account_is_taken_and_nobody_is_written_to(visitor: Visitor, mail: Mail) -> None:
    User.objects.create_user(NEW, PASSWORD)
    visitor.login()

    answer = change(visitor)

    taken = {"code": "EMAIL_TAKEN", "field": ["email"], "message": "Учётная запись с этим адресом уже есть."}
    assert answer == {"user": None, "userErrors": [taken]}
    assert account(visitor) == state("ivan@example.com", confirmed=False)
    assert mail.arrive() == []


@pytest.mark.usefixtures("ivan")
def test_asking_whether_addresses_are_taken_counts_like_failures_to_sign_in(visitor: Visitor) -> None:
    User.objects.create_user(NEW, PASSWORD)
    visitor.login()

    codes = [change(visitor)["userErrors"][0]["code"] for _ in range(11)]

    assert codes == ["EMAIL_TAKEN"] * 10 + ["RATE_LIMITED"]


@pytest.mark.usefixtures("ivan")
def test_address_registered_meanwhile_is_taken_and_the_account_keeps_its_own(
    visitor: Visitor, another: Visitor, mail: Mail
) -> None:
    visitor.login()
    change(visitor)
    (token,) = [token for letter in mail.arrive() for token in tokens(letter)]
    another.register(NEW)

    answer = confirm(visitor, token)

    assert [(error["code"], error["field"]) for error in answer["userErrors"]] == [("EMAIL_TAKEN", ["token"])]
    assert account(visitor) == state("ivan@example.com", new=NEW, confirmed=False)


@pytest.mark.usefixtures("ivan")
def test_later_change_a_withdrawn_one_and_a_new_password_make_the_link_worthless(visitor: Visitor, mail: Mail) -> None:
    visitor.login()
    for undo in (
        partial(change, visitor, "anna@example.com"),
        partial(change, visitor, "ivan@example.com"),
        partial(
            visitor.ask,
            "mutation ($o: String, $n: String) { accountUpdate(newPassword: $n, password: $o) { user { id } } }",
            {"o": PASSWORD, "n": "staple of the horse"},
        ),
    ):
        change(visitor)
        (token,) = [each for letter in mail.arrive() if letter["To"] == NEW for each in tokens(letter)]
        undo()
        mail.arrive()

        assert confirm(visitor, token) == {"user": None, "userErrors": [DEAD]}

    assert account(visitor)["email"] == "ivan@example.com"


def test_of_two_accounts_that_confirm_one_address_at_once_one_gets_it(server: Server, ivan: User, mail: Mail) -> None:
    User.objects.create_user("anna@example.com", PASSWORD)
    with visitors(server, 2) as (first, second):
        first.login()
        second.login("anna@example.com")
        links = []
        for device in (first, second):
            change(device)
            links += [each for letter in mail.arrive() if letter["To"] == NEW for each in tokens(letter)]

        answers = at_once(partial(confirm, first, links[0]), partial(confirm, second, links[1]))

        codes = [[error["code"] for error in answer["userErrors"]] for answer in answers]
        assert sorted(codes) == [[], ["EMAIL_TAKEN"]]
        assert User.objects.filter(email=NEW).count() == 1


# ---------------------------------------------------------------- orders of guests


def test_who_registers_with_somebody_elses_address_sees_none_of_their_orders_until_it_is_confirmed(
    stocked: Database[Document], visitor: Visitor, another: Visitor, mail: Mail
) -> None:
    number = buy(visitor)

    another.register("ivan@example.com")

    assert orders(another) == []
    another.login()
    assert orders(another) == []
    assert orders(visitor) == [number]
    # The owner of the mailbox alone has the link.
    confirm(another, mail.token())
    assert orders(another) == [number]


def test_guests_orders_join_by_whatever_session_they_were_made(
    stocked: Database[Document], server: Server, mail: Mail
) -> None:
    with visitors(server, 4) as (first, second, stranger, owner):
        numbers = {buy(first), buy(second, "IVAN@example.com")}
        others = buy(stranger, "anna@example.com")
        owner.register("ivan@example.com")

        confirm(owner, mail.token())

        assert set(orders(owner)) == numbers
        assert orders(stranger) == [others]
        user = User.objects.get(email="ivan@example.com")
        assert stocked["orders"].count_documents({"owner": customer_owner(user.pk)}) == 2
        assert stocked["order_claims"].count_documents({}) == 0


def test_orders_of_the_same_session_join_at_once(stocked: Database[Document], visitor: Visitor) -> None:
    number = buy(visitor, "anna@example.com")

    visitor.register("ivan@example.com")

    assert orders(visitor) == [number]


def test_order_of_another_account_under_the_address_stays_there(
    stocked: Database[Document], visitor: Visitor, another: Visitor, mail: Mail
) -> None:
    another.register("anna@example.com")
    mail.arrive()
    number = buy(another)
    visitor.register("ivan@example.com")

    confirm(visitor, mail.token())

    assert orders(visitor) == []
    assert orders(another) == [number]


def test_what_a_guest_buys_later_joins_when_the_customer_signs_in(
    stocked: Database[Document], visitor: Visitor, another: Visitor, mail: Mail
) -> None:
    visitor.register("ivan@example.com")
    confirm(visitor, mail.token())
    number = buy(another)
    assert orders(visitor) == []

    visitor.login()

    assert orders(visitor) == [number]


def test_link_of_a_letter_about_the_password_confirms_the_address_too(
    stocked: Database[Document], visitor: Visitor, another: Visitor, ivan: User, mail: Mail
) -> None:
    number = buy(another)
    visitor.ask('mutation { passwordResetRequest(email: "ivan@example.com") { ok } }')

    visitor.ask(RESET, {"token": mail.token()})

    assert orders(visitor) == [number]


def test_new_address_brings_its_own_orders_once_confirmed(
    stocked: Database[Document], visitor: Visitor, another: Visitor, ivan: User, mail: Mail
) -> None:
    number = buy(another, NEW)
    visitor.login()
    change(visitor)
    assert orders(visitor) == []
    (token,) = [each for letter in mail.arrive() for each in tokens(letter)]

    confirm(visitor, token)

    assert orders(visitor) == [number]


def test_process_killed_behind_the_confirmation_leaves_the_orders_to_the_sweep(
    stocked: Database[Document], visitor: Visitor, another: Visitor, mail: Mail
) -> None:
    number = buy(another)
    visitor.register("ivan@example.com")
    code = f"from gateway.viewer.letters import _confirm; _confirm('{mail.token()}')"

    with paused_process(stocked, code, command="update", collection="orders") as process:
        process.kill()
        process.wait()
    assert account(visitor)["emailConfirmed"]
    sweep_claims(datetime.now(UTC) + timedelta(minutes=2))

    assert orders(visitor) == [number]
    assert stocked["order_claims"].count_documents({}) == 0


def test_confirming_and_buying_at_once_lose_no_order(stocked: Database[Document], server: Server, mail: Mail) -> None:
    with visitors(server, 2) as (guest, owner):
        owner.register("ivan@example.com")
        token = mail.token()

        number, _ = at_once(partial(buy, guest), partial(confirm, owner, token))

        owner.login()
        assert orders(owner) == [number]


@pytest.mark.usefixtures("stocked")
def test_link_followed_with_another_accounts_session_gives_that_account_nothing(
    visitor: Visitor, another: Visitor, mail: Mail
) -> None:
    visitor.register("ivan@example.com")
    token = mail.token()
    stranger = another.register("anna@example.com")["token"]

    answer = another.ask(CONFIRM, {"token": token}, **bearer(stranger))["emailConfirm"]

    assert answer == {"user": None, "userErrors": []}
    assert account(another) == state("anna@example.com", confirmed=False)
