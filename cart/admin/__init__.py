"""What staff see of the carts."""

from cart.admin.abandoned_carts import AbandonedCartDayAdmin

__all__ = ["AbandonedCartDayAdmin"]
