"""Texts that people read in our answers, in Russian and English. Codes, for programs, are the same in both."""

from typing import Literal, NamedTuple, Protocol, runtime_checkable

Language = Literal["ru", "en"]
DEFAULT_LANGUAGE: Language = "ru"


@runtime_checkable
class Said(Protocol):
    """A value of a message that each language writes in its own way: another text, an amount."""

    def in_language(self, language: Language) -> str: ...


class Text(NamedTuple):
    """One message in every language; may hold `{named}` values, of which some are said in each language themselves."""

    ru: str
    en: str

    def in_language(self, language: Language, **values: object) -> str:
        said = {
            name: value.in_language(language) if isinstance(value, Said) else value for name, value in values.items()
        }
        return (self.en if language == "en" else self.ru).format_map(said)


def accepted_language(accept_language: str | None) -> Language:
    """The one of our languages that an Accept-Language header prefers; Russian when it names neither."""
    best: tuple[float, Language] = (0.0, DEFAULT_LANGUAGE)
    for part in (accept_language or "").split(","):
        tag, _, parameters = part.strip().lower().partition(";")
        primary = tag.strip().partition("-")[0]
        weight = _weight(parameters)
        if primary in ("ru", "en") and weight > best[0]:
            best = (weight, "en" if primary == "en" else "ru")
    return best[1]


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return min(1.0, max(0.0, float(value)))
    except ValueError:
        return 0.0
