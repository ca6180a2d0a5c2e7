"""Making sure that whoever changes an account is its owner, and not only somebody at the owner's computer."""

from gateway.accounts.errors import StaffAccount, WrongPassword
from gateway.accounts.models import User
from gateway.accounts.sign_in import attempts
from gateway.accounts.sign_in.passwords import is_password
from gateway.domain.input import Missing


def require_customer(user: User) -> None:
    """Raise StaffAccount for a member of staff: those accounts are changed on record, by colleagues."""
    if user.is_staff:
        raise StaffAccount


def require_password(user: User, password: str, *, client: str, device: str | None) -> None:
    """Raise Missing, TooManyFailures or WrongPassword unless it is the account's password.

    A wrong one counts like a failure to sign in. Hashes: call it in the hashing pool.
    """
    if not password:
        raise Missing("password")
    attempt = attempts.begin(user.email, client, device)
    if not is_password(password) or not user.check_password(password):
        raise WrongPassword("password")
    attempt.take_back()
