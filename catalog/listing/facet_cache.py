"""Facets from a short memory in Redis: dear to compute for a large category, and nearly the same a moment later.

While Redis is away each process has such a memory of its own: a crowd must not compute the same answer a hundred times.
"""

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from secrets import token_hex
from typing import Any

from redis.asyncio import Redis

from catalog.listing.facets import Facet, FacetValue
from gateway.mongo.client import async_database
from gateway.mongo.policies import CATALOG_LIST, note_policy
from gateway.mongo.reads import Aggregation, run_async
from gateway.redis.clients import ask_cache

# With a secondary's lag and an answer's own cache the whole may be older than the policy says: half is left to them.
REMEMBER_MS = 15_000
# Whoever computes holds the others back this long at most; then each computes for itself.
COMPUTE_MS = 3_000
POLL_SECONDS = 0.05
# Answers and claims in a process's own memory; an answer has some kilobytes.
OWN_ENTRIES = 200

_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end"


async def remembered_facets(read: Aggregation[list[Facet]], *, milliseconds: int = REMEMBER_MS) -> list[Facet]:
    """The facets from memory; if it has none, computed by one caller while the others wait for it."""
    note_policy(CATALOG_LIST)
    key = _key(read)
    if (known := await _known(key)) is not None:
        return known
    mine = token_hex(8)
    for _ in range(round(COMPUTE_MS / 1000 / POLL_SECONDS)):
        if await _claim(key, mine):
            break
        await asyncio.sleep(POLL_SECONDS)
        if (known := await _known(key)) is not None:
            return known
    try:
        # Once more, under the claim: another may have computed and let go since we looked.
        if (known := await _known(key)) is not None:
            return known
        found = await run_async(read)
        await _remember(key, found, milliseconds)
        return found
    finally:
        await _release(key, mine)


def _key(read: Aggregation[Any]) -> str:
    """The key of an answer: made of the whole question, so that two filters never share one, and of the database."""
    question = json.dumps([read.where, read.stages], default=str, ensure_ascii=False, sort_keys=True)
    return f"facets:{hashlib.sha256(f'{async_database().name} {question}'.encode()).hexdigest()}"


async def _known(key: str) -> list[Facet] | None:
    async def get(redis: Redis) -> str:
        return str(await redis.get(key) or "")

    text = await ask_cache(get)
    if text is None:
        text = _own.get(key)
    if not text:
        return None
    return [Facet(name, [FacetValue(*value) for value in values], *told) for name, values, *told in json.loads(text)]


async def _claim(key: str, mine: str) -> bool:
    async def claim(redis: Redis) -> bool:
        return bool(await redis.set(f"{key}:lock", mine, nx=True, px=COMPUTE_MS))

    claimed = await ask_cache(claim)
    return _own.claim(f"{key}:lock", mine, COMPUTE_MS) if claimed is None else claimed


async def _remember(key: str, found: list[Facet], milliseconds: int) -> None:
    text = json.dumps(found, ensure_ascii=False)

    async def remember(redis: Redis) -> bool:
        return bool(await redis.set(key, text, px=milliseconds))

    if await ask_cache(remember) is None:
        _own.put(key, text, milliseconds)


async def _release(key: str, mine: str) -> None:
    async def release(redis: Redis) -> None:
        await redis.eval(_RELEASE, 1, f"{key}:lock", mine)

    await ask_cache(release)
    # Claimed here or there: Redis may have gone or come back since.
    _own.release(f"{key}:lock", mine)


class _OwnMemory:
    """The little of Redis that this needs, in the process; used on its event loop only."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def get(self, key: str) -> str:
        """The value; empty when there is none."""
        value, until = self._entries.get(key, ("", 0.0))
        return value if time.monotonic() < until else ""

    def put(self, key: str, value: str, milliseconds: int) -> None:
        self._entries[key] = (value, time.monotonic() + milliseconds / 1000)
        self._entries.move_to_end(key)
        if len(self._entries) > OWN_ENTRIES:
            self._entries.popitem(last=False)

    def claim(self, key: str, mine: str, milliseconds: int) -> bool:
        if self.get(key):
            return False
        self.put(key, mine, milliseconds)
        return True

    def release(self, key: str, mine: str) -> None:
        if self.get(key) == mine:
            del self._entries[key]


_own = _OwnMemory()
