"""An order that MongoDB has lost, or that has been archived, is made again from Cassandra, if all of it is there."""

from datetime import UTC, datetime

import structlog
from pymongo.errors import DuplicateKeyError

from gateway.cassandra.reads import first, read
from gateway.cassandra.statements import Row
from gateway.cassandra.writes import write
from gateway.mongo.client import collection_of
from gateway.sync.copy import copy_documents
from gateway.sync.documents import SyncMarks
from gateway.sync.marks import new_marks, timestamp_of
from ordering.cassandra.rows import archived_rows_of, events_of, order_of_state
from ordering.cassandra.sync import ORDERS, SYNCED, sync_order_soon
from ordering.cassandra.tables import ORDER_EVENTS_BY_ID, ORDER_STATE_BY_ID, WHOLE_ORDER
from ordering.documents import OrderDocument, OrderNumberDocument
from ordering.models import OrderNumber
from ordering.reading.orders import find_order, find_order_by_number

log = structlog.get_logger(__name__)

# Of a guest, never retaken or moved, paid already, without a key of the client, a parcel or notes: these may be null.
# The money is in the ledger, or in the fields that an earlier release had for it.
OPTIONAL = {
    *("user_id", "past_owners", "retaken", "moved_under", "reserved_until", "client_key", "tracking", "notes"),
    *("money", "payments", "refunds"),
}


def restore_order(order_id: str) -> bool:
    """Make a lost order again from Cassandra; returns whether MongoDB has it again.

    What it owed to stock and letters is not known, and is taken to be done.

    An archived order is not lost: MongoDB is asked first, since who archives says so before the order leaves it.
    """
    if find_order(order_id) is not None:
        return False
    order = _order_in_cassandra(order_id, archived=False)
    if order is None or find_order_by_number(order["number"]) is not None:
        return False
    # Should it have been lost with the order: nobody may draw this number again.
    numbers = collection_of(OrderNumber._meta.db_table, OrderNumberDocument)
    numbers.update_one({"_id": order["number"]}, {"$setOnInsert": {"_id": order["number"]}}, upsert=True)
    try:
        collection_of(ORDERS, OrderDocument).insert_one(order)
    except DuplicateKeyError:
        # Restored by somebody else, or the owner has an order under the same client's key.
        return False
    log.warning("order_restored", order=order_id, version=order["version"])
    copy_documents(SYNCED, [order])
    return True


def revive_order(order_id: str) -> OrderDocument | None:
    """Bring an archived order back to MongoDB, because there is something to be changed in it; None: it is not whole.

    As of a new version, whose rows say that it lives. The archive takes it again once nothing is owed. Two at once
    insert it once. Raises CassandraError.
    """
    archived = _order_in_cassandra(order_id, archived=True)
    if archived is None:
        # Or somebody else was faster, and its rows say already that it lives.
        return find_order(order_id)
    # A client's key has long served: by now the owner may have bought under the same one.
    order: OrderDocument = {**archived, "client_key": None, "version": archived["version"] + 1}
    try:
        collection_of(ORDERS, OrderDocument).insert_one(order)
    except DuplicateKeyError:
        return find_order(order_id, owner=order["owner"])
    log.info("order_revived", order=order_id, version=order["version"])
    # It is found in MongoDB again, by keys that may change there.
    write(
        table.delete({column: row[column] for column in table.primary_key}, timestamp=timestamp_of(order))
        for table, row in archived_rows_of(order)
    )
    sync_order_soon(order)
    return order


def _order_in_cassandra(order_id: str, *, archived: bool) -> OrderDocument | None:
    """The whole order as Cassandra has it; None when a part is missing, or when it is archived and should not be, or
    the other way round."""
    state = first(ORDER_STATE_BY_ID.select("order_id = ?", order_id))
    if state is None or (state["archived_at"] is not None) is not archived:
        return None
    if any(state[column] is None for column in WHOLE_ORDER if column not in OPTIONAL):
        return None
    if state["money"] is None and (state["payments"] is None or state["refunds"] is None):
        return None
    rows = read(ORDER_EVENTS_BY_ID.select("order_id = ?", order_id))
    if not _is_whole(state, rows):
        return None
    marks: SyncMarks = {**new_marks(datetime.now(UTC)), "version": state["version"]}
    return {**order_of_state(state), "events": events_of(rows), "stock_due": [], "mail_due": [], "letters": [], **marks}


def _is_whole(state: Row, events: list[Row]) -> bool:
    """Whether state and events are of the same version: each change appends an event of its own moment."""
    in_order = sorted(events, key=lambda row: row["position"])
    if not events or [row["position"] for row in in_order] != list(range(len(events))):
        return False
    last = in_order[-1]
    return bool((last["event_time"], last["status"]) == (state["updated_at"], state["status"]))
