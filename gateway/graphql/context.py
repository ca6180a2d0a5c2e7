"""What a resolver may know of its request: `info.context`, typed `Info[RequestContext, None]`.

Whoever reads credentials through it makes the answer personal, and a personal answer is never cached: there is no other
way to them, so that nobody has to remember to mark a field.
"""

import asyncio
from http.cookies import CookieError, SimpleCookie
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from graphql import DocumentNode

from gateway.accounts.models import User
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
        self._user: asyncio.Task[User | AnonymousUser] | None = None

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
        """Whoever is signed in to the admin in this browser; looked up on first call, shared by all fields."""
        session_key = self.cookie(settings.SESSION_COOKIE_NAME)
        if session_key is None:
            return AnonymousUser()
        if self._user is None:
            self._user = asyncio.ensure_future(asyncio.to_thread(_signed_in, session_key))
        # A field that is cancelled must not take the look-up away from the others.
        return await asyncio.shield(self._user)


def _signed_in(session_key: str) -> User | AnonymousUser:
    """Django's own check: the session lives, its user is active and has not changed the password since."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    found = get_user(request)
    return found if isinstance(found, User) else AnonymousUser()
