"""Mutations of the orders: find whose it is or who acts, call the action, translate what it refuses."""

from collections.abc import Callable
from decimal import Decimal

import strawberry
from django.contrib.auth.models import AnonymousUser
from strawberry.types import Info

from cart.graphql.queries import viewer_cart
from cart.graphql.types import adjustments
from gateway.accounts.models import User
from gateway.domain.errors import Code, DomainError, NotAllowed, NotSignedIn
from gateway.domain.texts import Text
from gateway.graphql.context import RequestContext
from gateway.graphql.user_errors import MutationWarning, UserError, WarningCode, replayed, user_errors
from gateway.graphql.writes import run_write
from gateway.staff.permissions import actor_with
from ordering.cassandra.orders import archived_order
from ordering.checkout.checkout import Bought, check_out
from ordering.documents import OrderDocument
from ordering.errors import CartEmpty, UnknownOrder
from ordering.events import BUYER, STAFF
from ordering.graphql.access import CHANGE, order_key
from ordering.graphql.payloads import CheckoutInput, CheckoutPayload, OrderPayload, RefundLineInput
from ordering.graphql.types import Order
from ordering.ledger.references import reference_of
from ordering.lifecycle.moves import advance_order, cancel_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus as Status
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.payments.refunds import Refunding, refund_order
from ordering.payments.repayments import Settling, settle_refund
from ordering.reading.orders import OrderKey, find_order

# The order is not as the caller believed: the answer shows how it is.
AS_IT_STANDS = {Code.ILLEGAL_TRANSITION, Code.CONFLICT}

TOTAL_FELL = Text(
    "Цены снизились: было {expected} ₽, к оплате {total} ₽.",
    "Prices have fallen: it was {expected} RUB, to be paid are {total} RUB.",
)
ORDERED_BEFORE = Text(
    "Заказ оформлен прежним запросом: больше ничего не куплено.",
    "An earlier request made this order: nothing more was bought.",
)


@strawberry.type
class OrderMutation:
    @strawberry.mutation
    async def checkout(
        self,
        info: Info[RequestContext, None],
        input: CheckoutInput,  # noqa: A002 - the contract's name
    ) -> CheckoutPayload:
        context = info.context
        owner = await context.owner()
        try:
            if owner is None:
                raise CartEmpty
            bought = await run_write(check_out, owner, input.purchase(context.language), network=context.client)
        except DomainError as error:
            return await _not_bought(context, error)
        warnings = [_fallen_price(bought, input.expected_total, context)] if bought.saved else []
        if bought.replayed:
            warnings.append(replayed(ORDERED_BEFORE, context.language))
        return CheckoutPayload(order=Order(document=bought.order), user_errors=[], warnings=warnings)

    @strawberry.mutation(description="An unpaid order, by its buyer or staff.")
    async def order_cancel(
        self, info: Info[RequestContext, None], order: strawberry.ID, reason: str = ""
    ) -> OrderPayload:
        key = order_key(order)
        viewer = await info.context.owner()
        user = await info.context.user()

        def cancel() -> OrderDocument:
            found = _found(key) if key else None
            if found is None:
                raise UnknownOrder("order")
            who, actor = (Who.BUYER, BUYER) if found["owner"] == viewer else (Who.STAFF, _staff(user))
            return cancel_order(found["_id"], who=who, actor=actor, reason=reason, owner=found["owner"])

        return await _answer(info.context, key, cancel, renamed={"to": "order"})

    @strawberry.mutation(description="Staff: to PROCESSING, SHIPPED or DELIVERED.")
    async def order_advance(
        self, info: Info[RequestContext, None], order: strawberry.ID, to: Status, note: str = ""
    ) -> OrderPayload:
        return await _act_as_staff(
            info.context,
            order,
            lambda key, actor: advance_order(key.id, to, actor=actor, note=note, owner=key.owner),
        )

    @strawberry.mutation(
        description="Staff: money that came another way than by the payment webhook. "
        "The same reference is recorded once."
    )
    async def order_record_payment(
        self, info: Info[RequestContext, None], order: strawberry.ID, amount: Decimal, reference: str
    ) -> OrderPayload:
        return await _act_as_staff(
            info.context,
            order,
            lambda key, actor: receive_payment(
                key.id, IncomingMoney(amount, reference_of(reference, "reference"), STAFF, actor), owner=key.owner
            ),
            renamed={"to": "order"},
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
    ) -> OrderPayload:
        wanted = tuple(line.line() for line in lines)
        return await _act_as_staff(
            info.context,
            order,
            lambda key, actor: refund_order(
                key.id,
                Refunding(wanted, reason, reference_of(reference, "reference"), restock, actor),
                owner=key.owner,
            ),
            renamed={"to": "order"},
        )

    @strawberry.mutation(
        description="Staff: money owed to the buyer has been paid back. The same reference settles once."
    )
    async def order_settle_refund(
        self, info: Info[RequestContext, None], order: strawberry.ID, entry: strawberry.ID, reference: str
    ) -> OrderPayload:
        return await _act_as_staff(
            info.context,
            order,
            lambda key, actor: settle_refund(
                key.id, Settling(str(entry), reference_of(reference, "reference"), actor), owner=key.owner
            ),
        )


def _found(key: OrderKey) -> OrderDocument | None:
    """The order, living or archived."""
    return find_order(key.id, owner=key.owner) or archived_order(key.id)


def _staff(user: User | AnonymousUser) -> str:
    """The name under which a member of staff acts. Raises UnknownOrder: others are not told that the order exists."""
    try:
        return actor_with(user, CHANGE).name
    except (NotSignedIn, NotAllowed) as error:
        raise UnknownOrder("order") from error


async def _act_as_staff(
    context: RequestContext,
    order: str,
    action: Callable[[OrderKey, str], OrderDocument],
    renamed: dict[str, str] | None = None,
) -> OrderPayload:
    key = order_key(order)
    user = await context.user()

    def act() -> OrderDocument:
        actor = actor_with(user, CHANGE)
        if key is None:
            raise UnknownOrder("order")
        return action(key, actor.name)

    return await _answer(context, key, act, renamed=renamed)


async def _answer(
    context: RequestContext,
    key: OrderKey | None,
    action: Callable[[], OrderDocument],
    renamed: dict[str, str] | None = None,
) -> OrderPayload:
    """Run the action and make the payload of what it returns or refuses.

    `renamed`: arguments of the action under other names than the mutation's.
    """
    try:
        document: OrderDocument | None = await run_write(action)
        errors: list[UserError] = []
    except DomainError as error:
        document = None
        errors = user_errors(error, context.language)
        for each in errors:
            each.field = [(renamed or {}).get(name, name) for name in each.field] if each.field else None
        if key and any(reason.code in AS_IT_STANDS for reason in error):
            document = await run_write(_found, key)
    return OrderPayload(order=Order(document=document) if document else None, user_errors=errors)


async def _not_bought(context: RequestContext, error: DomainError) -> CheckoutPayload:
    cart = await viewer_cart(context)
    return CheckoutPayload(
        cart=cart,
        user_errors=user_errors(error, context.language, argument="input"),
        warnings=adjustments(cart.priced, context.language) if cart else [],
    )


def _fallen_price(bought: Bought, expected: Decimal, context: RequestContext) -> MutationWarning:
    message = TOTAL_FELL.in_language(
        context.language, expected=f"{expected:.2f}", total=f"{bought.order['total'].to_decimal():.2f}"
    )
    return MutationWarning(code=WarningCode.PRICE_CHANGED, message=message)
