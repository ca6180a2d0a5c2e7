"""Checks of what people type: its length, whether it can be read, whether it is an e-mail address."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text

# Control characters, and halves of a surrogate pair, which JSON can spell and UTF-8 cannot.
UNREADABLE = {"Cc", "Cs"}
# Format characters: zero-width spaces and joiners, marks of direction, soft hyphens.
INVISIBLE = "Cf"

# Endings by which mail programs know a bare name as that of a site: every country has two letters, and the others are
# those that they, or their users, know. Not words of addresses, such as «москва»: «гор.Москва» is a city.
_ENDINGS = "|".join(
    (
        "app|art|asia|bid|biz|cam|click|cloud|club|com|digital|fun|group|icu|info|life|link|live|loan|ltd|mobi|moscow",
        "net|news|one|online|org|page|pro|pub|rest|sale|shop|site|space|store|stream|tech|tel|tips|today|top|trade",
        "travel|vip|web|website|wiki|win|work|world|xxx|xyz|zone",
        "рф|рус|бел|укр|қаз|мкд|срб|орг|ком|онлайн|сайт|дети",
    )
)
_LINK = re.compile(
    rf"""
      [a-z][a-z0-9+.-]*://                              # any scheme
    | \b(?:mailto|tel|sms|javascript|data):\S
    | \bwww\d*\.\S
    | [^\s@]@[^\s@]                                      # an address of mail
    | (?<![^\W_])[^\W_](?:[\w-]*[^\W_])\.(?:[\w-]+\.)*(?:[a-z]{{2}}|{_ENDINGS})(?![\w-])
    | (?<![^\W_])[^\W_]\.(?:[a-z]{{2}}|{_ENDINGS})/\S  # t.me/…: of one letter only with what follows
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What browsers take for a dot besides what compatibility forms make one.
_DOTS = str.maketrans("。۔", "..")


class Missing(DomainError):
    code = Code.REQUIRED
    text = Text("Обязательное поле.", "This is required.")


class TooLong(DomainError):
    code = Code.INVALID
    text = Text("Не длиннее {limit} знаков.", "At most {limit} characters.")


class UnreadableText(DomainError):
    code = Code.INVALID
    text = Text("Текст содержит управляющие символы.", "The text holds control characters.")


class HoldsLink(DomainError):
    code = Code.INVALID
    text = Text(
        "Без ссылок и адресов сайтов и почты. Если это сокращение, поставьте пробел после точки.",
        "No links and no addresses of sites or mail. If it is an abbreviation, put a space behind the dot.",
    )


class BadEmail(DomainError):
    code = Code.INVALID
    text = Text("Нужен адрес e-mail, например ivan@example.com.", "Give an e-mail address, e.g. ivan@example.com.")


def text_errors(
    text: str, limit: int, *path: str | int, required: bool = True, lines: bool = False
) -> list[DomainError]:
    """What is wrong with the text, at most one error; `lines`: it may have several lines."""
    if not text:
        return [Missing(*path)] if required else []
    if len(text) > limit:
        return [TooLong(*path, limit=limit)]
    if any(unicodedata.category(sign) in UNREADABLE and not (lines and sign in "\n\r\t") for sign in text):
        return [UnreadableText(*path)]
    return []


def email_errors(text: str, limit: int, *path: str | int) -> list[DomainError]:
    """What is wrong with an address of mail, at most one error."""
    return text_errors(text, limit, *path) or ([] if is_email(text) else [BadEmail(*path)])


def holds_link(text: str) -> bool:
    """Whether a mail program would make a link of a part of the text: our letters must not carry strangers' links."""
    return _LINK.search(_visible(text).translate(_DOTS)) is not None


def normal_key(text: str) -> str:
    """The normal form of a key or reference, equal for keys that people cannot tell apart. Case is kept.

    Compatibility forms become ordinary ones, invisible signs go, and any run of white space becomes one space.
    """
    return " ".join(_visible(text).split())


def _visible(text: str) -> str:
    """The text in ordinary forms, without invisible signs."""
    ordinary = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in ordinary if unicodedata.category(sign) != INVISIBLE)


def is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
