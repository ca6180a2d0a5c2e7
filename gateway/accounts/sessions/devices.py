"""The devices that an account is signed in on."""

from redis.exceptions import RedisError

from gateway.accounts.models import User
from gateway.accounts.sessions import cache, rows, store
from gateway.accounts.sessions.cache import CachedSession
from gateway.accounts.sessions.errors import SessionsUnavailable
from gateway.accounts.sessions.records import Device
from gateway.cassandra.errors import CassandraError


def devices_of(user: User) -> list[Device]:
    """The account's living sessions as a list for its owner, newest first."""
    living = user.session_auth_hashes()
    return [device for device in _listed(str(user.pk)) if device.auth in living]


def end_others(user: User, *, but: str) -> None:
    """Remove what is stored of the account's other sessions; its new generation has ended them already."""
    for device in _listed(str(user.pk)):
        if device.session_id != but:
            store.end(device.session_id)


def end_one(user: User, session_id: str) -> bool:
    """End this session. False: it is none of the account's living ones, and nothing was done."""
    if all(device.session_id != session_id for device in _listed(str(user.pk))):
        return False
    store.end(session_id)
    return True


def _listed(user_id: str) -> list[Device]:
    """The account's sessions from both stores, without those that either store knows to be over, newest first."""
    kept = _in_cassandra(user_id)
    try:
        cached_ones = cache.find_all({*cache.listed(user_id), *(kept or ())})
    except RedisError as error:
        if kept is None:
            raise SessionsUnavailable("neither Redis nor Cassandra lists the sessions") from error
        cached_ones = {}
    found = dict(kept or {})
    for session_id, cached in cached_ones.items():
        found.pop(session_id, None)
        # A session that Cassandra was told of and no longer has was ended while Redis was away.
        over = cached.synced and kept is not None and session_id not in kept
        if not over and (device := _living(cached)):
            found[session_id] = device
    return sorted(found.values(), key=lambda device: (device.created_at, device.session_id), reverse=True)


def _in_cassandra(user_id: str) -> dict[str, Device] | None:
    """The account's sessions in Cassandra, by id; None when Cassandra cannot be asked."""
    try:
        return {device.session_id: device for device in rows.of_user(user_id)}
    except CassandraError:
        return None


def _living(cached: CachedSession) -> Device | None:
    if cached.ended or cached.record is None or cached.record.is_over():
        return None
    return cached.record.as_device()
