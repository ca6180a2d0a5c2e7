"""A customer who has forgotten the password chooses a new one, by a link in a letter."""

from datetime import UTC, datetime

from django.contrib.auth.hashers import make_password

from gateway.accounts.links import Purpose, user_of_token
from gateway.accounts.models import LENGTHS, User, normalize_email
from gateway.accounts.own.confirmation import claim_orders_later
from gateway.accounts.own.delivery import mail_soon, owe_letter
from gateway.accounts.own.letters import Kind
from gateway.accounts.sign_in import attempts
from gateway.accounts.sign_in.passwords import password_errors
from gateway.accounts.sign_out import end_sessions
from gateway.domain.errors import Refused
from gateway.domain.input import email_errors
from gateway.domain.texts import Language
from gateway.mongo.transactions import in_transaction


def request_password(email: str, *, client: str, language: Language) -> None:
    """Have a letter with a link sent, should the address be a customer's: only the worker that sends it looks.

    So neither the answer nor its time tells a stranger anything. Raises Refused for what is no address, and
    TooManyLetters.
    """
    wanted = normalize_email(email)
    if errors := email_errors(wanted, LENGTHS["email"], "email"):
        raise Refused(errors)
    attempts.begin_letter(wanted, client)
    mail_soon(owe_letter(Kind.PASSWORD, wanted, language=language))


def reset_password(token: str, password: str) -> User:
    """Give the account a new password, and end every session. Raises DeadLink or Refused; of two at once, one sets it.

    Whoever has the letter has the mailbox: the address is confirmed by the way. Hashes: call it in the hashing pool.
    """
    asking = user_of_token(Purpose.CUSTOMER_PASSWORD, token)
    if errors := password_errors(password, asking):
        raise Refused(errors)
    hashed = make_password(password)
    user = in_transaction(lambda: _reset(token, hashed))
    end_sessions(user)
    return user


def _reset(token: str, hashed: str) -> User:
    user = user_of_token(Purpose.CUSTOMER_PASSWORD, token)
    user.password, user.new_email = hashed, ""
    user.session_generation += 1
    if user.email_confirmed_at is None:
        user.email_confirmed_at = datetime.now(UTC)
        claim_orders_later(user)
    user.save(update_fields=["password", "new_email", "session_generation", "email_confirmed_at"])
    return user
