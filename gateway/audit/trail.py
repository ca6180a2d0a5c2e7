"""Writing the audit trail: in the transaction of the change itself, so that neither exists without the other."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple, Protocol

from bson import Decimal128, ObjectId

from gateway.audit.models import AuditEntry
from gateway.mongo.client import Document, orm_connection

COLLECTION = AuditEntry._meta.db_table


class Action(Enum):
    """Everything that is ever recorded, so that a list of actions can be shown and filtered by."""

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
    id: str
    name: str

    @classmethod
    def account(cls, account: Account) -> "Actor":
        return cls(id=str(account.pk), name=account.email)

    @classmethod
    def program(cls, name: str) -> "Actor":
        """A command or a task that acts for nobody in particular."""
        return cls(id="", name=name)


Changes = Mapping[str, tuple[Any, Any]]
"""Field → (before, after)."""


def record(action: Action, target: str, *, actor: Actor, changes: Changes, reason: str = "") -> None:
    """Add an entry to the running transaction. Outside of one it would be a promise that a crash breaks: refused."""
    session = orm_connection().session
    if session is None:
        raise RuntimeError("an audit entry belongs to the transaction of the change it tells of")
    document: Document = {
        "_id": ObjectId(),
        "at": datetime.now(UTC),
        "actor_id": actor.id,
        "actor": actor.name,
        "action": action.value,
        "target": target,
        "changes": {field: [_plain(before), _plain(after)] for field, (before, after) in changes.items()},
        "reason": reason,
    }
    orm_connection().database[COLLECTION].insert_one(document, session=session)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs between two states, in the order of `after`; absent counts as None."""
    fields = [*after, *(field for field in before if field not in after)]
    return {field: (before.get(field), after.get(field)) for field in fields if before.get(field) != after.get(field)}


def _plain(value: Any) -> Any:
    """Amounts as text: an entry is read by people and by JSON, and neither knows Decimal128."""
    match value:
        case Decimal128() | Decimal():
            return str(value)
        case Mapping():
            return {name: _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
    return value
