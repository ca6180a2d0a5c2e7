"""Which orders a caller may see: a buyer the own ones, staff any."""

import asyncio
from collections.abc import Sequence

from gateway.domain_errors import NotAllowed, NotSignedIn
from gateway.graphql.context import RequestContext
from gateway.graphql.ids import key_of
from gateway.graphql.inputs import Forbidden, Unauthenticated
from gateway.mongo.client import Document
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reading import run_async, run_steps_async
from gateway.staff.permissions import actor_with
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


async def may(context: RequestContext, permission: str) -> bool:
    user = await context.user()
    return await asyncio.to_thread(user.has_perm, permission)


async def authorise(context: RequestContext, permission: str) -> None:
    """For fields of staff only; raises Unauthenticated or Forbidden."""
    user = await context.user()
    try:
        await asyncio.to_thread(actor_with, user, permission)
    except NotSignedIn as error:
        raise Unauthenticated(error.text) from error
    except NotAllowed as error:
        raise Forbidden(error.text) from error
