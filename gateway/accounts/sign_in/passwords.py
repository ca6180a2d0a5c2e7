"""Checking passwords: whether one is right, and whether one may be chosen."""

from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils import translation

from gateway.accounts.errors import BadCredentials, WeakPassword
from gateway.accounts.models import User
from gateway.domain.errors import DomainError
from gateway.domain.input import TooLong, UnreadableText

# Longer than any passphrase; a megabyte to be hashed and compared would be an attack.
MAX_PASSWORD = 128


def user_with(email: str, password: str) -> User:
    """The account with this address and password, if it may sign in. Raises BadCredentials.

    Django hashes once in every case, so that the time tells no more than the answer does.
    """
    readable = is_readable(email) and is_password(password)
    found = authenticate(username=email if readable else "", password=password if readable else "")
    if not isinstance(found, User):
        raise BadCredentials
    return found


def is_password(text: str) -> bool:
    """Whether it may be anybody's password, so that hashing it is worth the while."""
    return is_readable(text) and len(text) <= MAX_PASSWORD


def password_errors(password: str, user: User, field: str = "password") -> list[DomainError]:
    """Why this password will not do for this user, in each validator's own words; empty when it will.

    `field`: the input's name of it.
    """
    if not is_readable(password):
        return [UnreadableText(field)]
    if len(password) > MAX_PASSWORD:
        return [TooLong(field, limit=MAX_PASSWORD)]
    texts = zip(_refusals(password, user, "ru"), _refusals(password, user, "en"), strict=True)
    return [WeakPassword(field, ru=russian, en=english) for russian, english in texts]


def _refusals(password: str, user: User, language: str) -> list[str]:
    with translation.override(language):
        try:
            validate_password(password, user)
        except ValidationError as error:
            return error.messages
    return []


def is_readable(text: str) -> bool:
    """Whether a hash and MongoDB take the text: JSON can write a lone surrogate or a zero byte, which they do not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
