"""Inviting somebody to the staff: an account without a password, and a letter by which its owner chooses one."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime

from django.contrib.auth.models import Group
from django.db import IntegrityError

from gateway.accounts.errors import EmailTaken, NotInvited, UnknownRole
from gateway.accounts.links import Purpose, make_token
from gateway.accounts.models import LENGTHS, User, normalize_email
from gateway.accounts.roles import ROLES
from gateway.accounts.team.letters import send_invitation_letter
from gateway.accounts.team.members import member
from gateway.audit.trail import Action, Actor, record
from gateway.domain.errors import Refused
from gateway.domain.input import email_errors
from gateway.mongo.transactions import in_transaction

Link = Callable[[str], str]
"""Makes the address in the letter from a token."""


def invite(email: str, *, roles: Collection[str], actor: Actor, link: Link) -> tuple[User, bool]:
    """Make the account and send the letter; returns whether the mail server took it: if not, invite again.

    Raises EmailTaken, also for the address of a customer: staff have accounts of their own. Raises Refused.
    """
    email = normalize_email(email)
    if errors := email_errors(email, LENGTHS["email"], "email"):
        raise Refused(errors)
    if unknown := set(roles) - ROLES.keys():
        raise UnknownRole("roles", roles=", ".join(sorted(unknown)))
    try:
        user = in_transaction(lambda: _make(email, set(roles), actor))
    except IntegrityError as error:
        raise EmailTaken("email") from error
    return user, _send(user, link)


def invite_again(user_id: str, *, actor: Actor, link: Link) -> bool:
    """Send the letter anew; links of earlier ones are dead from then on. Raises NotInvited once it was accepted."""
    user = in_transaction(lambda: _renew(user_id, actor))
    return _send(user, link)


def _make(email: str, roles: set[str], actor: Actor) -> User:
    user = User(email=email, is_staff=True, invited_at=datetime.now(UTC))
    user.set_unusable_password()
    user.save(force_insert=True)
    user.groups.set(Group.objects.filter(name__in=roles))
    changes = {"email": (None, email), "roles": (None, sorted(roles))}
    record(Action.STAFF_INVITED, f"staff:{user.pk}", actor=actor, changes=changes)
    return user


def _renew(user_id: str, actor: Actor) -> User:
    user = member(user_id)
    if user.invited_at is None:
        raise NotInvited
    user.invited_at = datetime.now(UTC)
    user.session_generation += 1
    user.save(update_fields=["invited_at", "session_generation"])
    record(Action.STAFF_INVITED, f"staff:{user_id}", actor=actor, changes={})
    return user


def _send(user: User, link: Link) -> bool:
    return send_invitation_letter(user.email, link(make_token(Purpose.INVITATION, user)))
