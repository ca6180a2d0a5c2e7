"""How much a member of staff may refund of one order without asking a senior colleague."""

from decimal import Decimal

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, PermissionsMixin

from gateway.audit.trail import Actor
from gateway.domain.money import Amount
from ordering.errors import AboveLimit
from ordering.ledger.ledger import Entry, Kind, Ledger, State

ABOVE_LIMIT = "ordering.refund_above_limit"


def refund_limit(user: AbstractBaseUser | AnonymousUser) -> Decimal | None:
    """What the person may refund of one order; None: anything. Reads the database."""
    if isinstance(user, PermissionsMixin) and user.has_perm(ABOVE_LIMIT):
        return None
    return Decimal(settings.REFUND_LIMIT)


def check_limit(ledger: Ledger, refund: Entry, actor: Actor, limit: Decimal | None) -> None:
    """Raise AboveLimit when this refund, with what the same person has refunded of the order before, is above it.

    Together: a refund in two parts is the same refund.
    """
    before = sum((entry.amount for entry in ledger if _is_refund_of(entry, actor)), Decimal(0))
    if limit is not None and before + refund.amount > limit:
        raise AboveLimit("amount", amount=Amount(before + refund.amount), limit=Amount(limit))


def _is_refund_of(entry: Entry, actor: Actor) -> bool:
    return entry.kind is Kind.REFUND and entry.state is not State.FAILED and entry.actor == actor.name
