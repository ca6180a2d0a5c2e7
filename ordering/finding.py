"""One order by its id or number, wherever it is: its owner changes when a guest signs in."""

from gateway.mongo.client import Document
from gateway.mongo.policies import ORDER_HISTORY_FRESH, Policy
from gateway.mongo.reading import Read, Steps, run, run_steps
from ordering.models import Order

ORDERS = Order._meta.db_table


def order_by_id(order_id: str, *, owner: str | None, policy: Policy) -> Steps[Document | None]:
    """Asks the owner's shard; only when the order is not there any more, every shard."""
    if owner is not None:
        found: Document | None = yield _by({"owner": owner, "_id": order_id}, policy)
        if found is not None:
            return found
    elsewhere: Document | None = yield _by({"_id": order_id}, policy)
    return elsewhere


def find_order(order_id: str, *, owner: str | None = None) -> Document | None:
    """As it stands on the primary."""
    return run_steps(order_by_id(order_id, owner=owner, policy=ORDER_HISTORY_FRESH))


def find_order_by_number(number: str) -> Document | None:
    """As it stands on the primary; as `written`. Asks every shard, by its index."""
    return run(_by({"keys": f"number:{number}"}, ORDER_HISTORY_FRESH))


def _by(where: Document, policy: Policy) -> Read[Document | None]:
    return Read(
        collection=ORDERS,
        policy=policy,
        where=where,
        limit=1,
        result=lambda documents: documents[0] if documents else None,
    )
