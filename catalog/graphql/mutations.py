"""Mutations of the catalog: authorise, call the action, translate what it refuses."""

from collections.abc import Callable, Iterator
from typing import Annotated, NamedTuple

import strawberry
from strawberry.types import Info

from catalog.documents import ProductDocument
from catalog.errors import UnknownProduct
from catalog.graphql.payloads import ProductInput, ProductPayload
from catalog.graphql.types import Product
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from gateway.domain.errors import DomainError
from gateway.domain.texts import Language
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import given
from gateway.graphql.relay.ids import key_of
from gateway.graphql.user_errors import UserError, replayed, user_errors
from gateway.graphql.writes import run_write
from gateway.idempotency.keys import DONE_BEFORE
from gateway.staff.permissions import actor_with

STOCK = "catalog.change_stocklevel"
PRODUCT = ("catalog.add_product", "catalog.change_product")
# Arguments of their own, whatever carries the rest.
BESIDE_THE_INPUT = {"expected_version", "idempotency_key"}


KEY = "Any string that the client makes once per change: repeated, it changes nothing more and says REPLAYED."


class Done(NamedTuple):
    document: ProductDocument
    replayed: bool


@strawberry.type
class CatalogMutation:
    @strawberry.mutation(description="Staff. Makes a product, or replaces what is known of it.")
    async def product_upsert(
        self,
        info: Info[RequestContext, None],
        input: Annotated[  # noqa: A002 - the contract's name
            ProductInput,
            strawberry.argument(description="The whole product: what is left out becomes empty, except its stock."),
        ],
        expected_version: Annotated[
            str | None,
            strawberry.argument(description="Product.version as it was read. CONFLICT when it is another by now."),
        ] = strawberry.UNSET,
        idempotency_key: Annotated[str | None, strawberry.argument(description=KEY)] = strawberry.UNSET,
    ) -> ProductPayload:
        user = await info.context.user()

        def upsert() -> Done:
            actor = actor_with(user, *PRODUCT, *([STOCK] if input.stock else []))
            done = upsert_product(
                input.draft(),
                actor=actor,
                expected=input.expected(given(expected_version)),
                idempotency_key=given(idempotency_key),
            )
            return Done(done.document, done.replayed)

        return await _answered(info, upsert, argument="input")

    @strawberry.mutation(description="Staff. Exactly one of delta and quantity.")
    async def stock_adjust(
        self,
        info: Info[RequestContext, None],
        product: Annotated[strawberry.ID, strawberry.argument(description="Product.id")],
        geozone: Annotated[str, strawberry.argument(description='Code of a geozone, e.g. "msk"; see Query.geozones.')],
        reason: Annotated[
            str, strawberry.argument(description="Why, for the audit and for colleagues; the buyer is not told.")
        ],
        delta: Annotated[
            int | None, strawberry.argument(description="How many pieces more, or fewer when negative.")
        ] = strawberry.UNSET,
        quantity: Annotated[
            int | None,
            strawberry.argument(description="How many pieces there are, those reserved for unpaid orders included."),
        ] = strawberry.UNSET,
        expected_quantity: Annotated[
            int | None,
            strawberry.argument(
                description="What was counted, reserved pieces included, when this was decided. CONFLICT when it is "
                "another quantity by now, and nothing changes."
            ),
        ] = strawberry.UNSET,
        idempotency_key: Annotated[str | None, strawberry.argument(description=KEY)] = strawberry.UNSET,
    ) -> ProductPayload:
        user = await info.context.user()

        def adjust() -> Done:
            actor = actor_with(user, STOCK)
            key = key_of("Product", product, 2)
            if key is None:
                raise UnknownProduct("product")
            _, product_id = key
            done = adjust_stock(
                product_id,
                geozone,
                delta=given(delta),
                quantity=given(quantity),
                expected_quantity=given(expected_quantity),
                reason=reason,
                idempotency_key=given(idempotency_key),
                actor=actor,
            )
            return Done(*done)

        return await _answered(info, adjust)


def _told(error: DomainError, language: Language, argument: str | None) -> Iterator[UserError]:
    for reason in error:
        beside = bool(reason.path) and reason.path[0] in BESIDE_THE_INPUT
        yield from user_errors(reason, language, argument=None if beside else argument)


async def _answered(
    info: Info[RequestContext, None], action: Callable[[], Done], *, argument: str | None = None
) -> ProductPayload:
    language = info.context.language
    try:
        done = await run_write(action)
    except DomainError as error:
        return ProductPayload(user_errors=list(_told(error, language, argument)))
    await info.context.note_change()
    warnings = [replayed(DONE_BEFORE, language)] if done.replayed else []
    return ProductPayload(product=Product(document=done.document), user_errors=[], warnings=warnings)
