"""The context of a request: `info.context` of every resolver, typed `Info[RequestContext, None]`.

Whoever reads credentials through it makes the answer personal, and a personal answer is never cached: there is no other
way to them, so that nobody has to remember to mark a field.
"""

import asyncio
import time
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from graphql import DocumentNode

from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner, guest_owner
from gateway.accounts.sessions.account import user_of
from gateway.accounts.sessions.cookies import (
    bearer_token,
    cookie_header,
    expiring_cookie,
    sent_session_id,
    setting_cookie,
)
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.recent_changes import RECENT_CHANGES
from gateway.accounts.sessions.remembered import Remembered
from gateway.accounts.sign_in import known_devices
from gateway.domain.texts import Language
from gateway.fallback import note_degraded
from gateway.graphql.execution.operations import Attempt
from gateway.mongo.outage import MongoUnavailable, ask, ping_anybody
from gateway.web.http import Scope, header, sent_cookies


class RequestContext:
    """What resolvers may know of the request; made once, and shared by all of its fields."""

    def __init__(self, scope: Scope, *, request_id: str, language: Language, client: str, address: str = "") -> None:
        self.request_id = request_id
        self.language: Language = language
        """The language of messages to people: by Accept-Language, Russian when it names neither."""
        self.client = client
        """The network that limits count: the buyer's, as far as the proxies in front can be believed."""
        self.address = address
        """The buyer's address, as far as the proxies in front can be believed."""
        self.session_ended = False
        """Whether the request named a session that is over, and nobody has signed in or out since."""
        self.personal = False
        """Whether the answer depends on who asks."""
        self.document: DocumentNode | None = None
        """The document to execute, parsed and validated."""
        self.results: Attempt | None = None
        """The plan by which a mutation's results are completed, if there is one."""
        self.reads_only = False
        """Whether the operation changes nothing: then the viewer may be as old as a second."""
        self._scope = scope
        self.new_token: str | None = None
        """The token of a session made or renewed in this request: the answer sets it as the cookie."""
        self._found: asyncio.Future[_Viewer] | None = None
        self._stored: asyncio.Future[SessionStore | None] | None = None
        self._renewed = False
        self._ended = False
        self._new_device: str | None = None

    def header(self, name: str) -> str | None:
        """A header of the request.

        For cookies and tokens use `cookie` and `authorization`, which make the answer personal.
        """
        if name.lower() in {"cookie", "authorization"}:
            self.personal = True
        return header(self._scope, name)

    @property
    def origin(self) -> str:
        """The address at which the gateway was asked, without a path: https://api.shop.example."""
        return f"{self._scope.get('scheme', 'http')}://{self.header('host') or 'localhost'}"

    def cookie(self, name: str) -> str | None:
        self.personal = True
        return sent_cookies(self._scope).get(name)

    def authorization(self) -> str | None:
        return self.header("authorization")

    async def user(self) -> User | AnonymousUser:
        """The user who is signed in; looked up on the first call, shared by all fields. Raises MongoUnavailable."""
        return (await self._viewer()).user

    async def owner(self) -> str | None:
        """The owner of the viewer's carts and orders: the customer, or the guest of a session; None without a session.

        While MongoDB is away the session alone decides, unchecked against the account.
        """
        try:
            return (await self._viewer_in_time()).owner
        except MongoUnavailable:
            note_degraded()
            return _owner_by(await self._stored_session())

    async def owner_to_write(self) -> str:
        """The owner, as `owner` has it; a guest without a session gets one, whose token the answer must then bring."""
        owner = await self.owner()
        if owner is None:
            session = self.new_session()
            # Not in the pool of writes: a write that waits there for its owner must not wait for another thread of it.
            await asyncio.to_thread(ask, session.create)
            self.sign_in(AnonymousUser(), session)
            owner = _owner_by(session)
        if owner is None:
            raise RuntimeError("a new session has no key")
        return owner

    async def session(self) -> SessionStore | None:
        """The living session that the request came with or was given; also while MongoDB is away."""
        try:
            return (await self._viewer_in_time()).session
        except MongoUnavailable:
            return await self._stored_session()

    def new_session(self) -> SessionStore:
        """A new session for this client, not saved yet."""
        return SessionStore(device=self.header("user-agent") or "", ip_address=self.address)

    def sign_in(self, user: User | AnonymousUser, session: SessionStore) -> None:
        """Make the rest of the request this user's; the answer brings the session's token."""
        self.new_token, self._ended = session.session_key, False
        if isinstance(user, User):
            self.session_ended = False
        self._become(_Viewer(user, session))

    def account_changed(self, user: User, session: SessionStore) -> None:
        """Let the rest of the request, and the next ones in this process, see the account as it is now."""
        if session.session_id is not None:
            _VIEWERS.forget(session.session_id)
        self._become(_Viewer(user, session))

    def sign_out(self) -> None:
        """Make the rest of the request nobody's; the answer takes the cookie away."""
        if (session_id := self.sent_session_id()) is not None:
            _VIEWERS.forget(session_id)
        self.new_token, self._ended, self.session_ended = None, True, False
        self._become(_Viewer(AnonymousUser(), None))

    def sent_session_id(self) -> str | None:
        """The id of the session that the request names, whether there is one or not.

        It says whether the request is answered from memory, never what the answer is: so it makes nothing personal.
        """
        return sent_session_id(self._scope)

    async def note_change(self) -> None:
        """Note that a member of staff has changed something, and is to see it from now on."""
        session = await self.session()
        if session is not None and session.session_id:
            await RECENT_CHANGES.note(session.session_id)

    @property
    def device(self) -> str | None:
        """The cookie that proves a known device, if there is one."""
        return self.cookie(known_devices.COOKIE)

    def remember_device(self, proof: str) -> None:
        """Let the answer set this proof as a cookie, also for a client with a Bearer token, which may keep it."""
        self._new_device = proof

    def cookie_headers(self) -> list[str]:
        """The Set-Cookie headers of the answer."""
        session = self._session_cookie()
        found = [session] if session else []
        if self._new_device and self._new_device != self.device:
            found.append(cookie_header(known_devices.COOKIE, self._new_device, known_devices.COOKIE_SECONDS))
        return found

    def _session_cookie(self) -> str | None:
        """The Set-Cookie header of the session; None when there is nothing to set.

        A client with a Bearer token keeps its token itself.
        """
        if self._bearer() is not None:
            return None
        if self._ended:
            return expiring_cookie() if self._token() is not None else None
        token = self.new_token or (self._token() if self._renewed else None)
        return setting_cookie(token) if token else None

    def _become(self, viewer: "_Viewer") -> None:
        self.personal = True
        self._found = asyncio.ensure_future(_known(viewer))

    def _bearer(self) -> str | None:
        return bearer_token(header(self._scope, "authorization"))

    def _token(self) -> str | None:
        """The token that the request came with; the Authorization header wins over the cookie."""
        bearer = self._bearer()
        return self.cookie(settings.SESSION_COOKIE_NAME) if bearer is None else bearer

    async def _viewer(self) -> "_Viewer":
        self.personal = True
        if self._found is None:
            self._found = asyncio.ensure_future(self._look_up())
        # A field that is cancelled must not take the look-up away from the others.
        return await asyncio.shield(self._found)

    async def _viewer_in_time(self) -> "_Viewer":
        """The viewer. Raises MongoUnavailable also when the look-up takes long and no server answers a ping."""
        found = asyncio.ensure_future(self._viewer())
        await asyncio.wait({found}, timeout=settings.MONGODB_PATIENCE_SECONDS)
        if not found.done() and not await ping_anybody():
            found.cancel()
            raise MongoUnavailable("no server is known")
        return await found

    async def _look_up(self) -> "_Viewer":
        asked_at, session_id = time.monotonic(), self.sent_session_id()
        if self.reads_only and session_id is not None and (known := _VIEWERS.find(session_id)) is not None:
            return known
        session = await self._stored_session()
        if session is None:
            self.session_ended = bool(self._token())
            return _Viewer(AnonymousUser(), None)
        viewer = await asyncio.to_thread(self._confirmed, session)
        self.session_ended = viewer.session is None
        if self.reads_only and session_id is not None and viewer.session is not None:
            _VIEWERS.keep(session_id, viewer, asked_at=asked_at)
        return viewer

    async def _stored_session(self) -> SessionStore | None:
        """The session as Redis or Cassandra keeps it, unchecked against the account."""
        if self._stored is None:
            self._stored = asyncio.ensure_future(asyncio.to_thread(self._load))
        return await asyncio.shield(self._stored)

    def _load(self) -> SessionStore | None:
        if (token := self._token()) is None:
            return None
        session = SessionStore(token, device=self.header("user-agent") or "", ip_address=self.address)
        session.keys()  # loads it
        return None if session.is_empty() else session

    def _confirmed(self, session: SessionStore) -> "_Viewer":
        """The viewer of the session: its user, if active and with the same password as at sign-in; else nobody."""
        found: User | AnonymousUser = AnonymousUser()
        if SESSION_KEY in session:
            found = ask(user_of, session)
        if session.is_empty():
            return _Viewer(AnonymousUser(), None)
        self._renewed = session.touch()
        return _Viewer(found, session)


class _Viewer(NamedTuple):
    user: User | AnonymousUser
    session: SessionStore | None
    """None when there is none, or its key is unknown."""

    @property
    def owner(self) -> str | None:
        return customer_owner(self.user.pk) if isinstance(self.user, User) else _guest_of(self.session)


_VIEWERS: Remembered[_Viewer] = Remembered()


def _owner_by(session: SessionStore | None) -> str | None:
    """The owner by the session alone; None without a session."""
    user_id = session.get(SESSION_KEY) if session is not None else None
    return customer_owner(user_id) if user_id else _guest_of(session)


def _guest_of(session: SessionStore | None) -> str | None:
    session_id = session.session_id if session is not None else None
    return guest_owner(session_id) if session_id else None


async def _known(viewer: _Viewer) -> _Viewer:
    return viewer
