"""Letters to customers about their accounts, in their language. None carries a text that a stranger chose."""

from enum import Enum
from typing import NamedTuple
from urllib.parse import urlencode

from django.conf import settings

from gateway.accounts.documents import AccountLetterDocument
from gateway.accounts.links import Purpose, make_token
from gateway.accounts.masking import masked_email
from gateway.accounts.models import User
from gateway.domain.texts import Text


class Kind(Enum):
    PASSWORD = "password"  # noqa: S105 - a kind of letter
    CONFIRMATION = "confirmation"
    NEW_EMAIL = "new_email"


class Letter(NamedTuple):
    subject: str
    body: str


class _Words(NamedTuple):
    subject: Text
    body: Text


_WORDS = {
    Kind.PASSWORD: _Words(
        Text("Новый пароль в «Мобильном мире»", "A new password at Mobile World"),
        Text(
            "Здравствуйте!\n\nКто-то, возможно вы, попросил новый пароль. Откройте ссылку, чтобы его задать:\n\n{link}"
            "\n\nСсылка действует один час и один раз. Если это были не вы, ничего не делайте: пароль остался прежним."
            "\n",
            "Hello,\n\nSomebody, maybe you, asked for a new password. Open the link to choose it:\n\n{link}\n\nIt works"
            " for an hour and once. If it was not you, do nothing: the password stays.\n",
        ),
    ),
    Kind.CONFIRMATION: _Words(
        Text("Подтвердите e-mail в «Мобильном мире»", "Confirm your e-mail at Mobile World"),
        Text(
            "Здравствуйте!\n\nКто-то, возможно вы, назвал этот адрес своим в «Мобильном мире». Если это вы, откройте"
            " ссылку:\n\n{link}\n\nОна действует семь дней и один раз. Если это были не вы, не открывайте её: тот, кто"
            " назвал адрес, увидел бы ваши заказы.\n",
            "Hello,\n\nSomebody, maybe you, gave this address as their own at Mobile World. If it was you, open the"
            " link:\n\n{link}\n\nIt works for seven days and once. If it was not you, do not open it: whoever gave the"
            " address would see your orders.\n",
        ),
    ),
    Kind.NEW_EMAIL: _Words(
        Text("Смена e-mail в «Мобильном мире»", "Change of your e-mail at Mobile World"),
        Text(
            "Здравствуйте!\n\nКто-то, возможно вы, попросил сменить e-mail вашей учётной записи на {about}. Это"
            " произойдёт, когда новый адрес подтвердят. Если это были не вы, смените пароль: просьба потеряет силу.\n",
            "Hello,\n\nSomebody, maybe you, asked to change the e-mail of your account to {about}. It takes effect once"
            " the new address is confirmed. If it was not you, change your password: the request is void then.\n",
        ),
    ),
}


def letter(document: AccountLetterDocument) -> Letter | None:
    """The letter with a link that is good from now on; None: there is nothing to be told, or nobody to tell."""
    kind = Kind(document["kind"])
    user = _addressee(kind, document)
    if user is None:
        return None
    link = _link(kind, user)
    if kind is not Kind.NEW_EMAIL and not link:
        return None
    words, language = _WORDS[kind], document["language"]
    return Letter(
        words.subject.in_language(language),
        words.body.in_language(language, link=link, about=masked_email(document["about"])),
    )


def _addressee(kind: Kind, document: AccountLetterDocument) -> User | None:
    """The account, as far as the letter still makes sense."""
    customers = User.objects.filter(is_staff=False, is_active=True)
    if kind is Kind.PASSWORD:
        return customers.filter(email=document["to"]).first()
    user = customers.filter(pk=document["user_id"]).first()
    if user is None or kind is Kind.NEW_EMAIL:
        return user
    to_confirm = user.new_email or ("" if user.email_confirmed_at else user.email)
    return user if document["to"] == to_confirm else None


def _link(kind: Kind, user: User) -> str:
    """The address in the storefront; empty when no storefront is configured, or the letter holds no link."""
    if not settings.STOREFRONT_URL:
        return ""
    match kind:
        case Kind.PASSWORD:
            path, purpose = "password", Purpose.CUSTOMER_PASSWORD
        case Kind.CONFIRMATION:
            path, purpose = "email", Purpose.CUSTOMER_EMAIL
        case Kind.NEW_EMAIL:
            return ""
    return f"{settings.STOREFRONT_URL}/{path}?{urlencode({'token': make_token(purpose, user)})}"
