"""Links in letters about accounts: signed, good for a while, and once: what they do makes them worthless."""

from datetime import timedelta
from enum import Enum

from bson import ObjectId
from bson.errors import InvalidId
from django.conf import settings
from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

from gateway.accounts.errors import DeadLink
from gateway.accounts.models import User

# Of a keyed hash: 128 bits, so that the address stays short.
_LENGTH = 32


class Purpose(Enum):
    INVITATION = "invitation"
    STAFF_PASSWORD = "password"  # noqa: S105 - a purpose
    CUSTOMER_PASSWORD = "customer_password"  # noqa: S105 - a purpose
    CUSTOMER_EMAIL = "customer_email"


LIFE = {
    Purpose.INVITATION: timedelta(days=7),
    Purpose.STAFF_PASSWORD: timedelta(hours=1),
    Purpose.CUSTOMER_PASSWORD: timedelta(hours=1),
    # Nothing is lost by the way, and people read their mail when they do.
    Purpose.CUSTOMER_EMAIL: timedelta(days=7),
}
_OF_STAFF = {Purpose.INVITATION, Purpose.STAFF_PASSWORD}


def make_token(purpose: Purpose, user: User) -> str:
    """Bound to the password, the generation of sessions and the address: a new one of any makes it worthless."""
    return signing.dumps([str(user.pk), _marks(purpose, user)[0]], salt=_salt(purpose))


def user_of_token(purpose: Purpose, token: str) -> User:
    """The account whose owner the letter was sent to. Raises DeadLink: expired, used, or made up."""
    is_staff = purpose in _OF_STAFF
    try:
        user_id, mark = signing.loads(token, salt=_salt(purpose), max_age=LIFE[purpose])
        user = User.objects.filter(pk=ObjectId(user_id), is_staff=is_staff, is_active=True).first()
    except (signing.BadSignature, InvalidId, ValueError):
        user = None
    if user is None or not any(constant_time_compare(mark, each) for each in _marks(purpose, user)):
        raise DeadLink("token")
    if (user.invited_at is not None) is not (purpose is Purpose.INVITATION):
        raise DeadLink("token")
    return user


def _marks(purpose: Purpose, user: User) -> list[str]:
    """Keyed hashes of what the link is bound to: under today's secret key, then under the earlier ones."""
    bound = [user.password, str(user.session_generation), user.email]
    if purpose is Purpose.CUSTOMER_EMAIL:
        bound += [user.new_email, "" if user.email_confirmed_at is None else "confirmed"]
    # Each with its length, so that no two lists read the same.
    text = "".join(f"{len(part)}:{part}" for part in bound)
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [salted_hmac(_salt(purpose), text, secret=key, algorithm="sha256").hexdigest()[:_LENGTH] for key in keys]


def _salt(purpose: Purpose) -> str:
    return f"accounts.links.{purpose.value}"
