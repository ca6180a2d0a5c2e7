"""A guest turns out to be a customer: what the guest has becomes the customer's."""

from typing import NamedTuple

from cart.merge import MergeMode, merge_guest_cart
from ordering.lifecycle.claim import claim_orders


class HandedOver(NamedTuple):
    lines_dropped: tuple[str, ...] = ()
    """Names of the products that did not fit into the customer's cart."""


def hand_over(guest: str, customer: str, mode: MergeMode) -> HandedOver:
    """Both are owners. Once done, doing it again moves only what the guest got meanwhile."""
    # The cart first: a checkout of it that is still under way can then no longer make an order of the guest's.
    merged = merge_guest_cart(guest, customer, mode)
    claim_orders(guest, customer)
    return HandedOver(lines_dropped=merged.lines_dropped)


def hand_over_the_rest(guest: str, customer: str, mode: MergeMode) -> HandedOver:
    """What a request that was under way gave the guest after `hand_over`: it must not replace what went before it."""
    return hand_over(guest, customer, MergeMode.MERGE if mode is MergeMode.KEEP_GUEST else mode)
