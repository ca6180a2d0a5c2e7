"""Signing out everywhere: ending every other session of an account."""

import structlog
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends.base import UpdateError
from pymongo import ReturnDocument

from gateway.accounts.models import User
from gateway.accounts.sessions.devices import end_others
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.errors import SessionsUnavailable
from gateway.domain.errors import NotSignedIn
from gateway.mongo.client import database

log = structlog.get_logger(__name__)


def sign_out_everywhere(user: User, session: SessionStore) -> User:
    """End all sessions but this one, even while Redis or Cassandra is away; returns the account as it is now.

    When two do it at once, one wins and the other finds itself signed out. A crash after the first step ends this
    session too.
    """
    seen = {"_id": user.pk, "password": user.password, "session_generation": user.session_generation}
    changed = database()[User._meta.db_table].find_one_and_update(
        seen, {"$inc": {"session_generation": 1}}, {"session_generation": 1}, return_document=ReturnDocument.AFTER
    )
    if changed is None:
        raise NotSignedIn
    user.session_generation = changed["session_generation"]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    try:
        session.save()
    except UpdateError as error:
        raise NotSignedIn from error
    end_sessions(user, but=session.session_id or "")
    return user


def end_sessions(user: User, *, but: str = "") -> None:
    """Remove what is stored of the account's sessions, which a new generation has ended already."""
    try:
        end_others(user, but=but)
    except SessionsUnavailable as error:
        log.info("sessions.left_to_expire", reason=str(error))
