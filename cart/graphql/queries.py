"""Queries of the cart: describe the read, run it, translate."""

import strawberry
from strawberry.types import Info

from cart.graphql.types import Cart
from cart.reading import active_cart, priced
from gateway.graphql.context import RequestContext
from gateway.mongo.reads import run_async, run_steps_async


async def viewer_cart(context: RequestContext) -> Cart | None:
    """The active cart of whoever asks; no session is made for it."""
    owner = await context.owner()
    document = await run_async(active_cart(owner)) if owner else None
    return Cart(priced=await run_steps_async(priced(document))) if document else None


@strawberry.type
class CartQuery:
    @strawberry.field(description="The active cart; null until something is put in it.")
    async def cart(self, info: Info[RequestContext, None]) -> Cart | None:
        return await viewer_cart(info.context)
