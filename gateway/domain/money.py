"""The shop's one currency. Amounts are Decimal in code and Decimal128 in documents."""

CURRENCY = "RUB"
