"""Whether a session may use the rights of its account."""

from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase

PASSED = "second_factor"


def has_passed(session: SessionBase, user: Any) -> bool:
    """Whether nobody asks this account for a code, or this session has given one since the telephone was enrolled."""
    if not user.is_staff or settings.STAFF_SECOND_FACTOR == "off":
        return True
    if user.second_factor_at is None:
        return bool(settings.STAFF_SECOND_FACTOR != "required")
    return bool(session.get(PASSED) == _enrolment(user))


def note_passed(session: SessionBase, user: Any) -> None:
    """Let the session use the account's rights, until the telephone is enrolled anew."""
    session[PASSED] = _enrolment(user)


def _enrolment(user: Any) -> str:
    return f"{user.second_factor_at:%Y-%m-%dT%H:%M:%S.%f}"
