"""A key that a client makes once per intention and sends with every attempt: whoever lost the answer asks again.

The receipt of a key is written in the very write that makes the change, so that neither exists without the other. The
same key again finds it and changes nothing; with other input it is refused. What was refused leaves no receipt: nothing
happened, and the key is free.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from gateway.domain.errors import Code, DomainError, Refused
from gateway.domain.input import normal_key, text_errors
from gateway.domain.texts import Text

MAX_KEY = 100
# Clients are promised a day; a phone that was switched off over a night and a morning repeats what it has in its queue.
KEPT = timedelta(hours=48)
# 128 bits of a hash: nobody meets another's by chance.
DIGITS = 32

DONE_BEFORE = Text(
    "Уже сделано прежним запросом с этим ключом: показано то, что есть сейчас.",
    "An earlier request under this key has done it: what is shown is how it stands now.",
)


class KeyReused(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Этот ключ уже использован с другими данными. Новому действию нужен новый ключ.",
        "This key was used with other input. A new action needs a new key.",
    )


class Keyed(NamedTuple):
    """An action that is asked for under a key."""

    key: str
    """The hash of the client's key, which may tell something and be long."""
    request: str
    """The hash of what is asked for: equal for equal input."""

    def refuse_unless_same(self, request: str) -> None:
        """Raise KeyReused when the key's receipt was made for other input."""
        if request != self.request:
            raise KeyReused("idempotency_key")


def keyed(key: str | None, action: str, request: Mapping[str, Any]) -> Keyed | None:
    """The action under this key, in the key's one normal form; None without a key.

    Raises Refused for a key that is too long or has nothing visible in it.
    """
    if not key:
        return None
    normal = normal_key(key)
    if errors := text_errors(normal, MAX_KEY, "idempotency_key"):
        raise Refused(errors)
    return Keyed(_hash(normal), _hash({"action": action, **request}))


def _hash(content: Any) -> str:
    text = json.dumps(content, default=str, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
