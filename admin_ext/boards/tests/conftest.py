"""A shop with orders, sold quarters and daily figures of carts."""

from ordering.tests.conftest import cassandra_away, orders, patient

__all__ = ["cassandra_away", "orders", "patient"]
