"""Sessions cached in Redis. Everything here raises RedisError when there is no answer.

A cached session is a hash: the record, its `written_at`, whether Cassandra has it (`synced`), when it was last known to
be true (`seen`, by Redis's own clock), and `ended` once the session is over: such a tombstone takes no more saves.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.conf import settings
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from gateway.accounts.sessions.records import SessionRecord
from gateway.redis.clients import Reachability, redis_client

UNSYNCED = "sessions:unsynced"
# Guests' sessions by when they were last used. Anybody may make one, so only so many of them are cached.
GUESTS = "sessions:guests"
# How long a session that Cassandra has too is cached: through an outage of a day people stay signed in.
SYNCED_SECONDS = 24 * 3600
# Sessions of one account that are cached and that its list remembers, the newest; nobody looks through more.
LISTED = 200

# A session makes room for others if it is gone already, if Cassandra has it too, or if there is no Cassandra to wait
# for. Of guests' those used least recently go; if the ten oldest all wait for Cassandra, there is no room.
_SAVE = """
local guest, only_synced = ARGV[10] ~= '0', ARGV[11] == '1'
local function make_room(other)
  local synced = redis.call('HGET', 'session:' .. other, 'synced')
  if only_synced and synced == '0' then return false end
  redis.call('DEL', 'session:' .. other)
  redis.call('ZREM', KEYS[3], other)
  return true
end
local stored = redis.call('HMGET', KEYS[1], 'ended', 'written_at')
if stored[1] then return 0 end
if stored[2] and tonumber(stored[2]) > tonumber(ARGV[3]) then return 1 end
if guest and not stored[2] and redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[10]) then
  local room = false
  for _, other in ipairs(redis.call('ZRANGE', KEYS[3], 0, 9)) do
    if redis.call('ZCARD', KEYS[3]) < tonumber(ARGV[10]) then break end
    room = make_room(other) or room
  end
  if not room then return 2 end
end
redis.call('HSET', KEYS[1], 'record', ARGV[2], 'written_at', ARGV[3], 'synced', ARGV[4],
           'seen', redis.call('TIME')[1])
redis.call('EXPIRE', KEYS[1], ARGV[6])
if ARGV[5] == '1' then redis.call('SADD', KEYS[2], ARGV[1]) end
redis.call('ZADD', KEYS[3], guest and redis.call('TIME')[1] or ARGV[7], ARGV[1])
redis.call('EXPIRE', KEYS[3], ARGV[8])
if not guest then
  for _, other in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1 - ARGV[9])) do make_room(other) end
  redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1 - ARGV[9])
end
return 1
"""
_NO_ROOM = 2
# The record stays, for whoever deletes the rows: it says in whose list the session is.
_END = """
if ARGV[4] ~= '' then redis.call('HSETNX', KEYS[1], 'record', ARGV[4]) end
redis.call('HSET', KEYS[1], 'ended', '1', 'synced', '0')
redis.call('EXPIRE', KEYS[1], ARGV[3])
if ARGV[2] == '1' then redis.call('SADD', KEYS[2], ARGV[1]) end
return redis.call('HGET', KEYS[1], 'record') or ''
"""
# What was synced may have been overtaken by a newer save or by the end: then there is more to sync, and it stays.
_SYNCED = """
local stored = redis.call('HMGET', KEYS[1], 'ended', 'written_at')
if stored[1] or stored[2] then
  if (stored[1] or '0') ~= ARGV[2] then return 0 end
  if not stored[1] and stored[2] ~= ARGV[3] then return 0 end
  redis.call('HSET', KEYS[1], 'synced', '1')
  redis.call('EXPIRE', KEYS[1], ARGV[4])
end
redis.call('SREM', KEYS[2], ARGV[1])
return 1
"""
_FIND = """
local stored = redis.call('HMGET', KEYS[1], 'ended', 'record', 'synced', 'seen')
local age = stored[4] and redis.call('TIME')[1] - stored[4] or -1
return {stored[1] or '', stored[2] or '', stored[3] or '', age}
"""


class NoRoom(RedisError):
    """Redis holds as many guests' sessions as it may, and none of the oldest has reached Cassandra yet."""


class CachedSession(NamedTuple):
    """What Redis knows of a session."""

    ended: bool
    record: SessionRecord | None
    """None for an ended session of which nothing more is known."""
    synced: bool
    fresh: bool
    """Whether it is young enough to be believed without asking Cassandra."""


def find(session_id: str) -> CachedSession | None:
    # Not by `find_all`: in a pipeline the client asks each time whether Redis knows the script.
    answer: list[Any] = _ask(lambda redis: redis.register_script(_FIND)(keys=[_key(session_id)]))
    return _cached(answer) if answer[:2] != ["", ""] else None


def find_all(session_ids: Iterable[str]) -> dict[str, CachedSession]:
    """The cached ones of these sessions, by id, in one round trip."""
    wanted = list(session_ids)

    def ask(redis: Redis) -> list[list[Any]]:
        script, pipeline = redis.register_script(_FIND), redis.pipeline(transaction=False)
        for session_id in wanted:
            script(keys=[_key(session_id)], client=pipeline)
        answers: list[list[Any]] = pipeline.execute()
        return answers

    answers = _ask(ask) if wanted else []
    return {
        session_id: _cached(answer)
        for session_id, answer in zip(wanted, answers, strict=True)
        if answer[:2] != ["", ""]
    }


def save(record: SessionRecord, *, synced: bool, queued: bool) -> bool:
    """Cache the session unless a newer record is there. False: the session has ended.

    `synced`: Cassandra has the record. `queued`: Cassandra shall get it later. Raises NoRoom, which callers treat like
    a Redis that cannot keep it.
    """
    life = max(1, record.seconds_left())
    keys = [_key(record.session_id), UNSYNCED, GUESTS if record.user_id is None else _index(record.user_id)]
    created = round(record.created_at.timestamp() * 1000)
    arguments = (
        record.session_id,
        record.as_text(),
        record.written_at,
        int(synced),
        int(queued),
        min(SYNCED_SECONDS, life) if synced else life,
        created,
        settings.SESSION_COOKIE_AGE,
        LISTED,
        settings.SESSION_GUEST_COPIES if record.user_id is None else 0,
        int(bool(settings.CASSANDRA_CONTACT_POINTS)),
    )
    outcome: int = _ask(lambda redis: redis.register_script(_SAVE)(keys=keys, args=arguments))
    if outcome == _NO_ROOM:
        raise NoRoom("no room for another guest")
    return bool(outcome)


def end(session_id: str, record: SessionRecord | None, *, queued: bool) -> SessionRecord | None:
    """Leave a tombstone in place of the session; returns the record as far as Redis or the caller knows it."""
    arguments = (session_id, int(queued), settings.SESSION_COOKIE_AGE, record.as_text() if record else "")
    text = _ask(lambda redis: redis.register_script(_END)(keys=[_key(session_id), UNSYNCED], args=arguments))
    known = SessionRecord.from_text(text) if text else None
    if known and (user_id := known.user_id) is not None:
        _ask(lambda redis: redis.zrem(_index(user_id), session_id))
    else:
        # The tombstone takes a guest's place, also that of a session that had to make room.
        _ask(lambda redis: redis.zadd(GUESTS, {session_id: time.time()}))
    return known


def mark_synced(record: SessionRecord) -> bool:
    """Note that Cassandra has the record. False: there is a newer record, or the session has ended."""
    life = max(1, record.seconds_left())
    return _mark(record.session_id, ended=False, written_at=record.written_at, seconds=min(SYNCED_SECONDS, life))


def mark_end_synced(session_id: str) -> bool:
    """Note that Cassandra's rows are deleted; the tombstone stays until no request of the session can be under way."""
    return _mark(session_id, ended=True, written_at=0, seconds=SYNCED_SECONDS)


def unsynced(limit: int) -> list[str]:
    """Ids of some sessions that Cassandra does not have yet, at random, so that one that fails delays no others."""
    found: list[str] = _ask(lambda redis: redis.srandmember(UNSYNCED, limit))
    return found


def count_unsynced() -> int:
    found: int = _ask(lambda redis: redis.scard(UNSYNCED))
    return found


def listed(user_id: str) -> list[str]:
    """Ids of the account's newest sessions; some may no longer be cached."""
    found: list[str] = _ask(lambda redis: redis.zrevrange(_index(user_id), 0, LISTED - 1))
    return found


def _mark(session_id: str, *, ended: bool, written_at: int, seconds: int) -> bool:
    arguments = (session_id, int(ended), written_at, seconds)
    return bool(_ask(lambda redis: redis.register_script(_SYNCED)(keys=[_key(session_id), UNSYNCED], args=arguments)))


# A Redis that hangs costs every question its time-out; one that is gone refuses at once and may always be asked.
_reachability = Reachability()


def _ask(question: Callable[[Redis], Any]) -> Any:
    if not _reachability.is_worth_asking():
        raise RedisConnectionError("Redis did not answer a moment ago")
    try:
        return question(redis_client())
    except RedisTimeoutError as error:
        _reachability.note_failure(error)
        raise


def _cached(answer: list[Any]) -> CachedSession:
    ended, text, synced, age = answer
    return CachedSession(
        ended=bool(ended),
        record=SessionRecord.from_text(text) if text else None,
        synced=synced == "1",
        fresh=0 <= age < settings.SESSION_CACHE_SECONDS,
    )


def _key(session_id: str) -> str:
    return f"session:{session_id}"


def _index(user_id: str) -> str:
    return f"sessions-of:{user_id}"
