"""Letters to staff."""

from typing import NamedTuple

import structlog
from django.core.mail import EmailMessage

from gateway.domain.texts import Text
from gateway.staff.language import staff_language

log = structlog.get_logger(__name__)


class Letter(NamedTuple):
    subject: Text
    body: Text


INVITATION = Letter(
    Text("Приглашение в «Мобильный мир»", "You are invited to Mobile World"),
    Text(
        "Здравствуйте!\n\nВас пригласили работать в «Мобильном мире». Откройте ссылку и задайте имя и пароль:\n\n{link}"
        "\n\nСсылка действует семь дней и один раз. Если вы не ждали этого письма, ничего не делайте.\n",
        "Hello,\n\nYou are invited to work at Mobile World. Open the link, give your name and choose a password:\n\n"
        "{link}\n\nIt works for seven days and once. If you did not expect this letter, do nothing.\n",
    ),
)
RESET = Letter(
    Text("Новый пароль для «Мобильного мира»", "A new password for Mobile World"),
    Text(
        "Здравствуйте!\n\nКто-то, возможно вы, попросил новый пароль. Откройте ссылку, чтобы его задать:\n\n{link}\n\n"
        "Ссылка действует один час и один раз. Если это были не вы, ничего не делайте: пароль остался прежним.\n",
        "Hello,\n\nSomebody, maybe you, asked for a new password. Open the link to choose it:\n\n{link}\n\nIt works for"
        " an hour and once. If it was not you, do nothing: the password stays.\n",
    ),
)


def send_invitation_letter(email: str, link: str) -> bool:
    """Send the letter; False: the mail server did not take it."""
    return _send(INVITATION, email, link)


def send_reset_letter(email: str, link: str) -> bool:
    return _send(RESET, email, link)


def _send(letter: Letter, email: str, link: str) -> bool:
    language = staff_language()
    message = EmailMessage(
        letter.subject.in_language(language), letter.body.in_language(language, link=link), to=[email]
    )
    try:
        message.send()
    except OSError as error:
        log.warning("staff_letter_not_sent", error=type(error).__name__)
        return False
    return True
