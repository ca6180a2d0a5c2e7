"""A customer changes the own account: name, telephone, password."""

from collections.abc import Mapping
from typing import NamedTuple

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.hashers import make_password

from gateway.accounts.models import LENGTHS, User
from gateway.accounts.own.identity import require_customer, require_password
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sign_in.passwords import password_errors
from gateway.accounts.sign_out import stay_signed_in
from gateway.domain.errors import NotSignedIn, Refused
from gateway.domain.input import text_errors
from gateway.mongo.transactions import in_transaction


class Profile(NamedTuple):
    """What is to be different; None: stays as it is."""

    name: str | None = None
    phone: str | None = None
    new_password: str | None = None

    @property
    def needs_password(self) -> bool:
        """Whether the change would let somebody else keep the account."""
        return self.new_password is not None


class Owner(NamedTuple):
    """Who changes the account, as the request knows them."""

    user: User
    session: SessionStore
    client: str
    """The network that wrong passwords count against."""
    device: str | None
    """The cookie that proves a known device, if there is one."""


def update_account(owner: Owner, wanted: Profile, password: str | None) -> User:
    """Change the account, all or nothing; returns it as it is now. A new password ends every other session.

    Raises StaffAccount, WrongPassword, TooManyFailures, Refused with all that is wrong with the input, or NotSignedIn
    when another device has just changed the password or signed out everywhere. Hashes if a password is needed: call it
    in the hashing pool then. A crash behind the write may end this session too: the new password signs in.
    """
    require_customer(owner.user)
    given = {field: text.strip() for field in ("name", "phone") if (text := getattr(wanted, field)) is not None}
    _check(owner.user, given, wanted.new_password)
    if wanted.needs_password:
        require_password(owner.user, password or "", client=owner.client, device=owner.device)
    hashed = make_password(wanted.new_password) if wanted.new_password is not None else None
    user = in_transaction(lambda: _write(owner.user, given, hashed))
    if user.get_session_auth_hash() != owner.session.get(HASH_SESSION_KEY):
        stay_signed_in(user, owner.session)
    return user


def _check(user: User, given: Mapping[str, str], new_password: str | None) -> None:
    errors = [
        error for field, text in given.items() for error in text_errors(text, LENGTHS[field], field, required=False)
    ]
    if new_password is not None:
        # It must not resemble the name that is being given, either.
        named = User(email=user.email, name=given.get("name", user.name), phone=given.get("phone", user.phone))
        errors += password_errors(new_password, named, "new_password")
    if errors:
        raise Refused(errors)


def _write(seen: User, given: Mapping[str, str], hashed: str | None) -> User:
    user = User.objects.filter(pk=seen.pk, is_active=True).first()
    if user is None or (user.password, user.session_generation) != (seen.password, seen.session_generation):
        raise NotSignedIn
    for field, text in given.items():
        setattr(user, field, text)
    if hashed is not None:
        user.password = hashed
        user.session_generation += 1
    user.save(update_fields=[*given, "password", "session_generation"])
    return user
