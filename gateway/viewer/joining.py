"""Orders of guests join an account: those of the same session at once, others once their address is confirmed."""

from datetime import datetime

from gateway.accounts.documents import OrderClaimDocument
from gateway.accounts.models import User
from gateway.accounts.own.confirmation import claim_of, due_claims, forget_claim
from gateway.accounts.owners import customer_owner
from ordering.lifecycle.claim import claim_orders_of_address

# Each is a second's work at most, unless it has hundreds of orders; the next run takes the rest.
SWEPT = 50


def join_orders(user: User) -> None:
    """Give the account the orders that guests made under its address. Nothing for an address that is not confirmed."""
    claim = claim_of(user)
    if claim is not None:
        _join(claim)
    elif user.email_confirmed_at is not None:
        claim_orders_of_address(user.email, customer_owner(user.pk))


def sweep_claims(now: datetime | None = None) -> int:
    """Finish what was left by whoever confirmed an address and died; returns how many accounts had something due."""
    claims = due_claims(limit=SWEPT, now=now)
    for claim in claims:
        _join(claim)
    return len(claims)


def _join(claim: OrderClaimDocument) -> None:
    claim_orders_of_address(claim["email"], customer_owner(claim["_id"]))
    forget_claim(claim)
