"""Mutations of the cart: find whose it is, call the action, translate what it refuses."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import strawberry
from strawberry.types import Info

from cart.documents import CartDocument
from cart.errors import NotAProduct
from cart.graphql.payloads import CartLineInput, CartPayload
from cart.graphql.types import Cart, adjustments
from cart.line_checks import LineWanted
from cart.lines import Buyer, add_lines, clear, remove_lines, set_lines
from cart.reading import NOTHING_KNOWN, Products, priced
from catalog.graphql.types import product_key
from gateway.domain.errors import DomainError, Refused
from gateway.graphql.context import RequestContext
from gateway.graphql.user_errors import replayed, session_warnings, user_errors
from gateway.graphql.writes import run_write
from gateway.idempotency.keys import DONE_BEFORE
from gateway.mongo.reads import run_steps_async


@strawberry.type
class CartMutation:
    @strawberry.mutation(
        description=("Puts products in the cart, on top of what is there; makes a cart, and for a newcomer a session.")
    )
    async def cart_lines_add(
        self,
        info: Info[RequestContext, None],
        lines: Annotated[list[CartLineInput], strawberry.argument(description="What to add: at most 100 lines.")],
        geozone: Annotated[
            str | None,
            strawberry.argument(description="Where the buyer is; kept in the cart, and what stock warnings are about."),
        ] = strawberry.UNSET,
        idempotency_key: Annotated[
            str | None,
            strawberry.argument(
                description="Any string that the client makes once per change: repeated, it adds nothing more and says "
                "REPLAYED."
            ),
        ] = strawberry.UNSET,
    ) -> CartPayload:
        context = info.context
        key = None if idempotency_key is strawberry.UNSET else idempotency_key
        buyer = await _buyer(context)
        try:
            done = await run_write(add_lines, buyer, _wanted(lines), _zone(geozone), idempotency_key=key)
        except DomainError as error:
            return _refusal(context, error)
        answer = await _answer(context, done.cart, done.products)
        if done.replayed:
            answer.warnings.append(replayed(DONE_BEFORE, context.language))
        return answer

    @strawberry.mutation(description="Sets the quantity of products; 0 removes.")
    async def cart_lines_set(
        self,
        info: Info[RequestContext, None],
        lines: Annotated[
            list[CartLineInput], strawberry.argument(description="The quantities wanted; other lines stay as they are.")
        ],
        geozone: Annotated[
            str | None, strawberry.argument(description="Where the buyer is; kept in the cart. Left out, it stays.")
        ] = strawberry.UNSET,
    ) -> CartPayload:
        buyer = await _buyer(info.context)
        try:
            document = await run_write(set_lines, buyer, _wanted(lines), _zone(geozone))
        except DomainError as error:
            return _refusal(info.context, error)
        return await _answer(info.context, document)

    @strawberry.mutation(
        description="Removes products, whatever their quantity; those that are not in the cart are no error."
    )
    async def cart_lines_remove(
        self,
        info: Info[RequestContext, None],
        products: Annotated[list[strawberry.ID], strawberry.argument(description="Product.id of each line to remove.")],
    ) -> CartPayload:
        owner = await info.context.owner()
        try:
            ids = _product_ids(products)
            document = await run_write(remove_lines, owner, ids) if owner else None
        except DomainError as error:
            return _refusal(info.context, error)
        return await _answer(info.context, document)

    @strawberry.mutation(description="Removes every line.")
    async def cart_clear(self, info: Info[RequestContext, None]) -> CartPayload:
        owner = await info.context.owner()
        return await _answer(info.context, await run_write(clear, owner) if owner else None)


async def _buyer(context: RequestContext) -> Buyer:
    """The owner; for a guest without a session what makes one, should the action ask for it from its thread."""
    loop = asyncio.get_running_loop()

    def make_owner() -> str:
        return asyncio.run_coroutine_threadsafe(context.owner_to_write(), loop).result()

    return await context.owner() or make_owner


def _wanted(lines: Sequence[CartLineInput]) -> list[LineWanted]:
    return [LineWanted(product_key(line.product), line.quantity) for line in lines]


def _zone(geozone: str | None) -> str | None:
    return None if geozone is strawberry.UNSET else geozone


async def _answer(
    context: RequestContext, document: CartDocument | None, known: Products = NOTHING_KNOWN
) -> CartPayload:
    if document is None:
        return CartPayload(token=context.new_token, user_errors=[], warnings=session_warnings(context))
    cart = await run_steps_async(priced(document, known))
    return CartPayload(
        cart=Cart(priced=cart),
        token=context.new_token,
        user_errors=[],
        warnings=[*session_warnings(context), *adjustments(cart, context.language)],
    )


def _refusal(context: RequestContext, error: DomainError) -> CartPayload:
    errors = user_errors(error, context.language)
    return CartPayload(token=context.new_token, user_errors=errors, warnings=session_warnings(context))


def _product_ids(products: Sequence[str]) -> list[str]:
    keys = [product_key(product) for product in products]
    if unknown := [NotAProduct("products", place) for place, key in enumerate(keys) if key is None]:
        raise Refused(unknown)
    return [key.id for key in keys if key]
