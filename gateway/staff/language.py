"""The language in which staff are spoken to."""

from typing import Any

from django.utils.functional import lazy
from django.utils.safestring import SafeData
from django.utils.translation import get_language, gettext_lazy

from gateway.domain.texts import Language, Text


def staff_language() -> Language:
    """The language of the page: English for those who chose it, Russian for all others."""
    return "en" if (get_language() or "").startswith("en") else "ru"


def said(text: Text, **values: object) -> str:
    """The text in the language of the page."""
    return text.in_language(staff_language(), **values)


def lazily(text: Text) -> Any:
    """The text in the language of whatever page shows it: for titles of columns and filters."""
    return lazy(lambda: said(text), str)()


def lazy_label(label: Any) -> Any:
    """A label written in Russian, in the language of the page that shows it: `admin_ext/locale/en` has its English.

    What is no text, is empty, is lazy already or is markup stays as it is.
    """
    is_text = isinstance(label, str) and label and not isinstance(label, SafeData)
    return gettext_lazy(label) if is_text else label
