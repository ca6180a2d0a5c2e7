"""Signing out elsewhere: ending one other session of an account, or all."""

import structlog
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends.base import UpdateError
from pymongo import ReturnDocument

from gateway.accounts.errors import UnknownSession
from gateway.accounts.models import User
from gateway.accounts.sessions.devices import end_one, end_others
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
    stay_signed_in(user, session)
    return user


def end_session(user: User, session_id: str) -> None:
    """End one session of the account. Raises UnknownSession: it has ended already, or is not one of this account's."""
    if not end_one(user, session_id):
        raise UnknownSession("id")


def stay_signed_in(user: User, session: SessionStore) -> None:
    """Save this session under the account's new hash, and remove what is stored of the others. Raises NotSignedIn."""
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    try:
        session.save()
    except UpdateError as error:
        raise NotSignedIn from error
    end_sessions(user, but=session.session_id or "")


def end_sessions(user: User, *, but: str = "") -> None:
    """Remove what is stored of the account's sessions, which a new generation has ended already."""
    try:
        end_others(user, but=but)
    except SessionsUnavailable as error:
        log.info("sessions.left_to_expire", reason=str(error))
