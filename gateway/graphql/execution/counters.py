"""How operations of this process were executed: how many compiled, how many by graphql-core, and why."""

from collections import Counter

COMPILED = "compiled"
NEW = "new"
"""Seen for the first time, or with these booleans for the first time: compiled when it comes again."""
RESTING = "resting"
"""It fell several times in a row, and is not tried for a while."""

executed: Counter[str] = Counter()
"""By outcome: the words above, `refused:<why it cannot be compiled>`, `fell:<what was raised>`."""


def refused(reason: str) -> str:
    return f"refused:{reason}"


def fell(error: Exception) -> str:
    return f"fell:{type(error).__name__}"
