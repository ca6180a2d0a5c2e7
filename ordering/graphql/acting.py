"""An action on an order, run and answered: who acts, on which order, and what is told of a refusal."""

from collections.abc import Callable, Mapping

from gateway.audit.trail import Actor
from gateway.domain.errors import Code, DomainError
from gateway.graphql.context import RequestContext
from gateway.graphql.user_errors import UserError, user_errors
from gateway.graphql.writes import run_write
from gateway.staff.permissions import actor_with
from ordering.cassandra.orders import archived_order
from ordering.documents import OrderDocument
from ordering.errors import UnknownOrder
from ordering.graphql.access import order_key
from ordering.graphql.payloads import OrderPayload
from ordering.graphql.types import Order
from ordering.reading.orders import OrderKey, find_order

# The order is not as the caller believed: the answer shows how it is.
AS_IT_STANDS = {Code.ILLEGAL_TRANSITION, Code.CONFLICT}

Action = Callable[[OrderKey, Actor], OrderDocument]


async def act_as_staff(
    context: RequestContext,
    order: str,
    permission: str,
    action: Action,
    *,
    renamed: Mapping[str, str] | None = None,
    carried: Mapping[str, str] | None = None,
) -> OrderPayload:
    """Run the action for a member of staff with the permission, and make the payload of what becomes of it."""
    key = order_key(order)
    user = await context.user()

    def act() -> OrderDocument:
        actor = actor_with(user, permission)
        if key is None:
            raise UnknownOrder("order")
        return action(key, actor)

    return await answer_of(context, key, act, renamed=renamed, carried=carried)


async def answer_of(
    context: RequestContext,
    key: OrderKey | None,
    action: Callable[[], OrderDocument],
    *,
    renamed: Mapping[str, str] | None = None,
    carried: Mapping[str, str] | None = None,
) -> OrderPayload:
    """Run the action and make the payload of what it returns or refuses.

    `renamed`: arguments of the action under other names than the mutation's; `carried`: those that another argument
    of the mutation carries, with its name.
    """
    try:
        document: OrderDocument | None = await run_write(action)
        errors: list[UserError] = []
    except DomainError as error:
        document = None
        errors = user_errors(error, context.language)
        for each in errors:
            each.field = _field(each.field, renamed or {}, carried or {})
        if key and any(reason.code in AS_IT_STANDS for reason in error):
            document = await run_write(standing_order, key)
    return OrderPayload(order=Order(document=document) if document else None, user_errors=errors)


def standing_order(key: OrderKey) -> OrderDocument | None:
    """The order, living or archived."""
    return find_order(key.id, owner=key.owner) or archived_order(key.id)


def _field(path: list[str] | None, renamed: Mapping[str, str], carried: Mapping[str, str]) -> list[str] | None:
    if not path:
        return None
    names = [renamed.get(name, name) for name in path]
    return [carried[names[0]], *names] if names[0] in carried else names
