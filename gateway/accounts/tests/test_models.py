"""Accounts are known by their e-mail address, whatever its case."""

from functools import partial

import pytest
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.mongo.client import Document
from gateway.tests.races import at_once


def test_user_signs_in_with_any_spelling_of_the_address(database: Database[Document]) -> None:
    user = User.objects.create_user(" Ivan@Example.COM ", "correct horse", name="Иван Петров")

    assert user.email == "ivan@example.com"
    assert authenticate(username="IVAN@example.com", password="correct horse") == user
    assert authenticate(username="ivan@example.com", password="wrong") is None


def test_racing_registrations_of_one_address_make_one_account(database: Database[Document]) -> None:
    def register(spelling: str) -> bool:
        try:
            User.objects.create_user(spelling, "correct horse")
        except IntegrityError:
            return False
        return True

    made = at_once(*[partial(register, spelling) for spelling in ["ivan@example.com", "IVAN@EXAMPLE.COM"] * 4])

    assert made.count(True) == 1
    assert User.objects.count() == 1


def test_validation_folds_the_address(database: Database[Document]) -> None:
    User.objects.create_user("ivan@example.com", "correct horse")
    second = User(email="Ivan@example.com", password="x")

    with pytest.raises(ValidationError, match=r"(?i)e-mail"):
        second.full_clean()


def test_superuser_may_do_everything(database: Database[Document]) -> None:
    boss = User.objects.create_superuser("boss@example.com", "correct horse")

    assert (boss.is_staff, boss.is_superuser, boss.has_perm("catalog.delete_geozone")) == (True, True, True)


def test_names_fall_back_to_the_address() -> None:
    assert User(email="a@example.com").get_full_name() == "a@example.com"
    assert User(email="a@example.com", name="Иван Петров").get_short_name() == "Иван"
