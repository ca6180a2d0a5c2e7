"""A session's record, as both stores keep it, and what its owner may see of it."""

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

# A browser's User-Agent is some 150 characters; the rest of a longer one says nothing to a person.
DEVICE_LENGTH = 200

_TIMES = ("created_at", "last_active_at", "expires_at")


def now() -> datetime:
    """The current time in whole milliseconds, as Cassandra keeps times."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


class Device(NamedTuple):
    """A session in the list that its owner sees."""

    session_id: str
    user_id: str
    created_at: datetime
    last_active_at: datetime
    device: str
    ip_address: str
    auth: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """Everything that is stored of a session."""

    session_id: str
    """The hash of the session's key. The key itself is kept by the client only."""
    user_id: str | None
    """None for a guest's session."""
    auth: str = field(repr=False)
    """The account's session hash at sign-in. Once the account has another, the session is over. Empty: a guest's."""
    data: str = field(repr=False)
    created_at: datetime
    last_active_at: datetime
    expires_at: datetime
    device: str
    ip_address: str
    written_at: int
    """Microseconds; when two records of one session meet, the later one counts."""

    def seconds_left(self) -> int:
        return int((self.expires_at - now()).total_seconds())

    def is_over(self) -> bool:
        return self.seconds_left() < 1

    def as_device(self) -> Device | None:
        """The session as its owner's list shows it; None for a guest's session."""
        if self.user_id is None:
            return None
        return Device(
            self.session_id,
            self.user_id,
            self.created_at,
            self.last_active_at,
            self.device,
            self.ip_address,
            self.auth,
        )

    def as_text(self) -> str:
        times = {name: getattr(self, name).isoformat() for name in _TIMES}
        return json.dumps({**asdict(self), **times}, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> "SessionRecord":
        values: dict[str, Any] = json.loads(text)
        return cls(**{**values, **{name: datetime.fromisoformat(values[name]) for name in _TIMES}})
