"""Expected failures of the domains: typed, with a code for programs and a text for people in each language.

A domain raises them and knows nothing of who asks; GraphQL turns them into userErrors, the admin into messages of its
forms, each in one place.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import ClassVar

from gateway.domain.texts import DEFAULT_LANGUAGE, Language, Text


class Code(Enum):
    """Codes of expected failures: what a program may tell apart."""

    INVALID = "INVALID"
    REQUIRED = "REQUIRED"
    NOT_FOUND = "NOT_FOUND"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    FORBIDDEN = "FORBIDDEN"
    OUT_OF_STOCK = "OUT_OF_STOCK"
    QUANTITY_LIMIT = "QUANTITY_LIMIT"
    CART_EMPTY = "CART_EMPTY"
    CART_LIMIT = "CART_LIMIT"
    PRICE_CHANGED = "PRICE_CHANGED"
    PRODUCT_WITHDRAWN = "PRODUCT_WITHDRAWN"
    EMAIL_TAKEN = "EMAIL_TAKEN"
    BAD_CREDENTIALS = "BAD_CREDENTIALS"
    WEAK_PASSWORD = "WEAK_PASSWORD"  # noqa: S105 - a code
    ILLEGAL_TRANSITION = "ILLEGAL_TRANSITION"
    CONFLICT = "CONFLICT"
    RATE_LIMITED = "RATE_LIMITED"


class DomainError(Exception):
    """One reason why something was not done.

    A subclass has the code and the text; an instance says which part of the input it is about, and the text's values.
    """

    code: ClassVar[Code]
    text: ClassVar[Text]

    def __init__(self, *path: str | int, **values: object) -> None:
        super().__init__(*path)
        self.path = path
        """The part of the input that is wrong, in the names of the action's own arguments; empty: the whole."""
        self.values = values

    def message(self, language: Language = DEFAULT_LANGUAGE) -> str:
        return self.text.in_language(language, **self.values)

    def __str__(self) -> str:
        where = ".".join(map(str, self.path))
        return f"{where}: {self.message('en')}" if where else self.message("en")

    def __iter__(self) -> Iterator["DomainError"]:
        """Yields the error itself, so that one error and several are handled alike."""
        yield self


class Refused(DomainError):
    """Several reasons at once, so that a person can correct a form in one go."""

    code = Code.INVALID
    text = Text("Данные не приняты.", "The input was refused.")

    def __init__(self, errors: Sequence[DomainError]) -> None:
        super().__init__()
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "; ".join(map(str, self.errors))

    def __iter__(self) -> Iterator[DomainError]:
        yield from self.errors


class NotSignedIn(DomainError):
    code = Code.UNAUTHENTICATED
    text = Text("Войдите в систему.", "Sign in first.")


class NotAllowed(DomainError):
    code = Code.FORBIDDEN
    text = Text("У вас нет прав на это действие.", "You are not allowed to do this.")
