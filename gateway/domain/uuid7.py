"""UUIDs that begin with their time, so that they sort in the order in which they were made (RFC 9562, version 7)."""

import secrets
import time
from datetime import UTC, datetime
from uuid import UUID


def uuid7() -> UUID:
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)


def moment_of(text: str) -> datetime | None:
    """When the UUID with this text was made; None for what is none of these."""
    try:
        uuid = UUID(text)
        return datetime.fromtimestamp((uuid.int >> 80) / 1000, UTC) if uuid.version == 7 else None
    except ValueError:
        return None
