"""Errors and warnings that a person can act on, and the one place where domain errors become them."""

from enum import Enum

import strawberry
from strawberry.utils.str_converters import to_camel_case

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Language, Text

UserErrorCode = strawberry.enum(Code, name="UserErrorCode")


@strawberry.type
class UserError:
    code: Code
    message: str
    field: list[str] | None = strawberry.field(
        default=None, description='Path of the input it is about, e.g. ["lines", "0", "quantity"].'
    )


@strawberry.enum
class WarningCode(Enum):
    QUANTITY_REDUCED = "QUANTITY_REDUCED"
    PRICE_CHANGED = "PRICE_CHANGED"
    PRODUCT_WITHDRAWN = "PRODUCT_WITHDRAWN"
    LOW_STOCK = "LOW_STOCK"
    LINES_DROPPED = "LINES_DROPPED"
    REPLAYED = strawberry.enum_value(
        "REPLAYED", description="The answer is the one given to an earlier request under the same key."
    )


@strawberry.type(name="Warning")
class MutationWarning:
    """Says that something was done, but not quite as asked."""

    code: WarningCode
    message: str
    target: strawberry.ID | None = strawberry.field(default=None, description="CartLine.id or Product.id")


@strawberry.type(description="The answer to a request for a letter, which tells nothing of what the shop knows.")
class RequestPayload:
    ok: bool = strawberry.field(description="The same for a known and an unknown address.")
    user_errors: list[UserError]


def replayed(text: Text, language: Language) -> MutationWarning:
    """The warning that the answer tells of what an earlier request did."""
    return MutationWarning(code=WarningCode.REPLAYED, message=text.in_language(language))


def user_errors(error: DomainError, language: Language, *, argument: str | None = None) -> list[UserError]:
    """The reasons in `error` as the caller of a mutation sees them.

    `argument`: the mutation's argument that carries the action's input, as in `productUpsert(input:)`.
    """
    return [
        UserError(code=reason.code, field=_field(reason, argument), message=reason.message(language))
        for reason in error
    ]


def _field(reason: DomainError, argument: str | None) -> list[str] | None:
    if not reason.path:
        return None
    names = [to_camel_case(name) if isinstance(name, str) else str(name) for name in reason.path]
    return [argument, *names] if argument else names
