"""Who lacks the right to contacts recognises a buyer and cannot write to or call them."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from pymongo.database import Database

from gateway.accounts.masking import masked_email, masked_phone, may_unmask_contacts, sees_contacts
from gateway.accounts.models import User
from gateway.accounts.roles import (
    ADMINISTRATORS,
    ANALYSTS,
    MERCHANDISERS,
    OPERATORS,
    SENIOR_SUPPORT,
    SUPPORT,
    ensure_roles,
)
from gateway.mongo.client import Document


@pytest.mark.parametrize(
    ("email", "masked"),
    [
        ("ivan@example.com", "i•••@example.com"),
        ("ivan.petrov.1985@example.com", "i•••@example.com"),
        ("i@example.com", "•••@example.com"),
        ('"a@b"@example.com', '"•••@example.com'),
        ("no address", "•••"),
        ("", ""),
    ],
)
def test_masked_email(email: str, masked: str) -> None:
    assert masked_email(email) == masked


@pytest.mark.parametrize(
    ("phone", "masked"),
    [("+7 912 345-67-89", "•••89"), ("89123456789", "•••89"), ("1234", "•••"), ("нет", "•••"), ("", "")],
)
def test_masked_phone(phone: str, masked: str) -> None:
    assert masked_phone(phone) == masked


@pytest.mark.parametrize(
    ("role", "sees", "may_unmask"),
    [
        (SUPPORT, True, False),
        (SENIOR_SUPPORT, True, False),
        (ADMINISTRATORS, True, False),
        (OPERATORS, False, True),
        (MERCHANDISERS, False, False),
        (ANALYSTS, False, False),
    ],
)
def test_who_sees_contacts(role: str, sees: bool, may_unmask: bool, database: Database[Document]) -> None:
    ensure_roles()
    user = User.objects.create_user("person@mobile-world.example", is_staff=True)
    user.groups.set(Group.objects.filter(name=role))

    assert (sees_contacts(user), may_unmask_contacts(user)) == (sees, may_unmask)


def test_a_stranger_sees_none() -> None:
    assert (sees_contacts(AnonymousUser()), may_unmask_contacts(AnonymousUser())) == (False, False)
