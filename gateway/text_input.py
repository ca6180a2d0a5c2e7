"""What people type: how long it may be, whether it can be read, whether it is an e-mail address."""

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from gateway.domain_errors import Code, DomainError
from gateway.texts import Text

# Control characters, and halves of a surrogate pair, which JSON can spell and UTF-8 cannot.
UNREADABLE = {"Cc", "Cs"}
# Format characters: zero-width spaces and joiners, marks of direction, soft hyphens.
INVISIBLE = "Cf"


class Missing(DomainError):
    code = Code.REQUIRED
    text = Text("Обязательное поле.", "This is required.")


class TooLong(DomainError):
    code = Code.INVALID
    text = Text("Не длиннее {limit} знаков.", "At most {limit} characters.")


class UnreadableText(DomainError):
    code = Code.INVALID
    text = Text("Текст содержит управляющие символы.", "The text holds control characters.")


class BadEmail(DomainError):
    code = Code.INVALID
    text = Text("Нужен адрес e-mail, например ivan@example.com.", "Give an e-mail address, e.g. ivan@example.com.")


def text_errors(
    text: str, limit: int, *path: str | int, required: bool = True, lines: bool = False
) -> list[DomainError]:
    """`lines`: it may have several."""
    if not text:
        return [Missing(*path)] if required else []
    if len(text) > limit:
        return [TooLong(*path, limit=limit)]
    if any(unicodedata.category(sign) in UNREADABLE and not (lines and sign in "\n\r\t") for sign in text):
        return [UnreadableText(*path)]
    return []


def normal_key(text: str) -> str:
    """The one form of a key or reference: what people cannot tell apart is the same. Case is kept.

    Compatibility forms become ordinary ones, invisible signs go, and any run of white space becomes one space.
    """
    ordinary = unicodedata.normalize("NFKC", text)
    return " ".join("".join(sign for sign in ordinary if unicodedata.category(sign) != INVISIBLE).split())


def is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
