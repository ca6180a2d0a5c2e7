"""How a cart's global id is found again, by its owner only."""

from collections.abc import Sequence

from bson import ObjectId
from strawberry.types import Info

from cart.graphql.types import Cart
from cart.reading import carts_of, priced
from gateway.graphql.context import RequestContext
from gateway.graphql.relay.node import NODES, Key
from gateway.mongo.reads import run_async, run_steps_async


async def load_carts(keys: Sequence[Key], info: Info[RequestContext, None]) -> list[Cart | None]:
    """The viewer's own carts, active, ordered or abandoned; None for a cart of somebody else."""
    viewer = await info.context.owner()
    own = [ObjectId(id_) for owner, id_ in keys if owner == viewer and ObjectId.is_valid(id_)]
    found = await run_async(carts_of(viewer, own)) if viewer and own else {}
    carts = {
        (document["owner"], str(id_)): Cart(priced=await run_steps_async(priced(document)))
        for id_, document in found.items()
    }
    return [carts.get((owner, id_)) for owner, id_ in keys]


def register_cart_nodes() -> None:
    NODES.register("Cart", 2, load_carts)
