"""What the page of one order shows: the order itself, what happened to it, and what is known around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from asgiref.sync import async_to_sync
from bson import ObjectId
from django.urls import reverse

from catalog.structure.names import geozone_name
from gateway.accounts.masking import sees_contacts, shown_email, shown_phone
from gateway.accounts.models import User
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.reading import Sought, entries
from gateway.audit.trail import Action
from gateway.cassandra.errors import CassandraError
from gateway.domain.texts import Text
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import Read, run
from gateway.paging import Slice
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.times import time_text
from ordering.admin.timeline import Happened, Reader, people_in, timeline_of
from ordering.admin.words import EDITS, KINDS, Label, actor_name, state_label, status_label
from ordering.cassandra.orders import archived_order, timelines_of
from ordering.documents import OrderDocument, OrderEvent
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Ledger, due_back, owed, paid, refunded
from ordering.models import Order, OrderStatus
from ordering.reading.history import BY_OWNER, orders_at
from ordering.reading.lookup import BY_KEYS
from ordering.reading.orders import find_order

# What a person takes in at a glance; the customer's page has all.
MAX_RELATED = 10
# Of a buyer's orders no more are counted than anybody needs to know of.
MAX_COUNTED = 1000
# Far more than staff ever do to one order.
MAX_EDITS = 500

TIME_LEFT = Text("осталось {minutes} мин", "{minutes} min left")
TIME_IS_UP = Text("время вышло", "time is up")
GUEST = Text("Гость, без учётной записи", "A guest, without an account")
SAME_BUYER = Text("покупатель", "buyer")
SAME_EMAIL = Text("e-mail", "e-mail")
SAME_PHONE = Text("телефон", "telephone")


@dataclass(frozen=True, slots=True)
class Seen:
    """An order as staff find it."""

    order: OrderDocument
    events: Sequence[OrderEvent]
    is_archived: bool
    is_complete: bool = True
    """False: Cassandra is away, and what it alone has is not shown."""


class Line(NamedTuple):
    product_id: str
    name: str
    price: str
    quantity: int
    refunded: int
    sum: str
    image: str
    url: str | None


class MoneyRow(NamedTuple):
    id: str
    time: str
    kind: str
    state: Label
    amount: str
    reference: str
    actor: str
    is_due: bool


class Sums(NamedTuple):
    total: str
    paid: str
    refunded: str
    due_back: str
    is_due: bool


class Related(NamedTuple):
    number: str
    url: str
    time: str
    status: Label
    total: str
    by: str
    """What it has in common with this order."""


class CopyState(NamedTuple):
    """What Cassandra has of the order."""

    version: int
    synced_version: int
    behind_since: str
    """Empty when it has everything."""
    error: str


class Buyer(NamedTuple):
    name: str
    email: str
    phone: str
    is_masked: bool
    account: str
    """The account by its name; empty for a guest."""
    url: str | None
    orders: str


def seen_order(order_id: str) -> Seen | None:
    """The order from MongoDB, or as it was archived; None if there is no such order, as far as anybody knows."""
    if order := find_order(order_id):
        return Seen(order, order.get("events") or [], is_archived=False)
    archived = archived_order(order_id)
    if archived is None:
        return None
    try:
        events = async_to_sync(timelines_of)([order_id])[order_id]
    except CassandraError:
        return Seen(archived, [], is_archived=True, is_complete=False)
    return Seen(archived, events, is_archived=True)


def shown_lines(order: OrderDocument, user: User) -> list[Line]:
    sees_products = user.has_perm("catalog.view_product")
    return [
        Line(
            product_id=item["product_id"],
            name=item["name"],
            price=money_text(price := item["price"].to_decimal()),
            quantity=item["quantity"],
            refunded=item["refunded"],
            sum=money_text(price * item["quantity"]),
            image=f"/images/{item['product_id']}.svg",
            url=reverse("admin:catalog_product_change", args=[item["product_id"]]) if sees_products else None,
        )
        for item in order["items"]
    ]


def shown_sums(order: OrderDocument) -> Sums:
    ledger = ledger_of(order)
    due = due_back(ledger)
    return Sums(
        total=money_text(order["total"].to_decimal()),
        paid=money_text(paid(ledger)),
        refunded=money_text(refunded(ledger)),
        due_back=money_text(due),
        is_due=due > 0,
    )


def shown_ledger(ledger: Ledger, names: Mapping[str, str]) -> list[MoneyRow]:
    return [
        MoneyRow(
            id=entry.id,
            time=time_text(entry.at),
            kind=said(KINDS[entry.kind]),
            state=state_label(entry.state),
            amount=money_text(entry.amount),
            reference=entry.reference,
            actor=actor_name(entry.actor, names),
            is_due=owed(ledger, entry) > 0,
        )
        for entry in ledger
    ]


def shown_reservation(order: OrderDocument) -> str:
    """Until when the stock is held, and how long that is; empty for an order that holds none."""
    until = order["reserved_until"]
    if until is None or order["status"] != OrderStatus.NEW.value:
        return ""
    minutes = int((until.replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds() // 60)
    left = said(TIME_LEFT, minutes=minutes) if minutes >= 0 else said(TIME_IS_UP)
    return f"{time_text(until)} ({left})"


def shown_address(order: OrderDocument) -> str:
    address = order["shipping_address"]
    parts = (address["postcode"], address["city"], address["street"], address["comment"])
    return ", ".join(part for part in parts if part)


def shown_buyer(order: OrderDocument, user: User) -> Buyer:
    contact, clear = order["contact"], sees_contacts(user)
    user_id = order["user_id"]
    return Buyer(
        name=contact["name"],
        email=shown_email(contact["email"], clear=clear),
        phone=shown_phone(contact["phone"], clear=clear),
        is_masked=not clear,
        account=_account_name(user_id, clear=clear) if user_id else "",
        url=customer_url(user_id) if user_id and user.has_perm("accounts.view_customer") else None,
        orders=_counted(run(_orders_of(order["owner"]))) if user_id else said(GUEST),
    )


def customer_url(user_id: str) -> str:
    """The page of the customer's account."""
    return reverse("admin:accounts_customer_change", args=[user_id])


def shown_copy(order: OrderDocument) -> CopyState:
    marks = order.get("unsynced")
    return CopyState(
        version=order["version"],
        synced_version=order["synced_version"],
        behind_since=time_text(marks["since"]) if marks else "",
        error=(marks.get("error") or "") if marks else "",
    )


def related_orders(order: OrderDocument) -> list[Related]:
    """Other orders of the same account, e-mail or telephone, newest first. Asks every shard, by its index of keys."""
    own = [key for key in order["keys"] if key.startswith(("user:", "email:", "phone:"))]
    if not own:
        return []
    part = Slice(MAX_RELATED + 1)
    found = run(orders_at([{"keys": key} for key in own], part, BY_KEYS, policy=ORDER_STATUS)).documents
    return [_related(other, own) for other in found if other["_id"] != order["_id"]][:MAX_RELATED]


def shown_timeline(seen: Seen, user: User) -> tuple[list[Happened], dict[str, str]]:
    """The timeline, and the names of the staff in it by their e-mails."""
    edits = _edits(seen.order["_id"])
    names = _names(people_in(seen.order, seen.events, edits))
    clear = sees_contacts(user)
    reader = Reader(names, lambda address: shown_email(address, clear=clear))
    return timeline_of(seen.order, seen.events, edits, reader), names


def _account_name(user_id: str, *, clear: bool) -> str:
    """The account's name, or its address where it has none; the id of one that is gone."""
    account = User.objects.filter(pk=user_id).only("name", "email").first() if ObjectId.is_valid(user_id) else None
    return account.name or shown_email(account.email, clear=clear) if account else user_id


def _names(emails: set[str]) -> dict[str, str]:
    if not emails:
        return {}
    return {user.email: user.get_full_name() for user in User.objects.filter(email__in=sorted(emails))}


def _edits(order_id: str) -> list[AuditEntryDocument]:
    """What the audit has of edits of the order, oldest first."""
    sought = Sought(target=f"order:{order_id}", actions=frozenset(map(Action, EDITS)))
    return run(entries(sought, Slice(MAX_EDITS))).documents[::-1]


def _orders_of(owner: str) -> Read[int]:
    return Read(
        collection=Order._meta.db_table,
        policy=ORDER_STATUS,
        where={"owner": owner},
        fields=("_id",),
        limit=MAX_COUNTED,
        hint=BY_OWNER,
        result=len,
    )


def _counted(number: int) -> str:
    return f"{MAX_COUNTED}+" if number >= MAX_COUNTED else str(number)


def _related(order: OrderDocument, keys: Sequence[str]) -> Related:
    common = {key.partition(":")[0] for key in order["keys"] if key in keys}
    words = {"user": SAME_BUYER, "email": SAME_EMAIL, "phone": SAME_PHONE}
    total: Decimal = order["total"].to_decimal()
    return Related(
        number=order["number"],
        url=reverse("admin:ordering_order_change", args=[order["_id"]]),
        time=time_text(order["created_at"]),
        status=status_label(order["status"]),
        total=money_text(total),
        by=", ".join(said(text) for kind, text in words.items() if kind in common),
    )


def geozone_of(order: OrderDocument) -> str:
    return geozone_name(order["geozone"])
