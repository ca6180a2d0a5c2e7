"""The texts of automatically persisted queries, kept in the cache's Redis within budgets of bytes.

Anybody may have a text stored, so each client has a budget, and all have one together; beyond that the least recently
used go. One script decides, at once for all processes. Its four keys mean something only together: should Redis evict
one of them by itself, the rest is dropped, and clients send their texts again as the protocol has it.
"""

import sys
import time
from enum import Enum
from typing import NamedTuple

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac
from redis.asyncio import Redis

from gateway.graphql.documents.memory import Memory
from gateway.redis.clients import ask_cache

PREFIX = "graphql:apq"
# Texts by id, when each was last asked for, what each costs and whom, and what each client has stored; «*» is all.
KEYS = tuple(f"{PREFIX}:{part}" for part in ("texts", "used", "owners", "spent"))
# What Redis needs for an entry beside its text, measured: without it the smallest documents would cost the most.
ENTRY_BYTES = 600
# A process that serves a text from its own memory says so once in this time, else the most wanted would look unused.
SAY_USED_SECONDS = 600.0
# Of each memory in a process; a storefront's few hundred operations are a tenth of it.
REMEMBERED_BYTES = 8_000_000
# Half of SHA-256 is far beyond guessing.
SIGNATURE_LENGTH = 32

_TOGETHER = """
local texts, used, owners, spent = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
if redis.call('EXISTS', texts, used, owners, spent) ~= 4 then redis.call('UNLINK', texts, used, owners, spent) end
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local oldest = now - tonumber(ARGV[2])

local function forget(id)
  local cost, client = string.match(redis.call('HGET', owners, id) or '0 *', '^(%d+) (.*)$')
  redis.call('HDEL', texts, id)
  redis.call('ZREM', used, id)
  redis.call('HDEL', owners, id)
  for _, whose in ipairs({client, '*'}) do
    if redis.call('HINCRBY', spent, whose, -cost) <= 0 then redis.call('HDEL', spent, whose) end
  end
end

local function mark_used(id)
  redis.call('ZADD', used, string.format('%.6f', now), id)
  for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[2]) end
end
"""
_FIND = f"""{_TOGETHER}
local text = redis.call('HGET', texts, ARGV[1])
if not text then return '' end
if tonumber(redis.call('ZSCORE', used, ARGV[1]) or 0) < oldest then
  forget(ARGV[1])
  return ''
end
mark_used(ARGV[1])
return text
"""
# Expired texts go a hundred at a time, so that no call takes long.
_KEEP = f"""{_TOGETHER}
local id, text, cost, client = ARGV[1], ARGV[3], tonumber(ARGV[4]), ARGV[5]
if redis.call('HEXISTS', texts, id) == 1 then
  redis.call('HSET', texts, id, text)
  mark_used(id)
  return 1
end
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', used, '-inf', oldest, 'LIMIT', 0, 100)) do forget(expired) end
local function spent_by(whose) return tonumber(redis.call('HGET', spent, whose) or 0) end
if cost > tonumber(ARGV[7]) or spent_by(client) + cost > tonumber(ARGV[6]) then return 0 end
while spent_by('*') + cost > tonumber(ARGV[7]) do
  local unused = redis.call('ZRANGE', used, 0, 0)[1]
  if unused then forget(unused) else redis.call('UNLINK', texts, used, owners, spent) end
end
redis.call('HSET', texts, id, text)
redis.call('HSET', owners, id, cost .. ' ' .. client)
redis.call('HINCRBY', spent, client, cost)
redis.call('HINCRBY', spent, '*', cost)
mark_used(id)
return 1
"""


class StoreOutcome(Enum):
    """What became of a text that was to be stored."""

    STORED = "stored"
    OVER_BUDGET = "over budget"
    AWAY = "away"
    """Redis could not be asked."""


async def find(id_: str) -> str | None:
    """The text, marked as used; None while Redis is away, or when it has no text of ours under this id."""

    async def ask(redis: Redis) -> str:
        return str(await redis.register_script(_FIND)(keys=KEYS, args=(id_, settings.GRAPHQL_PERSISTED_SECONDS)))

    signed = await ask_cache(ask) or ""
    signature, text = signed[:SIGNATURE_LENGTH], signed[SIGNATURE_LENGTH:]
    return text if constant_time_compare(signature, _signature(id_, text)) else None


async def keep(id_: str, text: str, *, client: str) -> StoreOutcome:
    """Store the text at the client's expense, unless it is there already."""
    signed = _signature(id_, text) + text
    arguments = (
        id_,
        settings.GRAPHQL_PERSISTED_SECONDS,
        signed,
        len(signed.encode()) + ENTRY_BYTES,
        client,
        settings.GRAPHQL_PERSISTED_CLIENT_BYTES,
        settings.GRAPHQL_PERSISTED_TOTAL_BYTES,
    )

    async def ask(redis: Redis) -> int:
        return int(await redis.register_script(_KEEP)(keys=KEYS, args=arguments))

    stored = await ask_cache(ask)
    if stored is None:
        return StoreOutcome.AWAY
    return StoreOutcome.STORED if stored else StoreOutcome.OVER_BUDGET


def _signature(id_: str, text: str) -> str:
    """Proves that we stored this text under this id: the id is the hash of the text as sent, which is not kept."""
    return salted_hmac("graphql.persisted", f"{id_} {text}", algorithm="sha256").hexdigest()[:SIGNATURE_LENGTH]


class _Remembered(NamedTuple):
    text: str
    said_used_at: float


class Texts:
    """Texts by id in this process's memory, within a bound of bytes."""

    def __init__(self, maximum: int = REMEMBERED_BYTES) -> None:
        self._kept: Memory[_Remembered] = Memory(lambda: maximum)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def bytes(self) -> int:
        return self._kept.bytes

    def get(self, id_: str) -> str | None:
        known = self._kept.get(id_.encode())
        return known.text if known else None

    def remember(self, id_: str, text: str) -> None:
        # As Python keeps it: one emoji makes every character of its text four bytes.
        self._kept.keep(id_.encode(), _Remembered(text, time.monotonic()), sys.getsizeof(text))

    def is_use_due(self, id_: str) -> bool:
        """Whether it is time to tell Redis again that the text is in use."""
        known = self._kept.get(id_.encode())
        return known is not None and time.monotonic() - known.said_used_at > SAY_USED_SECONDS
