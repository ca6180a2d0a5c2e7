"""Middleware that notes who of the staff has changed something; see `gateway.accounts.sessions.recent_changes`."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.recent_changes import RECENT_CHANGES
from gateway.staff.time_limit import READING


class RecentChangesMiddleware(MiddlewareMixin):
    """After the middleware that finds the user."""

    get_response: Callable[[HttpRequest], HttpResponse]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request.method in READING or not request.path.startswith("/admin/") or response.status_code >= 400:
            return response
        session = getattr(request, "session", None)
        if isinstance(session, SessionStore) and session.session_id and request.user.is_staff:  # type: ignore[union-attr]
            RECENT_CHANGES.note_blocking(session.session_id)
        return response
