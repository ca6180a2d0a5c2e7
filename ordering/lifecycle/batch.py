"""The same move for many orders at once, as whoever packs them makes it: each for itself, none holds up the others."""

from collections.abc import Sequence
from typing import NamedTuple

from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from ordering.documents import OrderDocument
from ordering.lifecycle.moves import advance_order
from ordering.models import OrderStatus


class Outcome(NamedTuple):
    """What became of one order of a batch: the order afterwards, or why it was refused."""

    order_id: str
    order: OrderDocument | None
    refusal: DomainError | None


def advance_orders(order_ids: Sequence[str], to: OrderStatus, *, actor: Actor, note: str = "") -> list[Outcome]:
    """Move each of the orders, in the order given, each once; the audit shows them as one step of the actor's."""
    return [_outcome(order_id, to, actor, note) for order_id in dict.fromkeys(order_ids)]


def _outcome(order_id: str, to: OrderStatus, actor: Actor, note: str) -> Outcome:
    try:
        return Outcome(order_id, advance_order(order_id, to, actor=actor, note=note), None)
    except DomainError as refusal:
        return Outcome(order_id, None, refusal)
