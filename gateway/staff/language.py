"""The language in which staff are spoken to."""

from django.utils.translation import get_language

from gateway.domain.texts import Language, Text


def staff_language() -> Language:
    """The language of the page: English for those who chose it, Russian for all others."""
    return "en" if (get_language() or "").startswith("en") else "ru"


def said(text: Text, **values: object) -> str:
    """The text in the language of the page."""
    return text.in_language(staff_language(), **values)
