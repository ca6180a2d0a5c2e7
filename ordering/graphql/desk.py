"""Mutations of the support desk: authorise, call the action, translate what it refuses."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

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

Id = Annotated[strawberry.ID, strawberry.argument(description="Order.id")]
Reason = Annotated[
    str, strawberry.argument(description="Why, for the audit and for colleagues; the buyer is not told.")
]
ReferenceGiven = Annotated[
    str,
    strawberry.argument(
        description="The payment system's or bank's own id of this movement, up to 100 characters. Sent again with the "
        "same contents, it changes nothing; with others it is CONFLICT."
    ),
]

# Tells of the order as a whole, whatever the action calls it.
OF_THE_ORDER = {"to": "order"}


@strawberry.type
class DeskMutation:
    @strawberry.mutation(description="Staff: to PROCESSING, SHIPPED or DELIVERED.")
    async def order_advance(
        self,
        info: Info[RequestContext, None],
        order: Id,
        to: Annotated[Status, strawberry.argument(description="The next status: one step towards the buyer.")],
        note: Annotated[str, strawberry.argument(description="For colleagues; stands in the timeline.")] = "",
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
        self,
        info: Info[RequestContext, None],
        order: Id,
        amount: Annotated[
            Decimal, strawberry.argument(description="What came, in rubles; more than is due is owed back.")
        ],
        reference: ReferenceGiven,
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
        order: Id,
        lines: Annotated[
            list[RefundLineInput], strawberry.argument(description="What is refunded, at the prices of the purchase.")
        ],
        reason: Reason,
        reference: ReferenceGiven,
        restock: Annotated[
            bool, strawberry.argument(description="Whether all of it goes back on sale; putBack says it by product.")
        ] = True,
        put_back: Annotated[
            list[RefundLineInput] | None,
            strawberry.argument(description="Pieces that go back on sale; left out, all or none by restock."),
        ] = None,
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
        self,
        info: Info[RequestContext, None],
        order: Id,
        amount: Annotated[Decimal, strawberry.argument(description="How much goes back, in rubles.")],
        reason: Reason,
        reference: ReferenceGiven,
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
        order: Id,
        reason: Reason,
        reference: ReferenceGiven,
        put_back: Annotated[
            list[RefundLineInput] | None,
            strawberry.argument(description="Pieces that go back on sale; left out, all of them."),
        ] = None,
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
        self,
        info: Info[RequestContext, None],
        order: Id,
        entry: Annotated[strawberry.ID, strawberry.argument(description="MoneyEntry.id of an entry that is DUE.")],
        reference: ReferenceGiven,
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
        self,
        info: Info[RequestContext, None],
        order: Id,
        details: Annotated[
            OrderDetailsInput, strawberry.argument(description="The new contact, the new address, or both.")
        ],
        reason: Reason,
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
        self,
        info: Info[RequestContext, None],
        order: Id,
        geozone: Annotated[str, strawberry.argument(description='Where the goods are to be taken from, e.g. "spb".')],
        reason: Reason,
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: move_to_geozone(key.id, geozone, reason=reason, actor=actor, owner=key.owner),
        )

    @strawberry.mutation(description="Staff: an internal note, never shown to the buyer.")
    async def order_note_add(
        self,
        info: Info[RequestContext, None],
        order: Id,
        text: Annotated[
            str, strawberry.argument(description='The note; "@anna" or "@anna@example.com" mentions a colleague.')
        ],
        idempotency_key: Annotated[
            str | None,
            strawberry.argument(
                description="Any string that the client makes once per note: repeated, it adds nothing more."
            ),
        ] = None,
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
        self,
        info: Info[RequestContext, None],
        order: Id,
        event: Annotated[
            strawberry.ID, strawberry.argument(description="OrderEvent.id of an event that has a letter.")
        ],
        email: Annotated[
            str | None, strawberry.argument(description="Where to send it instead of the order's contact.")
        ] = None,
    ) -> OrderPayload:
        return await act_as_staff(
            info.context,
            order,
            CHANGE,
            lambda key, actor: resend_letter(key.id, str(event), email=email, actor=actor, owner=key.owner),
        )

    @strawberry.mutation(
        description=(
            "Staff: the carrier and its number for a parcel; the buyer is told by letter when the order is sent."
        )
    )
    async def order_set_tracking(
        self,
        info: Info[RequestContext, None],
        order: Id,
        carrier: Annotated[str, strawberry.argument(description='Name of the carrier, e.g. "СДЭК".')],
        number: Annotated[str, strawberry.argument(description="The carrier's number of the parcel.")],
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
