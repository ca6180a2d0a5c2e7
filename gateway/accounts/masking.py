"""Contacts of buyers as staff without the right to them see them: enough to recognise, too little to write or call."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, PermissionsMixin

SEE_CONTACTS = "accounts.see_contacts"
UNMASK_CONTACTS = "accounts.unmask_contacts"

HIDDEN = "•••"
# What a buyer reads out to be recognised; the other digits say nothing without them.
_LAST_DIGITS = 2


def sees_contacts(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether the person may see buyers' contacts in the clear. Reads the database."""
    return isinstance(user, PermissionsMixin) and user.has_perm(SEE_CONTACTS)


def may_unmask_contacts(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether the person may see one buyer's contacts at a time, on record. Reads the database."""
    return isinstance(user, PermissionsMixin) and user.has_perm(UNMASK_CONTACTS)


def masked_email(email: str) -> str:
    """`ivan@example.com` as `i•••@example.com`: the same length whatever stood there; empty for an empty one."""
    if not email:
        return ""
    name, at, domain = email.rpartition("@")
    if not at:
        return HIDDEN
    return f"{name[:1] if len(name) > 1 else ''}{HIDDEN}@{domain}"


def masked_phone(phone: str) -> str:
    """`+7 912 345-67-89` as `•••89`: its last digits; empty for an empty one."""
    if not phone:
        return ""
    digits = [character for character in phone if character.isdecimal()]
    return f"{HIDDEN}{''.join(digits[-_LAST_DIGITS:])}" if len(digits) > 2 * _LAST_DIGITS else HIDDEN


def masked_name(name: str) -> str:
    """`Иван Покупатель` as `Иван П.`: the first word, of the others the first letter."""
    first, *others = name.split() or [""]
    return " ".join([first, *(f"{word[0]}." for word in others)])


def shown_email(email: str, *, clear: bool) -> str:
    return email if clear else masked_email(email)


def shown_phone(phone: str, *, clear: bool) -> str:
    return phone if clear else masked_phone(phone)
