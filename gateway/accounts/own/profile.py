"""A customer changes the own account: name, telephone, address of mail, password."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.hashers import make_password

from gateway.accounts.errors import EmailTaken
from gateway.accounts.models import LENGTHS, User, normalize_email
from gateway.accounts.own.delivery import mail_soon, owe_letter
from gateway.accounts.own.identity import require_customer, require_password
from gateway.accounts.own.letters import Kind
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sign_in import attempts
from gateway.accounts.sign_in.passwords import password_errors
from gateway.accounts.sign_out import stay_signed_in
from gateway.domain.errors import NotSignedIn, Refused
from gateway.domain.input import email_errors, text_errors
from gateway.domain.texts import DEFAULT_LANGUAGE, Language
from gateway.mongo.transactions import in_transaction


class Profile(NamedTuple):
    """What is to be different; None: stays as it is."""

    name: str | None = None
    phone: str | None = None
    email: str | None = None
    new_password: str | None = None

    @property
    def needs_password(self) -> bool:
        """Whether the change would let somebody else keep the account."""
        return self.new_password is not None or self.email is not None


class Owner(NamedTuple):
    """Who changes the account, as the request knows them."""

    user: User
    session: SessionStore
    client: str
    """The network that wrong passwords count against."""
    device: str | None
    """The cookie that proves a known device, if there is one."""
    language: Language = DEFAULT_LANGUAGE
    """Of letters that are caused."""


def update_account(owner: Owner, wanted: Profile, password: str | None) -> User:
    """Change the account, all or nothing; returns it as it is now. A new password ends every other session.

    A new address takes effect once it is confirmed by the letter to it; the one until now is told. The account's own
    address takes back a change that waits, or asks for the letter once more while it is not confirmed.

    Raises StaffAccount, WrongPassword, TooManyFailures, TooManyLetters, EmailTaken, Refused with all that is wrong with
    the input, or NotSignedIn when another device has just changed the password or signed out everywhere. Hashes if a
    password is needed: call it in the hashing pool then. A crash behind the write may end this session too: the new
    password signs in.
    """
    require_customer(owner.user)
    given = {field: text.strip() for field in ("name", "phone") if (text := getattr(wanted, field)) is not None}
    email = None if wanted.email is None else normalize_email(wanted.email)
    _check(owner.user, given, email, wanted.new_password)
    if wanted.needs_password:
        require_password(owner.user, password or "", client=owner.client, device=owner.device)
    if email is not None:
        _check_free(owner, email)
        attempts.begin_letter(email, owner.client)
    hashed = make_password(wanted.new_password) if wanted.new_password is not None else None
    user, letter_ids = in_transaction(lambda: _write(owner, given, email, hashed))
    mail_soon(*letter_ids)
    if user.get_session_auth_hash() != owner.session.get(HASH_SESSION_KEY):
        stay_signed_in(user, owner.session)
    return user


def _check(user: User, given: Mapping[str, str], email: str | None, new_password: str | None) -> None:
    errors = [
        error for field, text in given.items() for error in text_errors(text, LENGTHS[field], field, required=False)
    ]
    if email is not None:
        errors += email_errors(email, LENGTHS["email"], "email")
    if new_password is not None:
        # It must not resemble what is being given with it, either.
        named = User(email=email or user.email, name=given.get("name", user.name), phone=given.get("phone", user.phone))
        errors += password_errors(new_password, named, "new_password")
    if errors:
        raise Refused(errors)


def _check_free(owner: Owner, email: str) -> None:
    """Raise EmailTaken for somebody else's address: that much registering tells too, and it counts alike."""
    attempt = attempts.begin(email, owner.client, owner.device)
    if User.objects.filter(email=email).exclude(pk=owner.user.pk).exists():
        raise EmailTaken("email")
    attempt.take_back()


def _write(owner: Owner, given: Mapping[str, str], email: str | None, hashed: str | None) -> tuple[User, Sequence[str]]:
    """In the running transaction: change the account; returns it and the letters that are due."""
    seen = owner.user
    user = User.objects.filter(pk=seen.pk, is_active=True).first()
    if user is None or (user.password, user.session_generation) != (seen.password, seen.session_generation):
        raise NotSignedIn
    for field, text in given.items():
        setattr(user, field, text)
    if hashed is not None:
        user.password = hashed
        user.session_generation += 1
    letter_ids = [] if email is None else _change_email(user, email, owner.language)
    user.save(update_fields=[*given, "new_email", "password", "session_generation"])
    return user, letter_ids


def _change_email(user: User, email: str, language: Language) -> list[str]:
    user_id = str(user.pk)
    if email == user.email:
        user.new_email = ""
        to_confirm = [] if user.email_confirmed_at else [email]
        return [owe_letter(Kind.CONFIRMATION, to, language=language, user_id=user_id) for to in to_confirm]
    user.new_email = email
    return [
        owe_letter(Kind.CONFIRMATION, email, language=language, user_id=user_id),
        owe_letter(Kind.NEW_EMAIL, user.email, language=language, user_id=user_id, about=email),
    ]
