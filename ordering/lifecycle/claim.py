"""A guest turns out to be a customer: the guest's orders, with their history, become the customer's."""

from collections.abc import Sequence

from pymongo.errors import DuplicateKeyError

from gateway.accounts.models import normalize_email
from gateway.accounts.owners import user_id_of
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import ORDER_HISTORY_FRESH
from gateway.mongo.reads import Read, run
from gateway.mongo.transactions import TryAgain, in_transaction
from gateway.sync.marks import CHANGED
from gateway.sync.queue import sync_soon
from ordering.documents import OrderDocument
from ordering.events import BUYER, EventType, event_now
from ordering.models import Order, OrderStatus
from ordering.reading.lookup import BY_KEYS
from ordering.reading.lookup_keys import user_key

ORDERS = Order._meta.db_table
# Each order moves to another shard by commands of its own: this many take well under a second, and a transaction may
# last five.
BATCH = 100


def claim_orders(guest: str, customer: str) -> int:
    """Make the guest's orders the customer's, once, however often it is called; returns how many. Both are owners.

    Up to a hundred move together or not at all, which is more than a session ever buys. Whoever moves, pays or refunds
    one of them meanwhile makes the claim begin again with what is there then, or finds the order at its new owner.
    """
    return _claim_all(_orders_of(guest), customer)


def claim_orders_of_address(email: str, customer: str) -> int:
    """Likewise for orders that guests of any session made under this address; returns how many.

    Only for an address that is known to be the customer's. Asks every shard, by index.
    """
    return _claim_all(_orders_under(email), customer)


def _claim_all(wanted: Read[Sequence[OrderDocument]], customer: str) -> int:
    claimed = 0
    while batch := in_transaction(lambda: _claim(wanted, customer)):
        sync_soon(ORDERS, [(customer, order_id) for order_id in batch])
        claimed += len(batch)
        if len(batch) < BATCH:
            break
    return claimed


def _claim(wanted: Read[Sequence[OrderDocument]], customer: str) -> list[str]:
    """In the running transaction: move a batch of orders; returns their ids."""
    orders = run(wanted)
    client_keys = [order["client_key"] for order in orders if order["client_key"]]
    taken = run(_client_keys(customer, client_keys)) if client_keys else set()
    for order in orders:
        _move(order, customer, keep_client_key=order["client_key"] not in taken)
    return [order["_id"] for order in orders]


def _orders_of(owner: str) -> Read[Sequence[OrderDocument]]:
    return Read(
        collection=ORDERS,
        policy=ORDER_HISTORY_FRESH,
        where={"owner": owner},
        fields=("owner", "status", "client_key"),
        limit=BATCH,
        result=lambda documents: documents,
    )


def _orders_under(email: str) -> Read[Sequence[OrderDocument]]:
    return Read(
        collection=ORDERS,
        policy=ORDER_HISTORY_FRESH,
        where={"keys": f"email:{normalize_email(email)}", "user_id": None},
        fields=("owner", "status", "client_key"),
        limit=BATCH,
        hint=BY_KEYS,
        result=lambda documents: documents,
    )


def _client_keys(owner: str, keys: Sequence[str]) -> Read[set[str]]:
    """Those of the client keys under which the owner has an order already."""
    return Read(
        collection=ORDERS,
        policy=ORDER_HISTORY_FRESH,
        where={"owner": owner, "client_key": {"$in": list(keys)}},
        fields=("client_key",),
        result=lambda documents: {document["client_key"] for document in documents},
    )


def _move(order: OrderDocument, customer: str, *, keep_client_key: bool) -> None:
    """Give the order to the customer, by a command for this one alone: only so may the shard key change."""
    user_id = user_id_of(customer)
    claimed = event_now(EventType.CLAIMED, OrderStatus(order["status"]), actor=BUYER)
    try:
        collection_of(ORDERS, OrderDocument).update_one(
            {"owner": order["owner"], "_id": order["_id"]},
            [
                {
                    "$set": {
                        "owner": customer,
                        "user_id": user_id,
                        "past_owners": {"$setUnion": [{"$ifNull": ["$past_owners", []]}, ["$owner"]]},
                        "keys": {"$setUnion": ["$keys", [user_key(user_id)]]},
                        "events": {"$concatArrays": ["$events", [claimed]]},
                        **({} if keep_client_key else {"client_key": None}),
                        "updated_at": "$$NOW",
                        **CHANGED,
                    }
                }
            ],
            session=orm_connection().session,
        )
    except DuplicateKeyError as error:
        raise TryAgain(f"{customer} bought under the same key meanwhile") from error
