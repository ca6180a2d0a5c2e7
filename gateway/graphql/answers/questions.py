"""What was asked before, by the bytes of its body: who asks the same again is not read and judged anew."""

from collections.abc import Callable
from typing import NamedTuple

from gateway.domain.texts import Language
from gateway.graphql.documents.memory import Memory

# Of the bytes that answers may take: a question is short beside its answer.
SHARE = 1 / 8
# A storefront's bodies have a few thousand bytes; larger ones are rare, and would drive out many.
LONGEST_BODY = 16_000
# What is kept of a question besides its body.
QUESTION_BYTES = 500


class Question(NamedTuple):
    """What a body came to, by the operation, its variables and the language."""

    key: bytes
    """That of the answer."""
    price: int
    """What the answer may cost."""
    digest: bytes
    """That of the document's text."""
    id: str | None
    """The id by which the text must be known, now as then; None when the text alone decided."""
    operations: str
    """Which operations were served: GRAPHQL_OPERATIONS."""


class Questions:
    """The questions of this process whose answers are kept."""

    def __init__(self, most_bytes: Callable[[], int]) -> None:
        """Takes the bytes of answers and questions together."""
        self._known: Memory[Question] = Memory(lambda: int(most_bytes() * SHARE))

    @property
    def size(self) -> int:
        """Bytes that everything remembered takes."""
        return self._known.bytes

    def find(self, body: bytes, language: Language) -> Question | None:
        return self._known.get(language.encode() + body)

    def remember(self, body: bytes, language: Language, question: Question) -> None:
        if len(body) <= LONGEST_BODY:
            # Languages have two letters each: no two questions make the same bytes.
            self._known.keep(language.encode() + body, question, QUESTION_BYTES + len(body))
