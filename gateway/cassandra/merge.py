"""Merging sorted rows of several partitions into one order, reading no more of each than is needed."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any, TypeVar

T = TypeVar("T")

# First rows asked for at once: as many as a small cluster takes from one caller without the others feeling it.
AT_ONCE = 32


async def merged(
    sources: Sequence[AsyncGenerator[T, None]], key: Callable[[T], Any], *, descending: bool = False
) -> AsyncGenerator[T, None]:
    """All rows of all sources in the order of the key, in which each source must already be. Closes the sources."""
    async with AsyncExitStack() as stack:
        for source in sources:
            await stack.enter_async_context(aclosing(source))
        heads = await _first_of_each(sources)
        choose = max if descending else min
        while heads:
            # Among a few hundred heads looking at each is quick, and needs no inverted keys for the other direction.
            chosen = choose(heads, key=lambda number: key(heads[number]))
            yield heads[chosen]
            async for head in sources[chosen]:
                heads[chosen] = head
                break
            else:
                del heads[chosen]


async def _first_of_each(sources: Sequence[AsyncGenerator[T, None]]) -> dict[int, T]:
    """The first row of each source that has one, by the source's number."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def first(source: AsyncGenerator[T, None]) -> list[T]:
        async with turns:
            async for row in source:
                return [row]
        return []

    found = await asyncio.gather(*(first(source) for source in sources))
    return {number: rows[0] for number, rows in enumerate(found) if rows}
