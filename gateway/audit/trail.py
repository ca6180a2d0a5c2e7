"""The audit trail, written in the transaction of the change itself, so that neither exists without the other."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple, Protocol

from bson import Decimal128, ObjectId

from gateway.audit.documents import AuditEntryDocument
from gateway.audit.models import AuditEntry
from gateway.mongo.client import collection_of, orm_connection

COLLECTION = AuditEntry._meta.db_table


class Action(Enum):
    """Every action that is ever recorded; the admin offers them as a filter."""

    PRODUCT_ADDED = "product.added"
    PRODUCT_CHANGED = "product.changed"
    STOCK_ADJUSTED = "stock.adjusted"
    RESERVATION_CORRECTED = "stock.reservation_corrected"
    CATEGORY_ADDED = "category.added"
    CATEGORY_CHANGED = "category.changed"
    CATEGORY_DELETED = "category.deleted"
    GEOZONE_ADDED = "geozone.added"
    GEOZONE_CHANGED = "geozone.changed"
    GEOZONE_DELETED = "geozone.deleted"


class Account(Protocol):
    @property
    def pk(self) -> Any: ...
    @property
    def email(self) -> str: ...


class Actor(NamedTuple):
    """Who acts, as the trail names them."""

    id: str
    name: str

    @classmethod
    def account(cls, account: Account) -> "Actor":
        return cls(id=str(account.pk), name=account.email)

    @classmethod
    def program(cls, name: str) -> "Actor":
        """The actor for a command or a task that acts for nobody in particular."""
        return cls(id="", name=name)


Changes = Mapping[str, tuple[Any, Any]]
"""Field → (before, after)."""


def record(action: Action, target: str, *, actor: Actor, changes: Changes, reason: str = "") -> None:
    """Add an entry to the running transaction. Outside of one, a crash could part it from its change: refused."""
    session = orm_connection().session
    if session is None:
        raise RuntimeError("an audit entry belongs to the transaction of the change it tells of")
    entry: AuditEntryDocument = {
        "_id": ObjectId(),
        "at": datetime.now(UTC),
        "actor_id": actor.id,
        "actor": actor.name,
        "action": action.value,
        "target": target,
        "changes": {field: [_plain(before), _plain(after)] for field, (before, after) in changes.items()},
        "reason": reason,
    }
    collection_of(COLLECTION, AuditEntryDocument).insert_one(entry, session=session)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The fields in which two states differ, each with both values, in the order of `after`; absent counts as None."""
    fields = [*after, *(field for field in before if field not in after)]
    return {field: (before.get(field), after.get(field)) for field in fields if before.get(field) != after.get(field)}


def _plain(value: Any) -> Any:
    """The value with amounts as text: an entry is read by people and by JSON, and neither knows Decimal128."""
    match value:
        case Decimal128() | Decimal():
            return str(value)
        case Mapping():
            return {name: _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
    return value
