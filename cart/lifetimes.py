"""How long a cart lives: until it counts as abandoned, and how long one stays that is no longer active.

The rule stands here twice, in Python for a cart that is made and as a pipeline expression for one that is changed.
"""

from datetime import datetime, timedelta

from django.conf import settings

from gateway.accounts.owners import is_guest
from gateway.mongo.client import Expression


def expires_at(owner: str, now: datetime, *, empty: bool) -> datetime:
    """When an active cart that was touched `now` counts as abandoned."""
    return now + (_empty() if empty else _guest() if is_guest(owner) else _customer())


def expires_at_expression() -> Expression:
    """`expires_at` for a pipeline update, from the cart's own `items` and `user_id` as the stages before left them."""
    empty = {"$eq": [{"$size": {"$ifNull": ["$items", []]}}, 0]}
    guest = {"$eq": [{"$ifNull": ["$user_id", None]}, None]}
    filled = {"$cond": [guest, _milliseconds(_guest()), _milliseconds(_customer())]}
    return {"$add": ["$$NOW", {"$cond": [empty, _milliseconds(_empty()), filled]}]}


def kept_until_expression() -> Expression:
    """`expires_at` for a pipeline update that ends a cart: until when an ordered or abandoned one is kept."""
    return {"$add": ["$$NOW", _milliseconds(timedelta(days=settings.CART_KEPT_DAYS))]}


def _empty() -> timedelta:
    return timedelta(hours=settings.CART_EMPTY_HOURS)


def _guest() -> timedelta:
    return timedelta(days=settings.CART_GUEST_DAYS)


def _customer() -> timedelta:
    return timedelta(days=settings.CART_CUSTOMER_DAYS)


def _milliseconds(time: timedelta) -> int:
    return time // timedelta(milliseconds=1)
