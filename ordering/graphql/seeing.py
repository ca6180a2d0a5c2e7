"""Which orders a caller may see: a buyer the own ones, staff any."""

from collections.abc import Sequence

from gateway.graphql.context import RequestContext
from gateway.graphql.ids import key_of
from gateway.graphql.staff import may
from gateway.mongo.client import Document
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reading import run_async, run_steps_async
from ordering.finding import OrderKey, orders_by_key, own_orders

SEE = "ordering.view_order"
CHANGE = "ordering.change_order"


def order_key(id_: str) -> OrderKey | None:
    key = key_of("Order", id_, len(OrderKey._fields))
    return OrderKey(*key) if key else None


async def orders_seen(keys: Sequence[OrderKey], context: RequestContext) -> dict[str, Document]:
    """By order id, whoever owned them when the ids were made. For a buyer only the own shard is asked."""
    viewer = await context.owner()
    if viewer is None or not keys:
        return {}
    own = await run_async(own_orders(viewer, [key.id for key in keys], ORDER_STATUS))
    others = [key for key in keys if key.id not in own]
    if others and await may(context, SEE):
        own |= await run_steps_async(orders_by_key(others, ORDER_STATUS))
    return own
