"""Signing in, in an order in which a crash at any point loses nothing and a repetition completes it."""

from datetime import UTC, datetime
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from cart.merge import MergeMode
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner, is_guest
from gateway.accounts.registration import register
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sign_in import attempts
from gateway.accounts.sign_in.known_devices import remember_network
from gateway.accounts.sign_in.passwords import user_with
from gateway.domain.errors import DomainError, Refused
from gateway.domain.texts import DEFAULT_LANGUAGE, Language
from gateway.mongo.client import database
from gateway.viewer.handover import HandedOver, hand_over, hand_over_the_rest
from gateway.viewer.joining import join_orders


class Visit(NamedTuple):
    """What is known of somebody who is about to sign in."""

    client: str
    """The network that failures count against, besides the account."""
    device: str | None
    """The cookie that proves a known device, if there is one."""
    session: SessionStore | None
    """The session they came with; it ends here, whosever it was."""
    owner: str | None
    new_session: SessionStore
    language: Language = DEFAULT_LANGUAGE
    """Of letters that are caused."""


class SignedIn(NamedTuple):
    user: User
    session: SessionStore
    lines_dropped: tuple[str, ...]


def recognise(visit: Visit, email: str, password: str) -> User:
    """The account with this address and password. Raises TooManyFailures or BadCredentials."""
    attempt = attempts.begin(email, visit.client, visit.device)
    user = user_with(email, password)
    attempt.take_back()
    return user


def make_account(visit: Visit, email: str, password: str, *, name: str, phone: str) -> User:
    """Make a new account.

    Raises TooManySessions, TooManyRegistrations, TooManyFailures, EmailTaken, or Refused with all that is wrong with
    the input. The limit on accounts from one network is counted first and taken back for what was refused.
    """
    visit.new_session.admit()
    registration = attempts.begin_registration(visit.client)
    try:
        return _register(visit, email, password, name=name, phone=phone)
    except DomainError:
        registration.take_back()
        raise


def _register(visit: Visit, email: str, password: str, *, name: str, phone: str) -> User:
    attempt = attempts.begin(email, visit.client, visit.device)
    try:
        user = register(email, password, name=name, phone=phone, language=visit.language)
    except Refused:
        # Only an address that is taken tells a stranger something, and counts.
        attempt.take_back()
        raise
    attempt.take_back()
    return user


def enter(visit: Visit, user: User, mode: MergeMode) -> SignedIn:
    """Sign in whoever was recognised: the guest's cart and orders become the customer's, and a new session begins.

    Raises TooManySessions; then nothing has changed.
    """
    visit.new_session.admit()
    # A customer's session hands nothing over: what belongs to one account stays there.
    guest = visit.owner if visit.owner and is_guest(visit.owner) else None
    customer = customer_owner(user.pk)
    # Before the guest's session ends: until then its token finds the cart, and signing in again moves it.
    before = hand_over(guest, customer, mode) if guest else HandedOver()
    session = _open(visit.new_session, user)
    if visit.session:
        visit.session.delete()
    after = hand_over_the_rest(guest, customer, mode) if guest else HandedOver()
    join_orders(user)
    database()[User._meta.db_table].update_one({"_id": user.pk}, {"$set": {"last_login": datetime.now(UTC)}})
    remember_network(visit.client, user)
    return SignedIn(user, session, before.lines_dropped + after.lines_dropped)


def _open(session: SessionStore, user: User) -> SessionStore:
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session
