"""Django's session engine over our store. The key is a secret of the client's: only its hash leaves this module."""

import re
import secrets
import time
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase, UpdateError

from gateway.accounts.owners import session_hash
from gateway.accounts.sessions import store
from gateway.accounts.sessions.admission import admit
from gateway.accounts.sessions.errors import SessionsUnavailable
from gateway.accounts.sessions.records import DEVICE_LENGTH, SessionRecord, now

KEY_BYTES = 16
_KEY = re.compile(r"[A-Za-z0-9_-]{22}")

# «Last active» is for people, who need it to the minute at best; a write at every request would cost more than reading.
ACTIVE_SECONDS = 5 * 60


class SessionStore(SessionBase):
    def __init__(self, session_key: str | None = None, *, device: str = "", ip_address: str = "") -> None:
        super().__init__(session_key)
        self._device = device[:DEVICE_LENGTH]
        self._ip_address = ip_address
        self._admitted = False
        self._record: SessionRecord | None = None
        """The record as it was last loaded or saved."""
        self._content = b""
        """The data as it was last loaded or saved, to see whether anything was changed since."""

    @property
    def session_id(self) -> str | None:
        """The hash of the key, which is what the stores know the session by; None without a key."""
        return session_hash(self.session_key) if self.session_key else None

    def load(self) -> dict[str, Any]:
        record = store.find(session_hash(self.session_key)) if self.session_key else None
        if record is None:
            # A key that we do not know is never taken over: whoever made it up knows it.
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(record.data)
        self._record, self._content = record, self._written(data)
        return data

    def exists(self, session_key: str) -> bool:
        return store.find(session_hash(session_key)) is not None

    def admit(self) -> None:
        """Count the session that is to begin, or raise TooManySessions. Call it before what must not be left half done.

        A session is counted once. One without an address is begun by our own code and not counted.
        """
        if self._ip_address and not self._admitted:
            admit(self._ip_address)
            self._admitted = True

    def create(self) -> None:
        self.admit()
        self._session_key = self._get_new_session_key()
        self._record = None
        self.save(must_create=True)
        self.modified = True

    def save(self, must_create: bool = False) -> None:
        if self.session_key is None:
            self.create()
            return
        data = self._get_session(no_load=must_create)  # type: ignore[attr-defined]
        if self._record is None and not must_create:
            self._record = store.find(session_hash(self.session_key))
            if self._record is None:
                raise UpdateError
        content = self._written(data)
        record = self._next_record(data, changed=self._record is None or content != self._content)
        if must_create:
            store.create(record)
        elif not store.save(record):
            raise UpdateError
        self._record, self._content = record, content

    def touch(self) -> bool:
        """Note once in a while that the session is in use. True: it lives longer now, and so may its cookie."""
        if self._record is None or (now() - self._record.last_active_at).total_seconds() < ACTIVE_SECONDS:
            return False
        try:
            self.save()
        except (UpdateError, SessionsUnavailable):
            return False
        return True

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key:
            store.end(session_hash(key))

    @classmethod
    def clear_expired(cls) -> None:
        """Nothing to do: both stores forget expired sessions by themselves."""

    def _next_record(self, data: dict[str, Any], *, changed: bool) -> SessionRecord:
        moment, before = now(), self._record
        just_after = before.written_at + 1 if before else 0
        return SessionRecord(
            session_id=session_hash(self.session_key or ""),
            user_id=data.get(SESSION_KEY),
            auth=data.get(HASH_SESSION_KEY, ""),
            data=self.encode(data),
            created_at=before.created_at if before else moment,
            last_active_at=moment,
            expires_at=self.get_expiry_date(modification=moment),
            device=self._device or (before.device if before else ""),
            ip_address=self._ip_address or (before.ip_address if before else ""),
            # One that changes nothing must not win over one that did, made at the same time by another request.
            written_at=max(just_after, time.time_ns() // 1000) if changed else just_after,
        )

    def _written(self, data: dict[str, Any]) -> bytes:
        content: bytes = self.serializer().dumps(data)
        return content

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(key and _KEY.fullmatch(key))

    def _get_new_session_key(self) -> str:
        """A random key, which is not looked up: 128 random bits do not come twice."""
        return secrets.token_urlsafe(KEY_BYTES)

    async def _aget_new_session_key(self) -> str:
        return self._get_new_session_key()
