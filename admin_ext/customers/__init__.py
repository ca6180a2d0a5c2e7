"""The customer as staff see them: account, orders, carts, devices and notes on one page."""
