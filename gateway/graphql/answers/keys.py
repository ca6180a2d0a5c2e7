"""What two requests must have in common to get one answer: the operation, its variables and the language."""

import hashlib
from typing import Any

from graphql import OperationDefinitionNode

from gateway.domain.texts import Language
from gateway.graphql.http.encoding import encode


def key_of(text: str, operation: OperationDefinitionNode, variables: dict[str, Any], language: Language) -> bytes:
    """The key of the answer.

    The variables count as they were given: one that is missing, null or written out at its default may well come to the
    same answer, but is another key. Those that the operation does not declare change nothing and do not count.
    """
    declared = {definition.variable.name.value for definition in operation.variable_definitions or ()}
    given = {name: value for name, value in variables.items() if name in declared}
    written = encode(given, sorted_keys=True)
    name = operation.name.value if operation.name else ""
    # The name and the language hold no zero bytes, and JSON writes none: no two requests make the same bytes.
    parts = (hashlib.sha256(text.encode()).digest(), name.encode(), language.encode(), written)
    return hashlib.sha256(b"\0".join(parts)).digest()
