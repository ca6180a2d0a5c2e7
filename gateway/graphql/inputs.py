"""Arguments: whether one was given, and errors about those of a query, told to the caller in their language."""

from typing import TypeVar

import strawberry
from graphql import GraphQLError

from gateway.domain.texts import DEFAULT_LANGUAGE, Language, Text

T = TypeVar("T")


def given(value: T | None) -> T | None:
    """The argument's value; None also when it was left out."""
    return None if value is strawberry.UNSET else value


class BadInput(GraphQLError):
    """The arguments ask for something that cannot be; the field fails, the rest of the query is answered."""

    code = "BAD_USER_INPUT"

    def __init__(self, text: Text, **values: object) -> None:
        super().__init__(text.in_language(DEFAULT_LANGUAGE, **values), extensions={"code": self.code})
        self._text = text
        self._values = values

    def in_language(self, language: Language) -> str:
        return self._text.in_language(language, **self._values)


class NotFound(BadInput):
    """The thing that a field is about does not exist, and the field cannot say so by null."""

    code = "NOT_FOUND"


class Unauthenticated(BadInput):
    """The field is for those who have signed in."""

    code = "UNAUTHENTICATED"


class Forbidden(BadInput):
    """The field is for those who have a right that the caller lacks."""

    code = "FORBIDDEN"
