"""One member of staff: their roles, whether they may sign in, and where they are signed in.

Nobody changes their own account, and somebody is always left who may change others'.
"""

from collections.abc import Collection

from bson import ObjectId
from bson.errors import InvalidId
from django.contrib.auth.models import Group
from django.db.models import Q

from gateway.accounts.errors import LastAdministrator, OwnAccount, UnknownAccount, UnknownRole
from gateway.accounts.models import User
from gateway.accounts.roles import ADMINISTRATORS, ROLES
from gateway.accounts.sessions import store
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sign_out import end_sessions
from gateway.audit.trail import Action, Actor, differences, record
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import in_transaction


def member(user_id: str) -> User:
    """The member of staff with this id. Raises UnknownAccount, also for a customer's."""
    try:
        found = User.objects.filter(pk=ObjectId(user_id), is_staff=True).first()
    except InvalidId:
        found = None
    if found is None:
        raise UnknownAccount
    return found


def roles_of(user: User) -> list[str]:
    return sorted(user.groups.values_list("name", flat=True))


def change_member(user_id: str, *, roles: Collection[str], is_active: bool, actor: Actor, reason: str = "") -> User:
    """Give the member exactly these roles, and let them sign in or not. Repeated, it changes nothing.

    Raises OwnAccount, LastAdministrator, UnknownRole.
    """
    if user_id == actor.id:
        raise OwnAccount
    if unknown := set(roles) - ROLES.keys():
        raise UnknownRole("roles", roles=", ".join(sorted(unknown)))
    user = in_transaction(lambda: _change(user_id, set(roles), is_active, actor, reason))
    if not is_active:
        end_sessions(user)
    return user


def sign_out_member(user_id: str, *, actor: Actor) -> None:
    """End every session of the member."""

    def sign_out() -> User:
        user = member(user_id)
        user.session_generation += 1
        user.save(update_fields=["session_generation"])
        record(Action.STAFF_SIGNED_OUT, f"staff:{user_id}", actor=actor, changes={})
        return user

    end_sessions(in_transaction(sign_out))


def end_session(user_id: str, session_id: str, *, actor: Actor) -> None:
    """End one session of the member; one that is over already is no error."""
    user = member(user_id)
    if session_id in {device.session_id for device in devices_of(user)}:
        changes = {"sessions": (1, 0)}
        target = f"staff:{user_id}"
        in_transaction(lambda: record(Action.STAFF_SIGNED_OUT, target, actor=actor, changes=changes))
        store.end(session_id)


def _change(user_id: str, roles: set[str], is_active: bool, actor: Actor, reason: str) -> User:
    user = member(user_id)
    before = {"roles": roles_of(user), "is_active": user.is_active}
    after = {"roles": sorted(roles), "is_active": is_active}
    changes = differences(before, after)
    if not changes:
        return user
    if not (is_active and (ADMINISTRATORS in roles or user.is_superuser)):
        _keep_one_administrator(user)
    user.is_active = is_active
    # With other roles, too: who has lost a right must not keep a page open that offers it.
    user.session_generation += 1
    user.save(update_fields=["is_active", "session_generation"])
    user.groups.set(Group.objects.filter(name__in=roles))
    record(Action.STAFF_CHANGED, f"staff:{user_id}", actor=actor, changes=changes, reason=reason)
    return user


def _keep_one_administrator(leaving: User) -> None:
    """Raise LastAdministrator unless another is left. Two who remove each other at once meet at the role's document."""
    groups = collection_of(Group._meta.db_table, dict)
    groups.update_one({"name": ADMINISTRATORS}, {"$inc": {"removals": 1}}, session=orm_connection().session)
    others = User.objects.filter(is_staff=True, is_active=True).exclude(pk=leaving.pk)
    if not others.filter(Q(is_superuser=True) | Q(groups__name=ADMINISTRATORS)).exists():
        raise LastAdministrator
