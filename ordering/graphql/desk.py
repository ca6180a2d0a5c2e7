"""Mutations of the support desk: authorise, call the action, translate what it refuses."""

from collections.abc import Mapping
from decimal import Decimal

import strawberry
from strawberry.types import Info

from gateway.graphql.context import RequestContext
from gateway.graphql.writes import run_write
from ordering.events import STAFF
from ordering.graphql.access import CHANGE, REFUND
from ordering.graphql.acting import act_as_staff
from ordering.graphql.payloads import OrderDetailsInput, OrderPayload, RefundLineInput
from ordering.ledger.references import reference_of
from ordering.lifecycle.details import update_details
from ordering.lifecycle.geozone import move_to_geozone
from ordering.lifecycle.moves import advance_order
from ordering.lifecycle.notes import add_note
from ordering.lifecycle.tracking import set_tracking
from ordering.mail.resend import resend_letter
from ordering.models import OrderStatus as Status
from ordering.payments.cancellation import Cancelling, cancel_paid
from ordering.payments.limits import refund_limit
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.payments.refunds import AmountRefunding, Refunding, refund_amount, refund_order
from ordering.payments.repayments import Settling, settle_refund

# Tells of the order as a whole, whatever the action calls it.
OF_THE_ORDER = {"to": "order"}


@strawberry.type
class DeskMutation:
    @strawberry.mutation(description="Staff: to PROCESSING, SHIPPED or DELIVERED.")
    async def order_advance(
        self, info: Info[RequestContext, None], order: strawberry.ID, to: Status, note: str = ""
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: advance_order(key.id, to, actor=actor, note=note, owner=key.owner),
        )

    @strawberry.mutation(
        description="Staff: money that came another way than by the payment webhook. "
        "The same reference is recorded once."
    )
    async def order_record_payment(
        self, info: Info[RequestContext, None], order: strawberry.ID, amount: Decimal, reference: str
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            REFUND,
            lambda key, actor: receive_payment(
                key.id, IncomingMoney(amount, reference_of(reference, "reference"), STAFF, actor), owner=key.owner
            ),
            renamed=OF_THE_ORDER,
        )

    @strawberry.mutation(description="Staff: by line, never above what was paid. The same reference refunds once.")
    async def order_refund(
        self,
        info: Info[RequestContext, None],
        order: strawberry.ID,
        lines: list[RefundLineInput],
        reason: str,
        reference: str,
        restock: bool = True,
        put_back: list[RefundLineInput] | None = None,
    ) -> OrderPayload:
        wanted = tuple(line.line() for line in lines)
        limit = await _limit(info.context)
        return await act_as_staff(
            info.context,
            order,
            REFUND,
            lambda key, actor: refund_order(
                key.id,
                Refunding(
                    wanted, reason, reference_of(reference, "reference"), _pieces(put_back, restock=restock), actor
                ),
                owner=key.owner,
                limit=limit,
            ),
            renamed=OF_THE_ORDER,
        )

    @strawberry.mutation(
        description="Staff: money that goes back and no goods, for the delivery or as a courtesy; never above what was "
        "paid. The same reference refunds once."
    )
    async def order_refund_amount(
        self, info: Info[RequestContext, None], order: strawberry.ID, amount: Decimal, reason: str, reference: str
    ) -> OrderPayload:
        limit = await _limit(info.context)
        return await act_as_staff(
            info.context,
            order,
            REFUND,
            lambda key, actor: refund_amount(
                key.id,
                AmountRefunding(amount, reason, reference_of(reference, "reference"), actor),
                owner=key.owner,
                limit=limit,
            ),
            renamed=OF_THE_ORDER,
        )

    @strawberry.mutation(
        description="Staff: a paid order that is not shipped; all that is left of it is refunded. putBack: pieces that "
        "return to the shelf, null for all. The same reference cancels once."
    )
    async def order_cancel_paid(
        self,
        info: Info[RequestContext, None],
        order: strawberry.ID,
        reason: str,
        reference: str,
        put_back: list[RefundLineInput] | None = None,
    ) -> OrderPayload:
        limit = await _limit(info.context)
        return await act_as_staff(
            info.context,
            order,
            REFUND,
            lambda key, actor: cancel_paid(
                key.id,
                Cancelling(reason, reference_of(reference, "reference"), _pieces(put_back), actor),
                owner=key.owner,
                limit=limit,
            ),
            renamed=OF_THE_ORDER,
        )

    @strawberry.mutation(
        description="Staff: money owed to the buyer has been paid back. The same reference settles once."
    )
    async def order_settle_refund(
        self, info: Info[RequestContext, None], order: strawberry.ID, entry: strawberry.ID, reference: str
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            REFUND,
            lambda key, actor: settle_refund(
                key.id, Settling(str(entry), reference_of(reference, "reference"), actor), owner=key.owner
            ),
        )

    @strawberry.mutation(description="Staff, before shipping: contact and address; what is null stays.")
    async def order_update_details(
        self, info: Info[RequestContext, None], order: strawberry.ID, details: OrderDetailsInput, reason: str
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: update_details(key.id, details.details(), reason=reason, actor=actor, owner=key.owner),
            carried={"contact": "details", "shippingAddress": "details"},
        )

    @strawberry.mutation(description="Staff: an unpaid order is reserved in another geozone, at the same prices.")
    async def order_move_geozone(
        self, info: Info[RequestContext, None], order: strawberry.ID, geozone: str, reason: str
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: move_to_geozone(key.id, geozone, reason=reason, actor=actor, owner=key.owner),
        )

    @strawberry.mutation(description="Staff: an internal note, never shown to the buyer.")
    async def order_note_add(
        self, info: Info[RequestContext, None], order: strawberry.ID, text: str, idempotency_key: str | None = None
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: add_note(key.id, text, actor=actor, key=idempotency_key, owner=key.owner),
            renamed={"key": "idempotencyKey"},
        )

    @strawberry.mutation(description="Staff: the letter of an event once more, to the contact or to another address.")
    async def order_resend(
        self, info: Info[RequestContext, None], order: strawberry.ID, event: strawberry.ID, email: str | None = None
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: resend_letter(key.id, str(event), email=email, actor=actor, owner=key.owner),
        )

    @strawberry.mutation(description="Staff.")
    async def order_set_tracking(
        self, info: Info[RequestContext, None], order: strawberry.ID, carrier: str, number: str
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: set_tracking(key.id, carrier, number, actor=actor, owner=key.owner),
        )


def _pieces(put_back: list[RefundLineInput] | None, *, restock: bool = True) -> Mapping[str, int] | None:
    """Pieces of each product that return to the shelf; None: all."""
    if put_back is None:
        return None if restock else {}
    return {line.product_id: line.quantity for line in put_back}


async def _limit(context: RequestContext) -> Decimal | None:
    return await run_write(refund_limit, await context.user())
