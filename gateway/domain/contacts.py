"""Contacts that people write in many ways: when two spellings are the same, and how to take them out of a text."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_WORD = re.compile(r"\w+")
# International numbers have up to fifteen digits; a Russian one is eleven, with 8 or 7 or nothing in front.
PHONE_DIGITS = range(10, 16)
_PHONE_IN_TEXT = re.compile(r"\+?\d[\d\s()\-.–—]{8,}\d")
# Shorter ones are initials and particles, which other words contain and other people have.
_NAME_LETTERS = 3

REMOVED = "[удалено]"


class Contacts(NamedTuple):
    """What a person is reached and called by."""

    email: str = ""
    phone: str = ""
    name: str = ""


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


def without_contacts(text: str, people: Iterable[Contacts]) -> str:
    """The text with these people's addresses, telephone numbers and names, in any spelling, replaced by a mark."""
    for person in people:
        text = _without_one(text, person)
    return text


def _without_one(text: str, person: Contacts) -> str:
    if person.email:
        text = re.sub(re.escape(person.email), REMOVED, text, flags=re.IGNORECASE)
    if digits := phone_digits(person.phone):
        text = _PHONE_IN_TEXT.sub(lambda found: REMOVED if phone_digits(found[0]) == digits else found[0], text)
    if person.phone:
        text = text.replace(person.phone, REMOVED)
    words = {word for word in name_words(person.name) if len(word) >= _NAME_LETTERS}
    return _WORD.sub(lambda found: REMOVED if found[0].casefold().replace("ё", "е") in words else found[0], text)
