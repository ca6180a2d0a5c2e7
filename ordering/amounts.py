"""Sums over an order's payments and refunds."""

from decimal import Decimal

from gateway.mongo.client import Document

MAX_AMOUNT = Decimal(10) ** 12


def is_amount(amount: Decimal) -> bool:
    """Money: not below zero, whole kopecks."""
    return bool(amount.is_finite() and 0 <= amount < MAX_AMOUNT and amount == amount.quantize(Decimal("0.01")))


def paid(order: Document) -> Decimal:
    """What the order has taken; what is to go back is not part of it."""
    return sum(
        (payment["amount"].to_decimal() - payment["to_refund"].to_decimal() for payment in order["payments"]),
        Decimal(0),
    )


def refunded(order: Document) -> Decimal:
    return sum((refund["amount"].to_decimal() for refund in order["refunds"]), Decimal(0))
