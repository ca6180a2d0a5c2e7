"""The shop's one currency. Amounts are Decimal in code and Decimal128 in documents."""

from decimal import Decimal

from gateway.domain.texts import DEFAULT_LANGUAGE, Language

CURRENCY = "RUB"


def money_text(amount: Decimal, language: Language = DEFAULT_LANGUAGE) -> str:
    """The amount as the language writes it: 57970 → 57 970,00 ₽ or 57,970.00 RUB."""
    text = f"{amount:,.2f}"
    return f"{text} {CURRENCY}" if language == "en" else f"{text.replace(',', ' ').replace('.', ',')} ₽"
