"""Registration: making a new account."""

from django.db import IntegrityError

from gateway.accounts.errors import EmailTaken
from gateway.accounts.models import LENGTHS, User, normalize_email
from gateway.accounts.own.delivery import mail_soon, owe_letter
from gateway.accounts.own.letters import Kind
from gateway.accounts.sign_in.passwords import password_errors
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import BadEmail, is_email, text_errors
from gateway.domain.texts import DEFAULT_LANGUAGE, Language
from gateway.mongo.transactions import in_transaction


def register(
    email: str, password: str, *, name: str = "", phone: str = "", language: Language = DEFAULT_LANGUAGE
) -> User:
    """Make the account, or raise Refused with all that is wrong with the input; a letter asks to confirm the address.

    Raises EmailTaken for an address that has an account, also when two register it at the same moment.
    """
    user = User(email=normalize_email(email), name=name.strip(), phone=phone.strip())
    errors = [*_text_errors(user), *password_errors(password, user)]
    if errors:
        raise Refused(errors)
    user.set_password(password)

    def make() -> str:
        user.save(force_insert=True)
        return owe_letter(Kind.CONFIRMATION, user.email, language=language, user_id=str(user.pk))

    try:
        letter_id = in_transaction(make)
    except IntegrityError as error:
        raise EmailTaken("email") from error
    mail_soon(letter_id)
    return user


def _text_errors(user: User) -> list[DomainError]:
    errors: list[DomainError] = []
    for name, limit in LENGTHS.items():
        text = getattr(user, name)
        found = text_errors(text, limit, name, required=False)
        if name == "email" and not found and not is_email(text):
            found = [BadEmail(name)]
        errors += found
    return errors
