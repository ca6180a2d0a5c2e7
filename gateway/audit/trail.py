"""The audit trail, written in the transaction of the change itself, so that neither exists without the other."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple, Protocol

from bson import Decimal128, ObjectId

from gateway.audit.documents import AuditEntryDocument
from gateway.audit.models import AuditEntry
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection

COLLECTION = AuditEntry._meta.db_table


class Action(Enum):
    """Every action that is ever recorded; the admin offers them as a filter."""

    PRODUCT_ADDED = "product.added"
    PRODUCT_CHANGED = "product.changed"
    STOCK_ADJUSTED = "stock.adjusted"
    DISCOUNT_PLANNED = "discount.planned"
    DISCOUNT_CANCELLED = "discount.cancelled"
    DISCOUNT_LEFT = "discount.left"
    RESERVATION_CORRECTED = "stock.reservation_corrected"
    CATEGORY_ADDED = "category.added"
    CATEGORY_CHANGED = "category.changed"
    CATEGORY_DELETED = "category.deleted"
    GEOZONE_ADDED = "geozone.added"
    GEOZONE_CHANGED = "geozone.changed"
    GEOZONE_DELETED = "geozone.deleted"
    SYNONYMS_ADDED = "synonyms.added"
    SYNONYMS_CHANGED = "synonyms.changed"
    SYNONYMS_DELETED = "synonyms.deleted"
    ORDER_ADVANCED = "order.advanced"
    ORDER_CANCELLED = "order.cancelled"
    ORDER_REFUNDED = "order.refunded"
    ORDER_REPAID = "order.repaid"
    ORDER_PAYMENT_RECORDED = "order.payment_recorded"
    ORDER_DETAILS_CHANGED = "order.details_changed"
    ORDER_GEOZONE_CHANGED = "order.geozone_changed"
    ORDER_NOTED = "order.noted"
    ORDER_LETTER_RESENT = "order.letter_resent"
    ORDER_TRACKED = "order.tracked"
    STRAY_MONEY_SETTLED = "stray_money.settled"
    CUSTOMER_NOTED = "customer.noted"
    CUSTOMER_DEACTIVATED = "customer.deactivated"
    CUSTOMER_ACTIVATED = "customer.activated"
    CUSTOMER_SIGNED_OUT = "customer.signed_out"
    CUSTOMER_EXPORTED = "customer.exported"
    CUSTOMER_ANONYMISED = "customer.anonymised"
    CONTACTS_SHOWN = "contacts.shown"
    CART_RESTORED = "cart.restored"
    STAFF_INVITED = "staff.invited"
    STAFF_CHANGED = "staff.changed"
    STAFF_SIGNED_OUT = "staff.signed_out"
    STAFF_PASSWORD_RESET = "staff.password_reset"  # noqa: S105 - an action
    STAFF_SECOND_FACTOR_CHANGED = "staff.second_factor_changed"
    ROLE_CHANGED = "role.changed"


class Source(Enum):
    """From where somebody acted."""

    ADMIN = "admin"
    API = "api"
    IMPORT = "import"
    SYSTEM = "system"


class Account(Protocol):
    @property
    def pk(self) -> Any: ...
    @property
    def email(self) -> str: ...


class Actor(NamedTuple):
    """Who acts, from where, in which step, as the trail names them. Made anew for each step."""

    id: str
    name: str
    source: Source = Source.SYSTEM
    step: str = ""
    """One id for everything that is done in one step; empty: each entry is a step of its own."""

    @classmethod
    def account(cls, account: Account, source: Source) -> "Actor":
        return cls(id=str(account.pk), name=account.email, source=source, step=str(uuid7()))

    @classmethod
    def program(cls, name: str) -> "Actor":
        """The actor for a command or a task that acts for nobody in particular."""
        return cls(id="", name=name)

    @property
    def is_person(self) -> bool:
        """Whether it is an account, not a program."""
        return bool(self.id)


Changes = Mapping[str, tuple[Any, Any]]
"""Field → (before, after)."""


class Deed(NamedTuple):
    """Something done to one target."""

    action: Action
    target: str
    changes: Changes


def record(action: Action, target: str, *, actor: Actor, changes: Changes, reason: str = "") -> None:
    """Add an entry to the running transaction. Outside of one, a crash could part it from its change: refused."""
    record_all([Deed(action, target, changes)], actor=actor, reason=reason)


def record_all(deeds: Sequence[Deed], *, actor: Actor, reason: str = "") -> None:
    """Add an entry for each deed to the running transaction, as `record` does, by one command."""
    session = orm_connection().session
    if session is None:
        raise RuntimeError("an audit entry belongs to the transaction of the change it tells of")
    if deeds:
        entries = [_entry(deed, actor, reason) for deed in deeds]
        collection_of(COLLECTION, AuditEntryDocument).insert_many(entries, session=session)


def _entry(deed: Deed, actor: Actor, reason: str) -> AuditEntryDocument:
    return {
        "_id": ObjectId(),
        "at": datetime.now(UTC),
        "actor_id": actor.id,
        "actor": actor.name,
        "source": actor.source.value,
        "step": actor.step or str(uuid7()),
        "action": deed.action.value,
        "target": deed.target,
        "changes": {field: [_plain(before), _plain(after)] for field, (before, after) in deed.changes.items()},
        "reason": reason,
    }


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
