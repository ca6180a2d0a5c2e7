"""Which members of staff have changed something lately: they are shown what there is, past every kept answer.

Each process knows of its own at once and of those of others within a tenth of a second. While Redis is away it knows of
its own alone, and a kept answer is as old as its policy allows.
"""

import time
from typing import Any

from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from gateway.redis.clients import ask_cache, ask_cache_blocking

KEY = "staff:recent-changes"
# Long enough for a bulk change to be done, and for what was kept before it to have gone.
SECONDS = 600.0
# How often a process looks for those of others: nobody is sooner at the next page.
LOOK_SECONDS = 0.1
# Of several times as many people as a shop has at work.
MOST = 1_000


class RecentChanges:
    """Sessions of staff by when their last change no longer counts as recent."""

    def __init__(self) -> None:
        self._own: dict[str, float] = {}
        self._all: dict[str, float] = {}
        self._look_again_at = float("-inf")

    async def note(self, session_id: str) -> None:
        """Note that this session of a member of staff has changed something."""
        until = self._note_here(session_id)

        async def tell(redis: AsyncRedis) -> object:
            return await _commands(redis.pipeline(transaction=False), session_id, until).execute()

        await ask_cache(tell)

    def note_blocking(self, session_id: str) -> None:
        """Like `note`, for code that runs in a thread."""
        until = self._note_here(session_id)

        def tell(redis: Redis) -> object:
            return _commands(redis.pipeline(transaction=False), session_id, until).execute()

        ask_cache_blocking(tell)

    async def include(self, session_id: str) -> bool:
        """Whether the session has changed something lately, in whichever process."""
        if time.monotonic() >= self._look_again_at:
            # Before the question: those who come meanwhile go by the last answer.
            self._look_again_at = time.monotonic() + LOOK_SECONDS
            await self._look()
        return self._has(session_id)

    def are_known_without(self, session_id: str) -> bool:
        """Whether it is known just now, without a look at those of others, that the session has changed nothing."""
        return time.monotonic() < self._look_again_at and not self._has(session_id)

    def _has(self, session_id: str) -> bool:
        return max(self._own.get(session_id, 0.0), self._all.get(session_id, 0.0)) > time.time()

    async def _look(self) -> None:
        async def ask(redis: AsyncRedis) -> dict[str, float]:
            found: Any = await redis.zrange(KEY, 0, -1, withscores=True)
            return dict(found)

        found = await ask_cache(ask)
        if found is not None:
            self._all = found

    def _note_here(self, session_id: str) -> float:
        """Note it in this process; returns until when, by the clock of the wall, which other processes share."""
        now = time.time()
        self._own = {known: until for known, until in self._own.items() if until > now}
        self._own[session_id] = now + SECONDS
        return now + SECONDS


def _commands(pipeline: Any, session_id: str, until: float) -> Any:
    pipeline.zadd(KEY, {session_id: until})
    pipeline.zremrangebyrank(KEY, 0, -1 - MOST)
    pipeline.expire(KEY, int(SECONDS))
    return pipeline


RECENT_CHANGES = RecentChanges()
