"""What a resolver may know of its request: `info.context`, typed `Info[RequestContext, None]`.

Whoever reads credentials through it makes the answer personal, and a personal answer is never cached: there is no other
way to them, so that nobody has to remember to mark a field.
"""

import asyncio
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from graphql import DocumentNode

from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner, guest_owner, session_hash
from gateway.http import Scope, header
from gateway.texts import Language


class RequestContext:
    """Made once per request; the same for every field of it."""

    def __init__(self, scope: Scope, *, request_id: str, language: Language, client: str) -> None:
        self.request_id = request_id
        self.language: Language = language
        """Of the messages to a person: by Accept-Language, Russian when it names neither."""
        self.client = client
        """The buyer's address, as far as the proxies in front can be believed."""
        self.personal = False
        """Whether the answer depends on who asks."""
        self.document: DocumentNode | None = None
        """What is executed, parsed and validated."""
        self._scope = scope
        self.new_token: str | None = None
        """Of the session made or rotated in this request: the answer sets it as the cookie."""
        self._found: asyncio.Future[_Viewer] | None = None

    def header(self, name: str) -> str | None:
        """A header that does not say who asks; for cookies and tokens there are `cookie` and `authorization`."""
        if name.lower() in {"cookie", "authorization"}:
            self.personal = True
        return header(self._scope, name)

    def cookie(self, name: str) -> str | None:
        self.personal = True
        try:
            cookies = SimpleCookie(header(self._scope, "cookie") or "")
        except CookieError:
            return None
        return cookies[name].value if name in cookies else None

    def authorization(self) -> str | None:
        return self.header("authorization")

    async def user(self) -> User | AnonymousUser:
        """Whoever is signed in; looked up on first call, shared by all fields."""
        return (await self._viewer()).user

    async def owner(self) -> str | None:
        """Whose carts and orders these are: the customer's, or the guest's with a session; None without one."""
        return (await self._viewer()).owner

    async def owner_to_write(self) -> str:
        """Likewise; makes a session for a guest who has none, whose token the answer must then tell."""
        owner = await self.owner()
        if owner is None:
            session = await asyncio.to_thread(_new_session)
            self.new_token = session.session_key
            viewer = _Viewer(AnonymousUser(), session)
            self._found = asyncio.ensure_future(_known(viewer))
            owner = viewer.owner
        if owner is None:
            raise RuntimeError("a new session has no key")
        return owner

    async def _viewer(self) -> "_Viewer":
        session_key = self.cookie(settings.SESSION_COOKIE_NAME)
        if self._found is None:
            self._found = asyncio.ensure_future(asyncio.to_thread(_signed_in, session_key))
        # A field that is cancelled must not take the look-up away from the others.
        return await asyncio.shield(self._found)


class _Viewer(NamedTuple):
    user: User | AnonymousUser
    session: Any
    """None: there is none, or its key is unknown."""

    @property
    def owner(self) -> str | None:
        if isinstance(self.user, User):
            return customer_owner(self.user.pk)
        return guest_owner(session_hash(self.session.session_key)) if self.session else None


async def _known(viewer: _Viewer) -> _Viewer:
    return viewer


def _new_session() -> Any:
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session.create()
    return session


def _signed_in(session_key: str | None) -> _Viewer:
    """Django's own check: the session lives, its user is active and has not changed the password since."""
    if session_key is None:
        return _Viewer(AnonymousUser(), None)
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    found = get_user(request)
    known = request.session if request.session.session_key and request.session.exists(session_key) else None
    return _Viewer(found if isinstance(found, User) else AnonymousUser(), known)
