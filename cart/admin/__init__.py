"""What staff see of the carts. Django registers the pages when it imports this package."""

from cart.admin import abandoned_carts

__all__ = ["abandoned_carts"]
