"""What an order is found by: one array of keys, each marked by its kind, under one index."""

import re
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from gateway.accounts.models import normalize_email
from gateway.domain.contacts import name_words, phone_digits
from gateway.domain.input import normal_key
from ordering.documents import Contact, OrderDocument
from ordering.ledger.ledger import Ledger
from ordering.numbers import number_in

_SPACE = re.compile(r"\s")
# The last digits of a telephone number, which people read out with their name.
TAIL = 4
# Enough for name, father's name and a double surname; the index holds a key for each, each two and each three.
NAME_WORDS = 5
# More movements of money than an order ever has; the newest are the ones asked for.
REFERENCES = 50


def order_keys(order: OrderDocument, ledger: Ledger) -> list[str]:
    """The keys of an order whose money is this."""
    return keys_of(
        number=order["number"],
        contact=order["contact"],
        user_id=order["user_id"],
        product_ids=[item["product_id"] for item in order["items"]],
        references=[entry.reference for entry in ledger],
    )


def keys_of(
    *,
    number: str,
    contact: Contact,
    user_id: str | None,
    product_ids: Iterable[str] = (),
    references: Iterable[str] = (),
) -> list[str]:
    """The keys of an order, each once. Their number is bounded by what an order may hold."""
    phone = phone_digits(contact["phone"])
    words = name_words(contact["name"])
    newest = list(dict.fromkeys(reversed(list(references))))[:REFERENCES]
    found = [
        f"number:{number}",
        # Empty once the buyer is anonymised.
        *([f"email:{normalize_email(contact['email'])}"] if contact["email"] else []),
        *([f"phone:{phone}"] if phone else []),
        *(f"name:{word}" for word in words),
        *_joined_keys(words, 2),
        *_joined_keys(words, 3),
        *([user_key(user_id)] if user_id else []),
        *(_tail_key(phone[-TAIL:], word) for word in words[:NAME_WORDS] if phone),
        *map(_product_key, product_ids),
        *map(_reference_key, reversed(newest)),
    ]
    return list(dict.fromkeys(found))


def user_key(user_id: object) -> str:
    return f"user:{user_id}"


class Sought(NamedTuple):
    """What a person typed may mean several things: an order has one of these keys, or all keys of one of those."""

    any_of: list[str]
    all_of: list[list[str]]


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
        any_of += [user_key(text), _product_key(text)]
    has_digit = any(character.isdecimal() for character in text)
    # A reference has a digit; digits alone are no name: each further meaning is another walk to be merged.
    if has_digit:
        any_of.append(_reference_key(text))
    words = name_words(text) if any(character.isalpha() for character in text) else []
    # Nobody is called 4567: to look for it would walk every namesake there is.
    names = [] if any(word.isdecimal() for word in words) else _name_keys(words)
    return Sought(any_of, [each for each in (names, _by_tail(words)) if each])


def _name_keys(words: list[str]) -> list[str]:
    """The keys for a name of these words: together, since a common surname alone is that of every hundredth order."""
    if len(words) < 2:
        return [f"name:{word}" for word in words]
    return [*_joined_keys(words, min(3, len(words))), *(f"name:{word}" for word in words[NAME_WORDS:])]


def _joined_keys(words: list[str], number: int) -> list[str]:
    return [f"names:{' '.join(sorted(each))}" for each in combinations(words[:NAME_WORDS], number)]


def _by_tail(words: list[str]) -> list[str]:
    """The keys for «4567 Иванов»: last digits of the telephone and words of the name; none when it is not that."""
    tails = [word for word in words if len(word) == TAIL and word.isascii() and word.isdecimal()]
    names = [word for word in words if word not in tails][:NAME_WORDS]
    return [_tail_key(tails[0], name) for name in names] if len(tails) == 1 else []


def _tail_key(tail: str, word: str) -> str:
    # One key for both: the digits alone are those of every ten-thousandth order.
    return f"tail:{tail} {word}"


def _product_key(product_id: str) -> str:
    return f"product:{product_id.casefold()}"


def _reference_key(reference: str) -> str:
    return f"reference:{normal_key(reference).casefold()}"
