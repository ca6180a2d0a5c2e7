"""The orders, and money without an order, as staff see them."""

from ordering.admin.orders import OrderAdmin, StrayMoneyAdmin

__all__ = ["OrderAdmin", "StrayMoneyAdmin"]
