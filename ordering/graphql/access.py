"""Which orders a caller may see: a buyer the own ones, staff any."""

from collections.abc import Sequence

from gateway.cassandra.errors import CassandraError, CassandraNotConfigured
from gateway.domain.texts import Text
from gateway.fallback import note_incomplete, served
from gateway.graphql.context import RequestContext
from gateway.graphql.relay.ids import key_of
from gateway.graphql.staff import may
from gateway.mongo.outage import MongoUnavailable, NotServed
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import run_async, run_steps_async
from ordering.cassandra.orders import copied_orders
from ordering.documents import OrderDocument
from ordering.events import BUYER, PAYMENT_SYSTEM, STAFF, SYSTEM
from ordering.mail.links import opens, read_token
from ordering.reading.orders import OrderKey, order_by_id, orders_by_key, own_orders

PROGRAMS_AND_BUYERS = {BUYER, SYSTEM, PAYMENT_SYSTEM}

SEE = "ordering.view_order"
CHANGE = "ordering.change_order"
REFUND = "ordering.refund_order"

NOT_NOW = Text(
    "Этот заказ сейчас показать нельзя, повторите чуть позже.",
    "This order cannot be shown for the moment, try again shortly.",
)


def order_key(id_: str) -> OrderKey | None:
    key = key_of("Order", id_, len(OrderKey._fields))
    return OrderKey(*key) if key else None


async def orders_seen(keys: Sequence[OrderKey], context: RequestContext) -> dict[str, OrderDocument]:
    """Those of the orders that the caller may see, by id: archived ones too, whoever owned them when ids were made.

    While MongoDB is away the own ones, as they were copied. Raises MongoUnavailable when that is not all.
    """
    viewer = await context.owner()
    if viewer is None or not keys:
        return {}
    return await served(lambda: _seen(keys, viewer, context), lambda: _own_copies(keys, viewer))


async def order_of_link(token: str, context: RequestContext) -> OrderDocument | None:
    """The order to which the token of a letter's link leads; None for any that leads to none.

    Nobody is asked for a token that we have not made. Raises MongoUnavailable when the order cannot be shown for now.
    """
    # Whoever holds the link may see it; no cache on the way may.
    context.personal = True
    if (named := read_token(token)) is None:
        return None
    order = await served(lambda: _linked(named.order_id), lambda: _linked_copy(named.order_id))
    return order if order and opens(named, order) else None


async def _linked(order_id: str) -> OrderDocument | None:
    """The order, living or archived. Asks every shard: the token does not name the owner, who may change."""
    order = await run_steps_async(order_by_id(order_id, owner=None, policy=ORDER_STATUS))
    return order or (await _archived_copies([order_id])).get(order_id)


async def _linked_copy(order_id: str) -> OrderDocument:
    copies = await copied_orders([order_id])
    if order_id not in copies:
        raise NotServed(NOT_NOW)
    return copies[order_id].order


async def _seen(keys: Sequence[OrderKey], viewer: str, context: RequestContext) -> dict[str, OrderDocument]:
    """The orders from MongoDB and the archive. A buyer's own are asked of one shard, others only for staff."""
    seen = await run_async(own_orders(viewer, [key.id for key in keys], ORDER_STATUS))
    if (others := [key for key in keys if key.id not in seen]) and await may(context, SEE):
        seen |= await run_steps_async(orders_by_key(others, ORDER_STATUS))
    if missing := [key.id for key in keys if key.id not in seen]:
        seen |= await _archived(missing, viewer, context)
    return seen


async def _own_copies(keys: Sequence[OrderKey], viewer: str) -> dict[str, OrderDocument]:
    copies = await copied_orders(key.id for key in keys)
    own = {id_: copy.order for id_, copy in copies.items() if copy.order["owner"] == viewer}
    if any(key.id not in own for key in keys):
        # Perhaps it has not arrived, or whoever asks may see it: nobody can tell.
        raise NotServed(NOT_NOW)
    return own


async def _archived(order_ids: Sequence[str], viewer: str, context: RequestContext) -> dict[str, OrderDocument]:
    """The archived ones that the viewer may see. A copy of any other order shows nothing: it may have another owner."""
    archived = await _archived_copies(order_ids)
    if not archived or await may(context, SEE):
        return archived
    # Said to be archived, it may still have been claimed before it left: then MongoDB has it, under another owner.
    own = [OrderKey(None, id_) for id_, order in archived.items() if order["owner"] == viewer]
    standing = await run_steps_async(orders_by_key(own, ORDER_STATUS)) if own else {}
    return {key.id: archived[key.id] for key in own if key.id not in standing}


async def _archived_copies(order_ids: Sequence[str]) -> dict[str, OrderDocument]:
    """Those of the orders that are archived; the answer is marked while Cassandra cannot tell."""
    try:
        copies = await copied_orders(order_ids)
    except CassandraNotConfigured:
        return {}
    except CassandraError:
        note_incomplete()
        return {}
    return {id_: copy.order for id_, copy in copies.items() if copy.is_archived}


async def sees_all(context: RequestContext) -> bool:
    """Whether whoever asks is staff who may see any order, with what is noted and referred to in it."""
    return await has_right(context, SEE)


async def has_right(context: RequestContext, permission: str) -> bool:
    try:
        return await may(context, permission)
    except MongoUnavailable:
        # Then only their own orders are shown to anybody.
        return False


async def actor_seen(actor: str, context: RequestContext) -> str:
    return actor if actor in PROGRAMS_AND_BUYERS or await sees_all(context) else STAFF
