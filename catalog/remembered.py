"""Facets from a short memory in Redis: dear to compute for a large category, and nearly the same a moment later."""

import asyncio
import hashlib
import json
from secrets import token_hex
from typing import Any

from redis.asyncio import Redis

from catalog.facets import Facet, FacetValue
from gateway.mongo.client import async_database
from gateway.mongo.policies import CATALOG_LIST, note_policy
from gateway.mongo.reading import Aggregation, run_async
from gateway.redis import ask_cache

# With a secondary's lag and an answer's own cache the whole may be older than the policy says: half is left to them.
REMEMBER_MS = 15_000
# Whoever computes holds the others back this long at most; then each computes for itself.
COMPUTE_MS = 3_000
POLL_SECONDS = 0.05

_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end"


async def remembered_facets(read: Aggregation[list[Facet]]) -> list[Facet]:
    """From Redis; else computed, by one process while the others wait for it; with Redis away always computed."""
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
        await _remember(key, found)
        return found
    finally:
        await _release(key, mine)


def _key(read: Aggregation[Any]) -> str:
    """By the whole question, so that two filters never share an answer; and by the database, which tests change."""
    question = json.dumps([read.where, read.stages], default=str, ensure_ascii=False, sort_keys=True)
    return f"facets:{hashlib.sha256(f'{async_database().name} {question}'.encode()).hexdigest()}"


async def _known(key: str) -> list[Facet] | None:
    async def get(redis: Redis) -> str | bytes | None:
        return await redis.get(key)

    text = await ask_cache(get)
    if text is None:
        return None
    return [Facet(name, [FacetValue(*value) for value in values]) for name, values in json.loads(text)]


async def _claim(key: str, mine: str) -> bool:
    """True also with Redis away: then there is nobody to wait for."""

    async def claim(redis: Redis) -> bool:
        return bool(await redis.set(f"{key}:lock", mine, nx=True, px=COMPUTE_MS))

    return await ask_cache(claim) is not False


async def _remember(key: str, found: list[Facet]) -> None:
    async def remember(redis: Redis) -> None:
        await redis.set(key, json.dumps(found, ensure_ascii=False), px=REMEMBER_MS)

    await ask_cache(remember)


async def _release(key: str, mine: str) -> None:
    async def release(redis: Redis) -> None:
        await redis.eval(_RELEASE, 1, f"{key}:lock", mine)

    await ask_cache(release)
