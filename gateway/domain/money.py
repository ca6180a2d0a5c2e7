"""Money is Decimal in code and Decimal128 in documents, in one currency."""

CURRENCY = "RUB"
