"""Handing over: when a guest turns out to be a customer, what the guest has becomes the customer's."""

from typing import NamedTuple

from cart.merge import MergeMode, merge_guest_cart
from ordering.lifecycle.claim import claim_orders


class HandedOver(NamedTuple):
    """What was lost on the way."""

    lines_dropped: tuple[str, ...] = ()
    """Names of the products that did not fit into the customer's cart."""


def hand_over(guest: str, customer: str, mode: MergeMode) -> HandedOver:
    """Give the guest's cart and orders to the customer; both are owners.

    Repeated, it moves what the guest got meanwhile.
    """
    # The cart first: a checkout of it that is still under way can then no longer make an order of the guest's.
    merged = merge_guest_cart(guest, customer, mode)
    claim_orders(guest, customer)
    return HandedOver(lines_dropped=merged.lines_dropped)


def hand_over_the_rest(guest: str, customer: str, mode: MergeMode) -> HandedOver:
    """Give the customer what late requests gave the guest after `hand_over`; it must not replace what went before."""
    return hand_over(guest, customer, MergeMode.MERGE if mode is MergeMode.KEEP_GUEST else mode)
