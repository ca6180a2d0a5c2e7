"""What a stranger sends: each scenario tries to use up one resource of the server."""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

# The orders of a buyer, the dearest part of the schema to validate when it is written again and again.
_ORDERS = "viewer { orders(first: 5) { nodes { number total { amount } lines { name product { name } } } } }"


class Scenario(NamedTuple):
    name: str
    content: Callable[[int], object]
    at_once: int


def _persisted(number: int) -> object:
    """A new text every time, as large as it may be, most of it a comment of four-byte characters."""
    text = f"query A{number} {{ __typename }} # " + "😀" * 3_600
    return _stored(text)


def _literal(number: int) -> object:
    """A new text every time, most of it a literal, which is stored as it is."""
    return _stored('{ product(productId: "' + f"{number:08}" + "x" * 14_900 + '") { name } }')


def _stored(text: str) -> object:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return {"query": text, "extensions": {"persistedQuery": {"version": 1, "sha256Hash": sha256}}}


def _comment(number: int) -> object:
    return {"query": f"{{ __typename }} # {number} " + "x" * 14_900}


def _refused(number: int) -> object:
    return {"query": f"query R{number} {{ " + " ".join([_ORDERS] * 49) + " }"}


def _overlapping(number: int) -> object:
    """A document within the limit on root fields, so that only validation could refuse it."""
    return {"query": f"query O{number} {{ " + " ".join([_ORDERS] * 19) + " }"}


def _login(number: int) -> object:
    arguments = f'email: "nobody-{number}@example.com", password: "not-the-password-{number}"'
    return {"query": f"mutation {{ login({arguments}) {{ userErrors {{ code }} }} }}"}


SCENARIOS = (
    Scenario("persisted queries of comments", _persisted, at_once=8),
    Scenario("persisted queries of literals", _literal, at_once=8),
    Scenario("documents of comments", _comment, at_once=8),
    Scenario("documents refused by a limit", _refused, at_once=8),
    Scenario("documents dear to validate", _overlapping, at_once=8),
    Scenario("sign-ins", _login, at_once=32),
)
