"""Links in letters to staff: signed, good for a while, and once: what they do makes them worthless."""

from datetime import timedelta
from enum import Enum

from bson import ObjectId
from bson.errors import InvalidId
from django.core import signing
from django.utils.crypto import constant_time_compare

from gateway.accounts.errors import DeadLink
from gateway.accounts.models import User

# Of a keyed hash: 128 bits, so that the address stays short.
_LENGTH = 32


class Purpose(Enum):
    INVITATION = "invitation"
    PASSWORD = "password"  # noqa: S105 - a purpose


LIFE = {Purpose.INVITATION: timedelta(days=7), Purpose.PASSWORD: timedelta(hours=1)}


def make_token(purpose: Purpose, user: User) -> str:
    """Bound to the password and the generation of sessions: a new one of either makes it worthless."""
    return signing.dumps([str(user.pk), user.get_session_auth_hash()[:_LENGTH]], salt=_salt(purpose))


def user_of_token(purpose: Purpose, token: str) -> User:
    """The member of staff whom the letter was sent to. Raises DeadLink: expired, used, or made up."""
    try:
        user_id, auth = signing.loads(token, salt=_salt(purpose), max_age=LIFE[purpose])
        user = User.objects.filter(pk=ObjectId(user_id), is_staff=True, is_active=True).first()
    except (signing.BadSignature, InvalidId, ValueError):
        user = None
    if user is None or not any(constant_time_compare(auth, each[:_LENGTH]) for each in user.session_auth_hashes()):
        raise DeadLink
    if (user.invited_at is not None) is not (purpose is Purpose.INVITATION):
        raise DeadLink
    return user


def _salt(purpose: Purpose) -> str:
    return f"accounts.team.{purpose.value}"
