"""Global ids: the type of a thing and its whole shard key, so that only one shard is asked for it."""

import strawberry

from gateway.graphql.relay.opaque import opened, sealed

# As long as any key of ours may be; longer ones cannot be found, and are not looked for.
MAX_PART = 64


def global_id(type_name: str, *key: str) -> strawberry.ID:
    return strawberry.ID(sealed(type_name, *key))


def parsed_id(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The type and the key in an id; None for what is no id of ours."""
    parts = opened(text)
    if not parts or len(parts) < 2 or not all(0 < len(part) <= MAX_PART and "\0" not in part for part in parts):
        return None
    return parts[0], parts[1:]


def key_of(type_name: str, text: str, length: int) -> tuple[str, ...] | None:
    """The key in an id of this very type; None for any other text."""
    found = parsed_id(text)
    return found[1] if found and found[0] == type_name and len(found[1]) == length else None
