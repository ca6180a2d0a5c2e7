"""Pages of the trail by the address: `after` and `before` name the entry beyond which a page goes on."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bson import ObjectId
from django.http import QueryDict

from gateway.audit.documents import AuditEntryDocument
from gateway.paging import Placed, Position, Slice


def part_asked(query: Mapping[str, str], size: int) -> Slice:
    """The part that the address names; the newest when it names none."""
    for name, backward in (("after", False), ("before", True)):
        if position := _position(query.get(name, "")):
            return Slice(size, backward=backward, beyond=position)
    return Slice(size)


def address_beyond(query: QueryDict, placed: Sequence[Placed[AuditEntryDocument]], name: str) -> str:
    """The address of what lies beyond the first of these."""
    (at, entry_id) = placed[0].position
    milliseconds = round(at.replace(tzinfo=UTC).timestamp() * 1000)
    return _address(query, {name: f"{milliseconds}.{entry_id}"})


def newest_address(query: QueryDict) -> str:
    return _address(query, {})


def _position(text: str) -> Position | None:
    """The position that the address names; None for none, or for nonsense, which shows the newest."""
    milliseconds, _, entry_id = text.partition(".")
    if not milliseconds.isdecimal() or len(milliseconds) > len("253402300799999") or not ObjectId.is_valid(entry_id):
        return None
    try:
        return Position(datetime.fromtimestamp(int(milliseconds) / 1000, UTC), entry_id)
    except (ValueError, OverflowError):
        return None


def _address(query: QueryDict, position: Mapping[str, str]) -> str:
    kept = query.copy()
    for name in ("after", "before"):
        kept.pop(name, None)
    kept.update(position)
    return f"?{kept.urlencode()}"
