"""The owner of carts and orders: the shard key they share, so that what a buyer does stays on one shard."""

import hashlib
from base64 import urlsafe_b64encode

_GUEST = "s:"
_CUSTOMER = "u:"


def session_hash(session_key: str) -> str:
    """What is stored of a session's secret key: whoever reads the database cannot sign in with it."""
    return urlsafe_b64encode(hashlib.sha256(session_key.encode()).digest()).rstrip(b"=").decode()


def guest_owner(hashed_session: str) -> str:
    return f"{_GUEST}{hashed_session}"


def customer_owner(user_id: object) -> str:
    return f"{_CUSTOMER}{user_id}"


def is_guest(owner: str) -> bool:
    return owner.startswith(_GUEST)


def user_id_of(owner: str) -> str | None:
    """The id of the owner's account; None for a guest."""
    return None if is_guest(owner) else owner.removeprefix(_CUSTOMER)


def session_id_of(owner: str) -> str | None:
    """The hash of a guest's session id; None for a customer."""
    return owner.removeprefix(_GUEST) if is_guest(owner) else None
