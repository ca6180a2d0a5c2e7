"""A customer deletes the own account: anonymised as support would do it, and finished by the same sweep."""

from gateway.accounts.own.identity import require_customer, require_password
from gateway.accounts.own.profile import Owner
from gateway.audit.trail import Actor, Source
from gateway.viewer.anonymisation import anonymise_customer


def require_owner(owner: Owner, password: str) -> None:
    """Raise StaffAccount, or what `require_password` raises. Hashes: call it in the hashing pool."""
    require_customer(owner.user)
    require_password(owner.user, password, client=owner.client, device=owner.device)


def delete_account(owner: Owner) -> None:
    """Anonymise the account: it is closed at once, in every store; what is left of its contacts the sweep removes.

    Raises OpenOrders while there are orders about which the customer must be reached. Orders of guests under the
    address are meant only if it is confirmed: otherwise whoever registers with somebody else's would wipe out theirs.
    """
    user_id = str(owner.user.pk)
    # Not by the address, which would stay in the trail.
    actor = Actor(user_id, f"customer:{user_id}", Source.API)
    anonymise_customer(user_id, typed=user_id, guests=owner.user.email_confirmed_at is not None, actor=actor)
