"""Roles and access of staff: on record, never one's own, never the last administrator's."""

from collections.abc import Callable
from functools import partial

import pytest
from django.contrib.auth import authenticate
from django.test import Client
from pymongo.database import Database

from gateway.accounts.demo import PASSWORD
from gateway.accounts.errors import LastAdministrator, OwnAccount
from gateway.accounts.models import User
from gateway.accounts.roles import ADMINISTRATORS, SENIOR_SUPPORT, SUPPORT
from gateway.accounts.team.members import change_member, roles_of
from gateway.accounts.tests.sessions import is_alive, key_of
from gateway.accounts.tests.sessions import signed_in as session_of
from gateway.audit.trail import Actor, Source
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once

Team = Callable[[str], User]
PAGE = "/admin/accounts/user/"


def actor(user: User) -> Actor:
    return Actor.account(user, Source.ADMIN)


def test_roles_change_on_record_and_sign_out(team: Team, database: Database[Document]) -> None:
    support, browser = team("support"), signed_in("support")
    assert browser.get("/admin/").status_code == 200

    signed_in("administrator").post(
        f"{PAGE}{support.pk}/roles/", {"roles": [SENIOR_SUPPORT], "is_active": "on", "reason": "повышение"}
    )

    assert roles_of(support) == [SENIOR_SUPPORT]
    assert browser.get("/admin/").status_code == 302
    (entry,) = database["audit"].find({"action": "staff.changed"})
    assert (entry["changes"], entry["reason"]) == ({"roles": [[SUPPORT], [SENIOR_SUPPORT]]}, "повышение")


def test_deactivated_member_cannot_sign_in(team: Team) -> None:
    support = team("support")

    change_member(str(support.pk), roles=[SUPPORT], is_active=False, actor=actor(team("administrator")))

    assert authenticate(username=support.email, password=PASSWORD) is None


def test_nobody_changes_their_own_account(team: Team) -> None:
    administrator = team("administrator")

    with pytest.raises(OwnAccount):
        change_member(str(administrator.pk), roles=[], is_active=True, actor=actor(administrator))

    assert roles_of(administrator) == [ADMINISTRATORS]


def test_last_administrator_stays(team: Team) -> None:
    administrator, superuser = team("administrator"), team("staff")
    change_member(str(superuser.pk), roles=[], is_active=False, actor=actor(administrator))

    with pytest.raises(LastAdministrator):
        change_member(str(administrator.pk), roles=[SUPPORT], is_active=True, actor=actor(team("support")))
    with pytest.raises(LastAdministrator):
        change_member(str(administrator.pk), roles=[ADMINISTRATORS], is_active=False, actor=actor(team("support")))


def test_two_administrators_who_remove_each_other_leave_one(team: Team) -> None:
    one, other = team("administrator"), team("support")
    change_member(str(other.pk), roles=[ADMINISTRATORS], is_active=True, actor=actor(one))
    change_member(str(team("staff").pk), roles=[], is_active=False, actor=actor(one))

    remove = partial(change_member, roles=[], is_active=True)
    outcomes = at_once(
        partial(remove, str(one.pk), actor=actor(other)), partial(remove, str(other.pk), actor=actor(one))
    )

    assert [type(outcome) for outcome in outcomes if isinstance(outcome, Exception)] == [LastAdministrator]
    assert sorted(len(roles_of(user)) for user in (one, other)) == [0, 1]


def test_sessions_are_shown_and_ended(team: Team, database: Database[Document]) -> None:
    support, administrator = team("support"), signed_in("administrator")
    first, second = session_of(support, device="Ноутбук"), session_of(support, device="Телефон")
    shown = administrator.get(f"{PAGE}{support.pk}/change/").content.decode()
    assert "Ноутбук" in shown
    assert "Телефон" in shown

    administrator.post(f"{PAGE}{support.pk}/end-session/", {"session": first.session_id})
    assert [is_alive(key_of(each)) for each in (first, second)] == [False, True]
    administrator.post(f"{PAGE}{support.pk}/sign-out/")

    assert not is_alive(key_of(second))
    assert database["audit"].count_documents({"action": "staff.signed_out"}) == 2


def test_no_page_shows_a_password_hash_or_a_customer(team: Team) -> None:
    administrator, support = signed_in("administrator"), team("support")
    pages = ["", "add/", f"{support.pk}/change/", f"{support.pk}/roles/"]

    shown = "".join(administrator.get(f"{PAGE}{page}").content.decode() for page in pages)

    assert "argon2" not in shown
    assert support.password.split("$")[-1][:8] not in shown
    assert "customer@mobile-world.example" not in shown
    assert administrator.get(f"{PAGE}{team('customer').pk}/change/").status_code == 404
    assert administrator.get(f"{PAGE}{support.pk}/password/").status_code in (302, 404)


@pytest.mark.parametrize("login", ["senior", "support", "operator", "merchandiser", "analyst"])
def test_others_open_no_page_of_staff(login: str, team: Team) -> None:
    browser: Client = signed_in(login)
    pages = ["", "add/", f"{team('staff').pk}/change/", f"{team('staff').pk}/roles/"]

    assert [browser.get(f"{PAGE}{page}").status_code for page in pages] == [403] * 4


def test_roles_are_read_only(team: Team) -> None:
    administrator = signed_in("administrator")
    shown = administrator.get("/admin/auth/group/").content.decode()

    assert SENIOR_SUPPORT in shown
    assert administrator.get("/admin/auth/group/add/").status_code == 403
