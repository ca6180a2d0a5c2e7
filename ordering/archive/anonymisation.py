"""Taking a person's contacts out of orders: in MongoDB, in their copies in Cassandra, and out of archived rows.

The rows of an archived order are written anew as of a next version; should it be brought back to MongoDB at the same
moment, it is found there. Killed anywhere, it is begun again: what is done is not found again, and nothing is done
twice. Figures stay: number, lines, amounts, geozone, city, times and whose it was.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from django.conf import settings

from gateway.accounts.owners import is_guest
from gateway.audit.redaction import remove_contacts
from gateway.cassandra.reads import first, read, scan
from gateway.cassandra.statements import Write
from gateway.cassandra.writes import write
from gateway.domain.contacts import Contacts, without_contacts
from gateway.mongo.client import Expression, collection_of
from gateway.mongo.policies import ORDER_HISTORY_FRESH, SYNC, under
from gateway.mongo.reads import Read, run
from gateway.sync.copy import copy_documents
from gateway.sync.marks import CHANGED, UNSYNCED, timestamp_of
from ordering.archive.archive import FINAL
from ordering.cassandra.lookup import FIRST_YEAR
from ordering.cassandra.rows import archived_rows_of, events_of, order_of_state
from ordering.cassandra.sync import ORDERS, SYNCED, compared_rows
from ordering.cassandra.tables import (
    ARCHIVED_ORDERS_BY_KEY,
    ORDER_EVENTS_BY_ID,
    ORDER_MONTHS_BY_USER,
    ORDER_STATE_BY_ID,
    ORDERS_BY_USER,
)
from ordering.documents import OrderDocument
from ordering.events import BUYER
from ordering.reading.history import BY_OWNER, BY_UNSYNCED
from ordering.reading.lookup import BY_KEYS
from ordering.reading.orders import find_order

# Orders that are changed, then copied to Cassandra, at a time.
BATCH = 100
# Each is lost to somebody who changed the orders meanwhile; or 5 000 orders of one person.
TURNS = 50
# Fields in whose texts people write about people.
_TALKS = {"events", "notes", "letters"}
# What programs write there.
_CODES = {"id", "type", "status", "state", "event", "entry"}
_KEPT_KEYS = ("number:", "user:", "product:", "reference:")
_NAMED: Expression = {"contact.email": {"$ne": ""}}


class Buyer(NamedTuple):
    """Whose orders are meant."""

    owner: str
    email: str | None
    """Of guests' orders that are meant too; None: the owner's own only."""


def open_orders(buyer: Buyer) -> list[str]:
    """Numbers of orders that are not done yet: somebody has still to be reached about them. Archived ones are done."""
    numbers = []
    for where, hint in _wanted(buyer):
        found: Read[Sequence[OrderDocument]] = Read(
            collection=ORDERS,
            policy=ORDER_HISTORY_FRESH,
            where={**where, "$or": [{"status": {"$nin": [status.value for status in FINAL]}}, {"to_refund": True}]},
            fields=("number", "created_at"),
            hint=hint,
            result=lambda documents: documents,
        )
        numbers += [order["number"] for order in run(found)]
    return sorted(numbers)


def anonymise_orders(buyer: Buyer, contacts: Contacts) -> int:
    """Take the contacts out of the buyer's orders and of the audit of them; `contacts`: the account's, for the texts.

    Returns how many orders were changed. Raises CassandraError: then some are left.
    """
    done = _anonymise_living(buyer, contacts)
    if settings.CASSANDRA_CONTACT_POINTS:
        # Changed by somebody who died before Cassandra was told.
        copy_documents(SYNCED, _found({"owner": buyer.owner, **UNSYNCED}, BY_UNSYNCED, limit=BATCH))
        for archived in _archived(buyer):
            _blank_rows(archived, contacts)
            done += 1
    return done


def _wanted(buyer: Buyer) -> Iterator[tuple[Expression, str]]:
    """Filters that find the orders in MongoDB, each with its index. The second one asks every shard."""
    yield {"owner": buyer.owner}, BY_OWNER
    if buyer.email:
        yield {"keys": f"email:{buyer.email}", "user_id": None}, BY_KEYS


def is_anonymised(buyer: Buyer) -> bool:
    """Whether no order has a contact any more, in either store. Raises CassandraError."""
    left = {"$or": [_NAMED, *([UNSYNCED] if settings.CASSANDRA_CONTACT_POINTS else [])]}
    if any(_found({**where, **left}, hint, limit=1) for where, hint in _wanted(buyer)):
        return False
    return not settings.CASSANDRA_CONTACT_POINTS or next(_archived(buyer), None) is None


def _anonymise_living(buyer: Buyer, contacts: Contacts) -> int:
    done = 0
    for where, hint in _wanted(buyer):
        for _ in range(TURNS):
            orders = _found({**where, **_NAMED}, hint, limit=BATCH)
            if not orders:
                break
            done += _change(orders, contacts)
    return done


def _found(where: Expression, hint: str, *, limit: int) -> list[OrderDocument]:
    found: Read[list[OrderDocument]] = Read(
        collection=ORDERS, policy=ORDER_HISTORY_FRESH, where=where, limit=limit, hint=hint, result=list
    )
    return run(found)


def _change(orders: Sequence[OrderDocument], contacts: Contacts) -> int:
    # The order comes last: once it has lost its contact, nobody knows what stood in the trail, and under which keys it
    # was archived before.
    for order in orders:
        _redact_trail(order, contacts)
    if settings.CASSANDRA_CONTACT_POINTS:
        write(one for order in orders for one in _forget_keys(order))
    done = sum(_blank(order, contacts) for order in orders)
    if settings.CASSANDRA_CONTACT_POINTS:
        copy_documents(SYNCED, SYNCED.find([SYNCED.key_of(order) for order in orders]))
    return done


def _blank(order: OrderDocument, contacts: Contacts) -> bool:
    """Change the order as it was read; False: somebody changed it meanwhile, and it is found again."""
    fields = {name: {"$literal": value} for name, value in _blanked(order, contacts).items()}
    with under(SYNC):
        changed = collection_of(ORDERS, OrderDocument).update_one(
            {"owner": order["owner"], "_id": order["_id"], "version": order["version"]},
            [{"$set": {**fields, "mail_due": [], "mail_given_up": False, **CHANGED}}],
        )
    return changed.matched_count == 1


def _blank_rows(order: OrderDocument, contacts: Contacts) -> None:
    """Write the rows of an archived order anew; that it is archived stays as it was."""
    _redact_trail(order, contacts)
    write(_forget_keys(order))
    blanked = cast("OrderDocument", {**order, **_blanked(order, contacts), "version": order["version"] + 1})
    after = timestamp_of(blanked, after=True)
    write(table.upsert(row, timestamp=after) for table, row in archived_rows_of(blanked))
    # By the row of the state it is found again: that one last.
    rows = sorted(compared_rows(blanked), key=lambda made: made[0] is ORDER_STATE_BY_ID)
    for table, row in rows:
        write([table.upsert(row, timestamp=timestamp_of(blanked))])


def _blanked(order: OrderDocument, contacts: Contacts) -> dict[str, Any]:
    """The fields that change, as they are afterwards."""
    people = [contacts, _contacts(order)]
    return {
        "contact": {"name": "", "email": "", "phone": ""},
        "shipping_address": {"city": order["shipping_address"]["city"], "street": "", "postcode": "", "comment": ""},
        "keys": [key for key in order["keys"] if key.startswith(_KEPT_KEYS)],
        # A hash of what the buyer sent could be guessed from a list of people.
        "request": "",
        "client_key": None,
        **{field: _without(value, people) for field, value in order.items() if field in _TALKS},
    }


def _redact_trail(order: OrderDocument, contacts: Contacts) -> None:
    targets = [f"order:{order['_id']}", f"order:{order['number']}"]
    remove_contacts(targets, [contacts, _contacts(order)], called=order["user_id"] or BUYER)


def _forget_keys(order: OrderDocument) -> Iterator[Write]:
    """Deletions of the rows by which the order is, or was, found among the archived ones."""
    for table, row in archived_rows_of(order):
        key = {column: row[column] for column in table.primary_key}
        yield table.delete(key, timestamp=timestamp_of(order) + 2)


def _without(value: Any, people: Sequence[Contacts]) -> Any:
    match value:
        case str():
            return without_contacts(value, people)
        case dict():
            return {name: inner if name in _CODES else _without(inner, people) for name, inner in value.items()}
        case list():
            return [_without(inner, people) for inner in value]
    return value


def _contacts(order: OrderDocument) -> Contacts:
    contact = order["contact"]
    return Contacts(email=contact["email"], phone=contact["phone"], name=contact["name"])


def _archived(buyer: Buyer) -> Iterator[OrderDocument]:
    """The buyer's archived orders in whose rows a contact stands."""
    for order_id in dict.fromkeys(_copied(buyer)):
        row = first(ORDER_STATE_BY_ID.select("order_id = ?", order_id))
        if row is None or row["archived_at"] is None or find_order(order_id) is not None:
            continue
        order = order_of_state(row)
        if order["contact"]["email"] and (order["owner"] == buyer.owner or is_guest(order["owner"])):
            yield {**order, "events": events_of(read(ORDER_EVENTS_BY_ID.select("order_id = ?", order_id)))}


def _copied(buyer: Buyer) -> Iterator[str]:
    """Ids of the orders that Cassandra has of the buyer."""
    for month in scan(ORDER_MONTHS_BY_USER.select("owner = ?", buyer.owner)):
        for row in scan(ORDERS_BY_USER.select("owner = ? AND month = ?", buyer.owner, month["month"])):
            yield row["order_id"]
    if buyer.email:
        for year in range(datetime.now(UTC).year, FIRST_YEAR - 1, -1):
            keyed = ARCHIVED_ORDERS_BY_KEY.select("key = ? AND year = ?", f"email:{buyer.email}", year)
            yield from (row["order_id"] for row in scan(keyed))
