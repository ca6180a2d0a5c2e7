"""Demo accounts: one for every role, idempotent, and never in production."""

import pytest
from django.contrib.auth import authenticate as django_authenticate
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from pymongo.database import Database

from gateway.accounts.demo import PASSWORD, ensure_demo_accounts
from gateway.accounts.models import User
from gateway.accounts.roles import ROLES
from gateway.mongo.client import Document


def authenticate(address: str) -> User:
    user = django_authenticate(username=address, password=PASSWORD)
    assert isinstance(user, User)
    return user


LOGINS = ["staff", "merchandiser", "support", "senior", "analyst", "operator", "administrator", "customer"]


def test_accounts_sign_in_with_their_rights(database: Database[Document]) -> None:
    addresses = ensure_demo_accounts()

    assert addresses == [f"{login}@mobile-world.example" for login in LOGINS]
    users = [authenticate(address) for address in addresses]
    assert [user.is_staff for user in users] == [True] * 7 + [False]
    staff, merchandiser, support, *others, customer = users
    assert {group.name for user in users for group in user.groups.all()} == ROLES.keys()
    assert all(user.has_perms(ROLES[user.groups.get().name]) for user in others)
    assert staff.is_superuser
    assert merchandiser.has_perm("catalog.change_geozone")
    assert not merchandiser.has_perm("accounts.view_user")
    assert not support.has_perm("accounts.view_user")
    assert support.has_perm("accounts.view_customer")
    assert not support.has_perm("catalog.change_geozone")
    assert not customer.has_perm("catalog.view_geozone")


def test_second_run_restores_the_accounts_and_adds_none(database: Database[Document]) -> None:
    ensure_demo_accounts()
    customer = User.objects.get(email="customer@mobile-world.example")
    customer.set_password("changed")
    customer.is_staff = True
    customer.save()

    ensure_demo_accounts()

    assert not authenticate(customer.email).is_staff
    assert User.objects.count() == len(LOGINS)


def test_production_refuses_demo_accounts(database: Database[Document]) -> None:
    with override_settings(PRODUCTION=True), pytest.raises(ImproperlyConfigured, match="never with production"):
        ensure_demo_accounts()

    assert User.objects.count() == 0
