"""Errors and warnings that a person can act on, and the one place where domain errors become them."""

from collections.abc import Container
from enum import Enum

import strawberry
from strawberry.utils.str_converters import to_camel_case

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Language, Text
from gateway.graphql.context import RequestContext
from gateway.graphql.enums import described_enum

UserErrorCode = described_enum(
    Code,
    "UserErrorCode",
    "Reasons why something was not done. More may come: treat an unknown one as INVALID.",
    {
        Code.INVALID: "A value cannot be what it is; the message says why.",
        Code.REQUIRED: "A value is missing.",
        Code.NOT_FOUND: "What is named is not there, or not the caller's.",
        Code.UNAUTHENTICATED: "Somebody has to sign in first.",
        Code.FORBIDDEN: "The account may not do this.",
        Code.OUT_OF_STOCK: "There are fewer pieces than wanted.",
        Code.QUANTITY_LIMIT: "More pieces, or fewer, than one line or one buyer may have.",
        Code.CART_EMPTY: "There is nothing in the cart to order.",
        Code.CART_LIMIT: "More different products than a cart may hold.",
        Code.PRICE_CHANGED: "The total is higher than the buyer was shown; ask again with the new one.",
        Code.PRODUCT_WITHDRAWN: "The product is no longer on sale.",
        Code.EMAIL_TAKEN: "There is an account with this address.",
        Code.BAD_CREDENTIALS: "Address and password do not fit.",
        Code.WEAK_PASSWORD: "The password is too easy to guess; the message says why.",
        Code.ILLEGAL_TRANSITION: "The order cannot go there from where it stands.",
        Code.CONFLICT: "Somebody else has changed it meanwhile, or a key was used with other contents.",
        Code.RATE_LIMITED: "Too often; the message says how long to wait.",
    },
)


SESSION_ENDED = Text(
    "Прежняя сессия закончилась: её корзина и заказы видны после входа.",
    "The session before is over: its cart and orders are there once you sign in.",
)


@strawberry.type(description="Why something was not done, for the person who asked.")
class UserError:
    code: Code = strawberry.field(description="What a program may act on.")
    message: str = strawberry.field(description="What to show, in Russian, or in English by Accept-Language.")
    field: list[str] | None = strawberry.field(
        default=None, description='Path of the input it is about, e.g. ["lines", "0", "quantity"].'
    )


@strawberry.enum(description="What the buyer should know. More may come: show the message of an unknown one.")
class WarningCode(Enum):
    QUANTITY_REDUCED = strawberry.enum_value(
        "QUANTITY_REDUCED", description="Fewer pieces than asked for were put in the cart."
    )
    PRICE_CHANGED = strawberry.enum_value(
        "PRICE_CHANGED", description="The price is another than when the product was put in the cart."
    )
    PRODUCT_WITHDRAWN = strawberry.enum_value("PRODUCT_WITHDRAWN", description="The product is no longer on sale.")
    LOW_STOCK = strawberry.enum_value("LOW_STOCK", description="There are fewer pieces than wanted.")
    LINES_DROPPED = strawberry.enum_value(
        "LINES_DROPPED", description="When two carts became one, some lines did not fit."
    )
    SESSION_ENDED = strawberry.enum_value(
        "SESSION_ENDED", description="The session that the request named is over: whoever it was is a guest now."
    )
    REPLAYED = strawberry.enum_value(
        "REPLAYED", description="The answer is the one given to an earlier request under the same key."
    )


@strawberry.type(
    name="Warning", description="Something was done, but not quite as asked; or something that the buyer should know."
)
class MutationWarning:
    """Says that something was done, but not quite as asked."""

    code: WarningCode = strawberry.field(description="What a program may act on.")
    message: str = strawberry.field(description="What to show, in Russian, or in English by Accept-Language.")
    target: strawberry.ID | None = strawberry.field(
        default=None, description="CartLine.id or Product.id of what it is about; null when it is about the whole."
    )


@strawberry.type(description="The answer to a request for a letter, which tells nothing of what the shop knows.")
class RequestPayload:
    ok: bool = strawberry.field(description="The same for a known and an unknown address.")
    user_errors: list[UserError] = strawberry.field(
        description="What was wrong with the request itself; empty when it was understood."
    )


def replayed(text: Text, language: Language) -> MutationWarning:
    """The warning that the answer tells of what an earlier request did."""
    return MutationWarning(code=WarningCode.REPLAYED, message=text.in_language(language))


def session_warnings(context: RequestContext) -> list[MutationWarning]:
    """The warning of a write under a session that is over; the write was done for a guest, who has nothing yet."""
    if not context.session_ended:
        return []
    return [MutationWarning(code=WarningCode.SESSION_ENDED, message=SESSION_ENDED.in_language(context.language))]


def user_errors(
    error: DomainError, language: Language, *, argument: str | None = None, beside: Container[str] = ()
) -> list[UserError]:
    """The reasons in `error` as the caller of a mutation sees them.

    `argument`: the mutation's argument that carries the action's input, as in `productUpsert(input:)`; `beside`: what
    it does not carry, under the names that callers see.
    """
    return [
        UserError(code=reason.code, field=_field(reason, argument, beside), message=reason.message(language))
        for reason in error
    ]


def _field(reason: DomainError, argument: str | None, beside: Container[str]) -> list[str] | None:
    if not reason.path:
        return None
    names = [to_camel_case(name) if isinstance(name, str) else str(name) for name in reason.path]
    return [argument, *names] if argument and names[0] not in beside else names
