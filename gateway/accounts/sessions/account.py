"""The account that is signed in under a session."""

from typing import cast

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, load_backend
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.utils.crypto import constant_time_compare

from gateway.accounts.models import User
from gateway.accounts.second_factor.passed import has_passed


def user_of(session: SessionBase) -> User | AnonymousUser:
    """The session's account, if it is active and its password and generation have not changed; else the session ends.

    Works as Django's `get_user`, except for a session signed with an earlier SECRET_KEY: it keeps its key and is signed
    anew. Django would give it a new key, which an app that keeps its token never learns.
    """
    user = _account(session)
    if user is None:
        return AnonymousUser()
    signed: str = session.get(HASH_SESSION_KEY) or ""
    today, *earlier = user.session_auth_hashes()
    user.passed_second_factor = has_passed(session, user)
    if constant_time_compare(signed, today):
        return user
    if any(constant_time_compare(signed, hashed) for hashed in earlier) and _sign_anew(session, today):
        return user
    session.flush()
    return AnonymousUser()


def _account(session: SessionBase) -> User | None:
    backend_path: str = session.get(BACKEND_SESSION_KEY) or ""
    if SESSION_KEY not in session or backend_path not in settings.AUTHENTICATION_BACKENDS:
        return None
    user_id = User._meta.pk.to_python(session[SESSION_KEY])
    return cast("User | None", load_backend(backend_path).get_user(user_id))


def _sign_anew(session: SessionBase, auth: str) -> bool:
    """Save the session under today's hash. False: the session has ended meanwhile."""
    session[HASH_SESSION_KEY] = auth
    try:
        session.save()
    except UpdateError:
        return False
    return True
