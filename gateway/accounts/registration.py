"""A new account."""

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError

from gateway.accounts.errors import BadEmail, EmailTaken, TooLong, UnreadableText
from gateway.accounts.models import LENGTHS, User, normalize_email
from gateway.accounts.passwords import password_errors
from gateway.domain_errors import DomainError, Refused

_UNREADABLE = {"Cc", "Cs"}


def register(email: str, password: str, *, name: str = "", phone: str = "") -> User:
    """Make the account, or say all that is wrong with it. Of two at once for one address, one is EmailTaken."""
    user = User(email=normalize_email(email), name=name.strip(), phone=phone.strip())
    errors = [*_text_errors(user), *password_errors(password, user)]
    if errors:
        raise Refused(errors)
    user.set_password(password)
    try:
        user.save(force_insert=True)
    except IntegrityError as error:
        raise EmailTaken("email") from error
    return user


def _text_errors(user: User) -> list[DomainError]:
    errors: list[DomainError] = []
    for name, limit in LENGTHS.items():
        text = getattr(user, name)
        if len(text) > limit:
            errors.append(TooLong(name, limit=limit))
        elif any(unicodedata.category(character) in _UNREADABLE for character in text):
            errors.append(UnreadableText(name))
        elif name == "email" and not _is_email(text):
            errors.append(BadEmail(name))
    return errors


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
