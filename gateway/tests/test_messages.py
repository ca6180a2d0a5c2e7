"""All messages to people: each language for itself."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pkgutil import walk_packages

import admin_ext
import cart
import catalog
import gateway
import ordering
from gateway.accounts.errors import WeakPassword
from gateway.domain.errors import DomainError
from gateway.domain.money import Amount
from gateway.domain.texts import Text

CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
CURRENCY = re.compile(r"\{\w+\}\s*(?:₽|RUB)")


def refusals(of: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    for each in of.__subclasses__():
        # The reasons why a password is weak are Django's own, in its words.
        if "text" in vars(each) and each is not WeakPassword:
            yield each
        yield from refusals(each)


def all_refusals() -> list[type[DomainError]]:
    for package in (admin_ext, cart, catalog, gateway, ordering):
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.endswith(".errors"):
                __import__(found.name)
    return list(refusals())


def test_english_message_has_no_russian_and_both_hold_the_same_values() -> None:
    wrong = [
        each.__qualname__
        for each in all_refusals()
        if CYRILLIC.search(each.text.en) or set(re.findall(r"\{(\w+)", each.text.ru)) != values_of(each.text)
    ]

    assert wrong == []


def values_of(text: Text) -> set[str]:
    return set(re.findall(r"\{(\w+)", text.en))


def test_currency_is_written_by_the_amount_and_never_by_the_message() -> None:
    assert [each.__qualname__ for each in all_refusals() if CURRENCY.search(" ".join(each.text))] == []


def test_values_are_said_in_the_language_of_the_message() -> None:
    told = Text("Стало {total}: {status}.", "Now {total}: {status}.")
    values = {"total": Amount(Decimal("57970.5")), "status": Text("оплачен", "paid")}

    assert told.in_language("ru", **values) == "Стало 57 970,50 ₽: оплачен."
    assert told.in_language("en", **values) == "Now 57,970.50 RUB: paid."
