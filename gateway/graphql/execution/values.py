"""What generated code calls by name: tests of values, and waiting for several at once."""

from collections.abc import Awaitable, Sequence
from typing import Any

from graphql.pyutils import Undefined, gather_with_cancel, is_awaitable

from gateway.graphql.execution.errors import Unexpected


def is_nothing(value: Any) -> bool:
    """Whether it is null, an error, or still to be waited for: whatever graphql-core makes of it, it is no object."""
    return value is None or value is Undefined or isinstance(value, Exception) or is_awaitable(value)


def refuse(value: Any) -> Any:
    """Leave the value to graphql-core."""
    raise Unexpected(value)


async def nothing() -> None:
    """Null where something might have been waited for."""


async def together(awaitables: Sequence[Awaitable[Any]]) -> list[Any]:
    """The results of all, begun at once, so that loaders see all of them. When one fails, the others are cancelled."""
    if len(awaitables) == 1:
        return [await awaitables[0]]
    return await gather_with_cancel(*awaitables)
