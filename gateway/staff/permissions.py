"""Permissions of staff, checked once at the edge."""

from django.contrib.auth.models import AnonymousUser

from gateway.accounts.models import User
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import NotAllowed, NotSignedIn


def actor_with(user: User | AnonymousUser, *permissions: str, source: Source = Source.API) -> Actor:
    """The person as the audit will name them. Raises NotSignedIn or NotAllowed. Reads the database."""
    if not isinstance(user, User):
        raise NotSignedIn
    if not user.is_staff or not user.has_perms(permissions):
        raise NotAllowed
    return Actor.account(user, source)
