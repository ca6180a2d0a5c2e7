"""Mutations of buyers, who may share them with staff: find whose it is, call the action, translate what it refuses."""

from decimal import Decimal
from typing import Annotated

import strawberry
from django.contrib.auth.models import AnonymousUser
from strawberry.types import Info

from cart.graphql.queries import viewer_cart
from cart.graphql.types import adjustments
from gateway.accounts.models import User
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError, NotAllowed, NotSignedIn
from gateway.domain.money import Amount, exact
from gateway.domain.texts import Text
from gateway.graphql.context import RequestContext
from gateway.graphql.user_errors import (
    MutationWarning,
    RequestPayload,
    WarningCode,
    replayed,
    session_warnings,
    user_errors,
)
from gateway.graphql.writes import run_beside, run_write
from gateway.staff.permissions import actor_with
from ordering.checkout.checkout import Bought, check_out
from ordering.documents import OrderDocument
from ordering.errors import CartEmpty, UnknownOrder
from ordering.events import BY_BUYER
from ordering.graphql.access import CHANGE, order_key
from ordering.graphql.acting import answer_of, standing_order
from ordering.graphql.payloads import CheckoutInput, CheckoutPayload, OrderPayload
from ordering.graphql.types import Order
from ordering.lifecycle.moves import cancel_order
from ordering.lifecycle.transitions import Who
from ordering.mail.link_requests import request_link

# What a refused checkout says of lines, it says of those of the cart, which has no place in the input.
OF_THE_CART = {"lines"}
TOTAL_FELL = Text(
    "Цены снизились: было {expected}, к оплате {total}.",
    "Prices have fallen: it was {expected}, to be paid are {total}.",
)
ORDERED_BEFORE = Text(
    "Заказ оформлен прежним запросом: больше ничего не куплено.",
    "An earlier request made this order: nothing more was bought.",
)


@strawberry.type
class OrderMutation:
    @strawberry.mutation(
        description=(
            "Makes an unpaid order of the cart and reserves its stock for a while. All of it is bought, or nothing."
        )
    )
    async def checkout(
        self,
        info: Info[RequestContext, None],
        input: Annotated[CheckoutInput, strawberry.argument(description="Who buys, where to, and for how much.")],  # noqa: A002 - the contract's name
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
        self,
        info: Info[RequestContext, None],
        order: Annotated[strawberry.ID, strawberry.argument(description="Order.id")],
        reason: Annotated[str, strawberry.argument(description="Why, for the shop; stands in the timeline.")] = "",
    ) -> OrderPayload:
        key = order_key(order)
        viewer = await info.context.owner()
        user = await info.context.user()

        def cancel() -> OrderDocument:
            found = standing_order(key) if key else None
            if found is None:
                raise UnknownOrder("order")
            who, actor = (Who.BUYER, BY_BUYER) if found["owner"] == viewer else (Who.STAFF, _staff(user))
            return cancel_order(found["_id"], who=who, actor=actor, reason=reason, owner=found["owner"])

        return await answer_of(info.context, key, cancel, renamed={"to": "order"})

    @strawberry.mutation(
        description="Sends the link of orderByToken once more, to the order's own address. ok says only that the"
        " request was understood: it is the same whether there is such an order or not."
    )
    async def order_link_request(
        self,
        info: Info[RequestContext, None],
        number: Annotated[str, strawberry.argument(description='Order.number in any grouping, e.g. "4829-130-752".')],
        email: Annotated[str, strawberry.argument(description="The e-mail address that the order was made with.")],
    ) -> RequestPayload:
        context = info.context
        try:
            await run_beside(request_link, number, email, client=context.client)
        except DomainError as error:
            return RequestPayload(ok=False, user_errors=user_errors(error, context.language))
        return RequestPayload(ok=True, user_errors=[])


def _staff(user: User | AnonymousUser) -> Actor:
    """The member of staff who acts. Raises UnknownOrder: others are not told that the order exists."""
    try:
        return actor_with(user, CHANGE)
    except (NotSignedIn, NotAllowed) as error:
        raise UnknownOrder("order") from error


async def _not_bought(context: RequestContext, error: DomainError) -> CheckoutPayload:
    cart = await viewer_cart(context)
    return CheckoutPayload(
        cart=cart,
        user_errors=user_errors(error, context.language, argument="input", beside=OF_THE_CART),
        warnings=[*session_warnings(context), *(adjustments(cart.priced, context.language) if cart else [])],
    )


def _fallen_price(bought: Bought, expected: Decimal, context: RequestContext) -> MutationWarning:
    message = TOTAL_FELL.in_language(
        context.language, expected=Amount(expected), total=Amount(exact(bought.order["total"]))
    )
    return MutationWarning(code=WarningCode.PRICE_CHANGED, message=message)
