"""A shop with stock and orders in both stores, as the tests of ordering have them."""

from ordering.tests.conftest import like, orders, patient, postbox

__all__ = ["like", "orders", "patient", "postbox"]
