"""How an order's global id is found again: by its owner of today, and by staff."""

from collections.abc import Sequence

from strawberry.types import Info

from gateway.graphql.context import RequestContext
from gateway.graphql.relay.node import NODES, Key
from ordering.graphql.access import orders_seen
from ordering.graphql.types import Order
from ordering.reading.orders import OrderKey


async def load_orders(keys: Sequence[Key], info: Info[RequestContext, None]) -> list[Order | None]:
    found = await orders_seen([OrderKey(*key) for key in keys], info.context)
    return [Order(document=found[id_]) if id_ in found else None for _, id_ in keys]


def register_order_nodes() -> None:
    NODES.register("Order", len(OrderKey._fields), load_orders)
