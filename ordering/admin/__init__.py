"""The orders, and money without an order, as staff see them."""

from ordering.admin.orders import OrderAdmin
from ordering.admin.stray_money import StrayMoneyAdmin

__all__ = ["OrderAdmin", "StrayMoneyAdmin"]
