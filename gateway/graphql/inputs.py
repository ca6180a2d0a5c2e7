"""What is wrong with the arguments of a query: told to the caller in their language, under one code."""

from graphql import GraphQLError

from gateway.graphql.texts import DEFAULT_LANGUAGE, Language, Text


class BadInput(GraphQLError):
    """The request asks for something that cannot be; the field fails, the rest is answered."""

    def __init__(self, text: Text, **values: object) -> None:
        super().__init__(text.in_language(DEFAULT_LANGUAGE, **values), extensions={"code": "BAD_USER_INPUT"})
        self._text = text
        self._values = values

    def in_language(self, language: Language) -> str:
        return self._text.in_language(language, **self._values)
