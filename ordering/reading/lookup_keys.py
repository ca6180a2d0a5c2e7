"""What an order is found by: one array of keys, each marked by its kind, under one index."""

import re
from typing import NamedTuple

from gateway.accounts.models import normalize_email
from ordering.numbers import number_in

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s")
# International numbers have up to fifteen digits; a Russian one is eleven, with 8 or 7 or nothing in front.
PHONE_DIGITS = range(10, 16)


def keys_of(*, number: str, email: str, phone: str, name: str, user_id: str | None) -> list[str]:
    found = [f"number:{number}", f"email:{normalize_email(email)}", f"phone:{phone_digits(phone)}"]
    found += [f"name:{word}" for word in name_words(name)]
    return [*found, user_key(user_id)] if user_id else found


def user_key(user_id: object) -> str:
    return f"user:{user_id}"


def phone_digits(text: str) -> str | None:
    """The digits by which two spellings of a telephone number are the same; None for what is no telephone number."""
    digits = "".join(character for character in text if character.isdecimal() and character.isascii())
    if len(digits) not in PHONE_DIGITS or re.search(r"[^\d\s()+\-.–—]", text):
        return None
    if len(digits) == 10:
        return f"7{digits}"
    return f"7{digits[1:]}" if len(digits) == 11 and digits.startswith("8") else digits


def name_words(text: str) -> list[str]:
    return list(dict.fromkeys(word.replace("ё", "е") for word in _WORD.findall(text.casefold())))


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
