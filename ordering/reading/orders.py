"""One order by its id or number, wherever it is: its owner changes when a guest signs in."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gateway.mongo.client import Expression
from gateway.mongo.policies import ORDER_HISTORY_FRESH, Policy
from gateway.mongo.reads import Evidence, Read, Steps, decide, run, run_steps
from ordering.cassandra.orders import archived_order
from ordering.documents import OrderDocument
from ordering.errors import OrderArchived, UnknownOrder
from ordering.models import Order

ORDERS = Order._meta.db_table


class OrderKey(NamedTuple):
    """The key of an order that its public id carries."""

    owner: str | None
    """The owner when the id was made: the order may have become another's since. None: not known."""
    id: str


def order_by_id(order_id: str, *, owner: str | None, policy: Policy) -> Steps[OrderDocument | None]:
    """One order. Asks the owner's shard; only when the order is not there any more, every shard."""
    found = yield from orders_by_key([OrderKey(owner, order_id)], policy)
    return found.get(order_id)


def orders_by_key(keys: Sequence[OrderKey], policy: Policy) -> Steps[dict[str, OrderDocument]]:
    """The orders that there are, by id: one command to the owners' shards, and a second one, to every shard, for those
    that have changed their owner."""
    owners = sorted({key.owner for key in keys if key.owner is not None})
    found: dict[str, OrderDocument] = {}
    if owners:
        known = [key.id for key in keys if key.owner is not None]
        found |= yield _by({"owner": _one_of(owners), "_id": _one_of(known)}, policy)
    elsewhere = [key.id for key in keys if key.id not in found]
    if elsewhere:
        found |= yield _by({"_id": _one_of(elsewhere)}, policy)
    return found


def own_orders(owner: str, order_ids: Sequence[str], policy: Policy) -> Read[dict[str, OrderDocument]]:
    """Those of the orders that are the owner's, by id. Asks one shard."""
    return _by({"owner": owner, "_id": _one_of(order_ids)}, policy)


def find_order(order_id: str, *, owner: str | None = None) -> OrderDocument | None:
    """The order as it stands on the primary. Every shard is asked when the owner is not known, or not the owner now."""
    return run_steps(order_by_id(order_id, owner=owner, policy=ORDER_HISTORY_FRESH)) or _at_one_moment(
        {"_id": order_id}
    )


def order_to_change(order_id: str, *, owner: str | None = None) -> OrderDocument:
    """The order as it stands on the primary, for whoever may change it. Raises OrderArchived or UnknownOrder."""
    order = find_order(order_id, owner=owner)
    if order is None:
        raise OrderArchived("order") if archived_order(order_id) else UnknownOrder("order")
    return order


def find_order_by_number(number: str) -> OrderDocument | None:
    """The order with this number, as `numbers.written`, as it stands on the primary. Asks every shard, by its index."""
    where = {"keys": f"number:{number}"}
    return next(iter(run(_by(where, ORDER_HISTORY_FRESH)).values()), None) or _at_one_moment(where)


def _at_one_moment(where: Expression) -> OrderDocument | None:
    """Ask every shard as of one moment: a payment must not be told that there is no such order because it was on its
    way between two shards."""
    found = Evidence(
        collection=ORDERS,
        policy=ORDER_HISTORY_FRESH,
        where=where,
        result=lambda documents: documents[0] if documents else None,
    )
    return decide(lambda moment: moment.run(found))


def _by(where: Expression, policy: Policy) -> Read[dict[str, OrderDocument]]:
    return Read(
        collection=ORDERS,
        policy=policy,
        where=where,
        result=lambda documents: {document["_id"]: document for document in documents},
    )


def _one_of(values: Sequence[str]) -> Any:
    return values[0] if len(values) == 1 else {"$in": list(values)}
