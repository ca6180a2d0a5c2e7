"""Making an account, and the passwords that open it."""

from functools import partial

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from pytest_django import Settings

from gateway import settings as gateway_settings
from gateway.accounts.errors import BadCredentials, EmailTaken
from gateway.accounts.models import User
from gateway.accounts.registration import register
from gateway.accounts.sign_in.passwords import MAX_PASSWORD, user_with
from gateway.domain.errors import Code, Refused
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("database")

PASSWORD = "correct horse battery"


def refusals(
    email: str = "ivan@example.com", password: str = PASSWORD, name: str = "", phone: str = ""
) -> list[tuple[object, ...]]:
    with pytest.raises(Refused) as refused:
        register(email, password, name=name, phone=phone)
    assert User.objects.count() == 0
    return [(*error.path, error.code, error.message("en")) for error in refused.value]


def test_account_is_made_with_what_was_given() -> None:
    user = register(" Ivan@Example.com ", PASSWORD, name=" Иван ", phone=" +7 900 ")

    found = User.objects.get(email="ivan@example.com")
    assert found == user
    assert (found.name, found.phone, found.is_staff, found.is_superuser) == ("Иван", "+7 900", False, False)
    assert user_with("IVAN@example.com", PASSWORD) == found


@pytest.mark.parametrize("email", ["", "ivan", "@example.com", "ivan@", "a b@example.com", "ivan@example"])
def test_what_is_no_address_is_refused(email: str) -> None:
    assert refusals(email) == [("email", Code.INVALID, "Give an e-mail address, e.g. ivan@example.com.")]


def test_lengths_and_characters_are_checked_all_at_once() -> None:
    assert refusals("a" * 250 + "@example.com", name="и" * 151, phone="1\x002") == [
        ("email", Code.INVALID, "At most 254 characters."),
        ("name", Code.INVALID, "At most 150 characters."),
        ("phone", Code.INVALID, "The text holds control characters."),
    ]


@pytest.mark.parametrize("name", ["email", "name", "phone", "password"])
def test_half_a_character_is_refused(name: str) -> None:
    errors = refusals(**{name: "ivan\ud800@example.com"})

    assert errors == [(name, Code.INVALID, "The text holds control characters.")]


def test_weak_password_is_refused_by_each_validator_in_both_languages() -> None:
    with pytest.raises(Refused) as refused:
        register("ivan@example.com", "12345")

    assert [(error.path, error.code) for error in refused.value] == [(("password",), Code.WEAK_PASSWORD)] * 3
    assert [error.message("en") for error in refused.value] == [
        "This password is too short. It must contain at least 8 characters.",
        "This password is too common.",
        "This password is entirely numeric.",
    ]
    assert [error.message("ru") for error in refused.value] == [
        "Введённый пароль слишком короткий. Он должен состоять из как минимум 8 символов.",
        "Введённый пароль слишком широко распространён.",
        "Введённый пароль состоит только из цифр.",
    ]
    assert User.objects.count() == 0


@pytest.mark.parametrize("password", ["ivan.petrov", "Иван Петрович {0}"])
def test_password_that_resembles_the_person_is_weak(password: str) -> None:
    (error,) = refusals("ivan.petrov@example.com", password, name="Иван Петрович {0}")

    assert error[:2] == ("password", Code.WEAK_PASSWORD)


def test_endless_password_is_refused_unhashed(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = counted_hashes(monkeypatch)

    assert refusals(password="x" * (MAX_PASSWORD + 1)) == [("password", Code.INVALID, "At most 128 characters.")]
    assert hashed == []


def test_taken_address_is_refused_in_any_spelling() -> None:
    register("ivan@example.com", PASSWORD)

    with pytest.raises(EmailTaken) as refused:
        register("Ivan@EXAMPLE.com", "another good phrase")

    assert (refused.value.code, refused.value.path) == (Code.EMAIL_TAKEN, ("email",))
    assert User.objects.count() == 1
    assert user_with("ivan@example.com", PASSWORD)


def test_racing_registrations_of_one_address_make_one_account() -> None:
    def attempt(spelling: str) -> str:
        try:
            register(spelling, PASSWORD)
        except EmailTaken:
            return "taken"
        return "made"

    outcomes = at_once(*[partial(attempt, spelling) for spelling in ["ivan@example.com", "IVAN@EXAMPLE.COM"] * 4])

    assert sorted(outcomes) == ["made"] + ["taken"] * 7
    assert User.objects.count() == 1


# ---------------------------------------------------------------- who has the right password


def counted_hashes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every run of the password hash, which is what takes the time."""
    hashed: list[str] = []
    encode = MD5PasswordHasher.encode

    def counting(self: MD5PasswordHasher, password: str, salt: str) -> str:
        hashed.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counting)
    return hashed


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("ivan@example.com", "wrong"),
        ("nobody@example.com", PASSWORD),
        ("closed@example.com", PASSWORD),
        ("closed@example.com", "wrong"),
        ("no-password@example.com", "wrong"),
        ("", ""),
        ("ivan@example.com", ""),
        ("ivan\ud800@example.com", PASSWORD),
        ("ivan@example.com\0", PASSWORD),
        ("ivan@example.com", "\ud800"),
        ("ivan@example.com", "x" * 100_000),
        ("x" * 100_000, PASSWORD),
    ],
)
def test_every_wrong_pair_has_one_answer_and_costs_one_hash(
    email: str, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    register("ivan@example.com", PASSWORD)
    User.objects.create_user("closed@example.com", PASSWORD, is_active=False)
    User.objects.create_user("no-password@example.com")
    hashed = counted_hashes(monkeypatch)

    with pytest.raises(BadCredentials) as refused:
        user_with(email, password)

    assert len(hashed) == 1
    assert (str(refused.value), refused.value.path) == ("Wrong e-mail or password.", ())


def test_passwords_are_kept_by_argon2(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = gateway_settings.PASSWORD_HASHERS

    user = register("ivan@example.com", PASSWORD)

    assert user.password.startswith("argon2")
    assert PASSWORD not in user.password
    assert user_with("ivan@example.com", PASSWORD) == user
