"""What an order is found by: one array of keys, each marked by its kind, under one index."""

import re
from typing import NamedTuple

from gateway.accounts.models import normalize_email
from gateway.domain.contacts import name_words, phone_digits
from ordering.numbers import number_in

_SPACE = re.compile(r"\s")


def keys_of(*, number: str, email: str, phone: str, name: str, user_id: str | None) -> list[str]:
    found = [f"number:{number}", f"email:{normalize_email(email)}", f"phone:{phone_digits(phone)}"]
    found += [f"name:{word}" for word in name_words(name)]
    return [*found, user_key(user_id)] if user_id else found


def user_key(user_id: object) -> str:
    return f"user:{user_id}"


class Sought(NamedTuple):
    """What a person typed may mean several things: an order has one of these keys, or all of those words."""

    any_of: list[str]
    all_of: list[str]


def keys_sought(text: str) -> Sought:
    text = text.strip()
    if "@" in text:
        return Sought([f"email:{normalize_email(text)}"], [])
    any_of = []
    if number := number_in(text):
        any_of.append(f"number:{number}")
    if phone := phone_digits(text):
        any_of.append(f"phone:{phone}")
    if text and not _SPACE.search(text):
        any_of.append(user_key(text))
    # Digits alone are no name: each further meaning is another walk to be merged.
    is_name = any(character.isalpha() for character in text)
    return Sought(any_of, [f"name:{word}" for word in name_words(text)] if is_name else [])
