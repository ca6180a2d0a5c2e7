"""Mutations of the catalog: authorise, call the action, translate what it refuses."""

from collections.abc import Callable

import strawberry
from strawberry.types import Info

from catalog.errors import UnknownProduct
from catalog.graphql.payloads import ProductInput, ProductPayload
from catalog.graphql.types import Product
from catalog.stock import adjust_stock
from catalog.upsert import upsert_product
from gateway.domain_errors import DomainError
from gateway.graphql.context import RequestContext
from gateway.graphql.ids import key_of
from gateway.graphql.user_errors import user_errors
from gateway.graphql.writes import run_write
from gateway.mongo.client import Document
from gateway.staff.permissions import actor_with

STOCK = "catalog.change_stocklevel"
PRODUCT = ("catalog.add_product", "catalog.change_product")


@strawberry.type
class CatalogMutation:
    @strawberry.mutation(description="Staff.")
    async def product_upsert(
        self,
        info: Info[RequestContext, None],
        input: ProductInput,  # noqa: A002 - the contract's name
    ) -> ProductPayload:
        user = await info.context.user()

        def upsert() -> Document:
            actor = actor_with(user, *PRODUCT, *([STOCK] if input.stock else []))
            return upsert_product(input.draft(), actor=actor).document

        return await _answered(info, upsert, argument="input")

    @strawberry.mutation(description="Staff. Exactly one of delta and quantity.")
    async def stock_adjust(
        self,
        info: Info[RequestContext, None],
        product: strawberry.ID,
        geozone: str,
        reason: str,
        delta: int | None = strawberry.UNSET,
        quantity: int | None = strawberry.UNSET,
    ) -> ProductPayload:
        user = await info.context.user()

        def adjust() -> Document:
            actor = actor_with(user, STOCK)
            key = key_of("Product", product, 2)
            if key is None:
                raise UnknownProduct("product")
            _, product_id = key
            return adjust_stock(
                product_id,
                geozone,
                delta=None if delta is strawberry.UNSET else delta,
                quantity=None if quantity is strawberry.UNSET else quantity,
                reason=reason,
                actor=actor,
            )

        return await _answered(info, adjust)


async def _answered(
    info: Info[RequestContext, None], action: Callable[[], Document], *, argument: str | None = None
) -> ProductPayload:
    try:
        document = await run_write(action)
    except DomainError as error:
        return ProductPayload(user_errors=user_errors(error, info.context.language, argument=argument))
    return ProductPayload(product=Product(document=document), user_errors=[])
