"""A member of staff chooses a password by a link: the first one, or a new one."""

import threading
from collections.abc import Callable

from gateway.accounts.errors import DeadLink
from gateway.accounts.links import Purpose, make_token, user_of_token
from gateway.accounts.models import LENGTHS, User, normalize_email
from gateway.accounts.sign_in import attempts
from gateway.accounts.sign_in.passwords import is_readable, password_errors
from gateway.accounts.sign_out import end_sessions
from gateway.accounts.team.letters import send_reset_letter
from gateway.audit.trail import Action, Actor, Source, record
from gateway.domain.errors import Refused
from gateway.domain.input import text_errors
from gateway.mongo.transactions import in_transaction


def ask_for_reset(email: str, client: str, device: str | None, link: Callable[[str], str]) -> None:
    """Send a letter with a link, if there is such a member of staff; nobody can tell from the answer or its time.

    Counted like a failure to sign in. Raises TooManyFailures.
    """
    attempts.begin(email, client, device)
    wanted = normalize_email(email) if is_readable(email) else ""
    user = User.objects.filter(email=wanted, is_staff=True, is_active=True, invited_at=None).first()
    letter = (user.email, link(make_token(Purpose.STAFF_PASSWORD, user))) if user else None
    # Not in the answer's own time, which would tell. One that is lost is asked for again.
    threading.Thread(target=_send, args=(letter,), daemon=True).start()


def accept_invitation(token: str, *, name: str, password: str) -> User:
    """Give the invited member a name and a password. Raises DeadLink or Refused; of two at once, one comes through."""
    invited = user_of_token(Purpose.INVITATION, token)
    _check(password, invited, name)

    def accept() -> User:
        user = user_of_token(Purpose.INVITATION, token)
        user.name, user.password, user.invited_at = name.strip(), hashed, None
        user.session_generation += 1
        user.save()
        return user

    invited.set_password(password)
    hashed = invited.password
    return in_transaction(accept)


def reset_password(token: str, *, password: str) -> User:
    """Give the member a new password and end every session. Raises DeadLink or Refused."""
    asking = user_of_token(Purpose.STAFF_PASSWORD, token)
    _check(password, asking, asking.name or asking.email)

    def reset() -> User:
        user = user_of_token(Purpose.STAFF_PASSWORD, token)
        user.password = hashed
        user.session_generation += 1
        user.save(update_fields=["password", "session_generation"])
        actor = Actor.account(user, Source.ADMIN)
        record(Action.STAFF_PASSWORD_RESET, f"staff:{user.pk}", actor=actor, changes={})
        return user

    asking.set_password(password)
    hashed = asking.password
    user = in_transaction(reset)
    end_sessions(user)
    return user


def is_alive(purpose: Purpose, token: str) -> bool:
    try:
        user_of_token(purpose, token)
    except DeadLink:
        return False
    return True


def _check(password: str, user: User, name: str) -> None:
    user.name = name.strip()
    if errors := [*text_errors(user.name, LENGTHS["name"], "name"), *password_errors(password, user)]:
        raise Refused(errors)


def _send(letter: tuple[str, str] | None) -> None:
    if letter:
        send_reset_letter(*letter)
