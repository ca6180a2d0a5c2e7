"""Queries of the orders: authorise, describe the read, run it."""

from typing import Annotated

import strawberry
from strawberry.types import Info

from gateway.domain.texts import Text
from gateway.fallback import note_incomplete
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.connections import AfterAsked, BeforeAsked, FirstAsked, LastAsked, page_asked, slice_of
from gateway.graphql.relay.cursors import TIME
from gateway.graphql.relay.ids import key_of
from gateway.graphql.staff import authorise
from gateway.mongo.reads import run_async
from gateway.paging import Page, Slice
from ordering.documents import OrderDocument
from ordering.graphql.access import SEE, order_key, order_of_link, orders_seen
from ordering.graphql.types import NEWEST, Order, OrderConnection
from ordering.models import OrderStatus as Status
from ordering.reading.history import EMPTY, history_of, orders_in_geozone, orders_in_status
from ordering.reading.lookup import MAX_SOUGHT, look_up

NOTHING_SOUGHT = Text(
    "Введите номер заказа, e-mail, телефон, имя или id покупателя.",
    "Give an order number, an e-mail, a telephone number, a name or a customer's id.",
)
TOO_LONG = Text("Запрос не длиннее {maximum} знаков.", "A query has at most {maximum} characters.")
NO_SLICE = Text("Укажите status или geozone.", "Give status or geozone.")


async def viewer_orders(
    context: RequestContext,
    first: int | None = None,
    after: str | None = None,
    last: int | None = None,
    before: str | None = None,
    status: list[Status] | None = None,
) -> OrderConnection:
    """Those of whoever asks; no session is made for it. No statuses: all; an empty list of them: none."""
    part = _part(first, after, last, before)
    owner = await context.owner()
    if owner is None or status == []:
        return OrderConnection(page=EMPTY)
    return _connection(await history_of(owner, part, status or ()))


@strawberry.type
class OrderQuery:
    @strawberry.field(description="One of the viewer's own orders (staff: any).")
    async def order(
        self,
        info: Info[RequestContext, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="Order.id")],  # noqa: A002
    ) -> Order | None:
        key = order_key(id)
        found = await orders_seen([key], info.context) if key else {}
        return Order(document=found[key.id]) if key and key.id in found else None

    @strawberry.field(
        description="The order to which the link in a letter leads, for whoever has the letter; null for any token that"
        " leads to none. The name, e-mail and phone are shortened; of the address only the city is told."
    )
    async def order_by_token(
        self,
        info: Info[RequestContext, None],
        token: Annotated[str, strawberry.argument(description="The `token` of the link in the letter.")],
    ) -> Order | None:
        found = await order_of_link(token, info.context)
        return Order(document=found, redacted=True) if found else None

    @strawberry.field(description="Staff. By number, e-mail, phone, customer id or name; newest first.")
    async def order_lookup(
        self,
        info: Info[RequestContext, None],
        query: Annotated[
            str,
            strawberry.argument(
                description=(
                    "Whatever the customer says: the whole of one of these, or the last four digits of the "
                    "telephone with a name."
                )
            ),
        ],
        first: FirstAsked = None,
        after: AfterAsked = None,
    ) -> OrderConnection:
        await authorise(info.context, SEE)
        part = _part(first, after, None, None)
        customer = key_of("User", query.strip(), 1)
        sought = customer[0] if customer else query.strip()
        if not sought:
            raise BadInput(NOTHING_SOUGHT)
        if len(sought) > MAX_SOUGHT:
            raise BadInput(TOO_LONG, maximum=MAX_SOUGHT)
        return _connection(await look_up(sought, part))

    @strawberry.field(description="Staff. Of one status, of one geozone, or of both; newest first.")
    async def orders(
        self,
        info: Info[RequestContext, None],
        status: Annotated[Status | None, strawberry.argument(description="Orders in this status.")] = None,
        geozone: Annotated[str | None, strawberry.argument(description="Orders of this geozone.")] = None,
        first: FirstAsked = None,
        after: AfterAsked = None,
        last: LastAsked = None,
        before: BeforeAsked = None,
    ) -> OrderConnection:
        await authorise(info.context, SEE)
        part = _part(first, after, last, before)
        if status is not None:
            return OrderConnection(page=await run_async(orders_in_status(status, part, geozone)))
        if geozone is None:
            raise BadInput(NO_SLICE)
        return OrderConnection(page=await run_async(orders_in_geozone(geozone, part)))


def _connection(page: Page[OrderDocument]) -> OrderConnection:
    if not page.complete:
        note_incomplete()
    return OrderConnection(page=page)


def _part(first: int | None, after: str | None, last: int | None, before: str | None) -> Slice:
    return slice_of(page_asked(first, after, last, before), NEWEST, TIME)
