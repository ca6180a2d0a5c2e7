"""Rights are of staff: whatever else says so, an account that is not staff has none."""

from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.accounts.roles import SUPPORT, ensure_roles
from gateway.domain.errors import NotAllowed
from gateway.mongo.client import Document
from gateway.staff.permissions import actor_with

CHANGE, SEE = "ordering.change_order", "ordering.view_order"
LOOK_UP = '{ orderLookup(query: "ivan@example.com") { nodes { number } } }'


@pytest.fixture
def almost_staff(database: Database[Document]) -> User:
    """Has every kind of right, and is staff no longer."""
    ensure_roles()
    user = User.objects.create_user("former@example.com", "correct horse", is_superuser=True)
    user.groups.add(Group.objects.get(name=SUPPORT))
    user.user_permissions.add(Permission.objects.get(codename="change_order"))
    return user


def rights(user: User) -> list[bool]:
    return [user.has_perm(CHANGE), user.has_perms([SEE, CHANGE]), user.has_module_perms("ordering")]


@pytest.mark.parametrize("permissions", [(), (SEE,), (SEE, CHANGE)])
def test_rights_of_an_account_that_is_not_staff_are_worth_nothing(
    almost_staff: User, permissions: tuple[str, ...]
) -> None:
    assert rights(almost_staff) == [False] * 3
    with pytest.raises(NotAllowed):
        actor_with(almost_staff, *permissions)


@pytest.mark.parametrize("flags", [{"is_superuser": True}, {"is_superuser": False}])
def test_they_count_as_soon_as_it_is(almost_staff: User, flags: dict[str, bool]) -> None:
    User.objects.filter(pk=almost_staff.pk).update(is_staff=True, **flags)
    staff = User.objects.get(pk=almost_staff.pk)

    assert rights(staff) == [True] * 3
    assert actor_with(staff, SEE, CHANGE).name == "former@example.com"


def test_closed_account_of_staff_has_none(almost_staff: User) -> None:
    User.objects.filter(pk=almost_staff.pk).update(is_staff=True, is_active=False)

    assert rights(User.objects.get(pk=almost_staff.pk)) == [False] * 3


def test_api_and_admin_refuse_it(almost_staff: User, web: httpx.Client) -> None:
    browser = Client()
    browser.force_login(almost_staff)
    cookie = {"cookie": f"sessionid={browser.cookies['sessionid'].value}"}

    answer: dict[str, Any] = web.post("/graphql", json={"query": LOOK_UP}, headers=cookie).json()

    assert [error["extensions"]["code"] for error in answer["errors"]] == ["FORBIDDEN"]
    assert web.get("/admin/ordering/order/", headers=cookie).status_code == 302
