"""The outermost ASGI application: routes requests, gives each an id and logs it."""

import time
from collections.abc import Mapping

import structlog

from gateway.logs.lines import line_logger
from gateway.logs.request_ids import accepted_request_id, bind_request_id
from gateway.mongo.client import close_async_client
from gateway.redis.clients import close_async_redis
from gateway.web.clients import client_of
from gateway.web.http import (
    Application,
    Message,
    PromptAnswer,
    PromptApplication,
    Receive,
    Scope,
    Send,
    header,
    header_lines,
    with_one_cookie_header,
)
from gateway.web.proxies import behind_proxies

log = structlog.get_logger(__name__)

# Probes, files of the admin and pictures come in numbers and say nothing as long as they succeed.
QUIET_PATHS = ("/healthz", "/readyz", "/static/", "/media/")


class Front:
    def __init__(
        self,
        *,
        routes: Mapping[str, Application],
        fallback: Application,
        prompt: Mapping[str, PromptApplication] | None = None,
    ) -> None:
        """Takes the applications by path; those of `prompt` are asked first, by a server that knows them."""
        self._routes = routes
        self._prompt = prompt or {}
        self._fallback = fallback
        self._log = line_logger(__name__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._serve(behind_proxies(with_one_cookie_header(scope)), receive, send)
            case "lifespan":
                await _live(receive, send)
            case "websocket":
                await send({"type": "websocket.close"})

    def answer_at_once(self, scope: Scope, body: bytes) -> PromptAnswer | None:
        """The whole answer if nothing is to be waited for; None, with nothing done, for `__call__` to answer."""
        application = self._prompt.get(scope["path"])
        if application is None:
            return None
        started = time.perf_counter()
        scope = behind_proxies(with_one_cookie_header(scope))
        try:
            answer = application(scope, body)
        except Exception:
            # A fault of ours, which is no reason to refuse the request.
            log.exception("not_answered_at_once")
            return None
        if answer is None:
            return None
        request_id = accepted_request_id(header(scope, "x-request-id"))
        self._note(scope, 200, started, request_id=request_id)
        return PromptAnswer(answer.head + header_lines([(b"x-request-id", request_id.encode("latin-1"))]), answer.body)

    def _route(self, path: str) -> Application:
        """With a slash at the end or without: a redirect would make a GET of a client's POST."""
        return self._routes.get(path) or self._routes.get(path.removesuffix("/"), self._fallback)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = accepted_request_id(header(scope, "x-request-id"))
        bind_request_id(request_id)
        started = time.perf_counter()
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message["headers"], (b"x-request-id", request_id.encode("latin-1"))]
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self._route(scope["path"])(scope, receive, send_with_id)
        finally:
            if status >= 400 or not scope["path"].startswith(QUIET_PATHS):
                self._note(scope, status, started)

    def _note(self, scope: Scope, status: int, started: float, **context: str) -> None:
        self._log.info(
            "request",
            method=scope["method"],
            # Without the query string, which may hold a document or a token.
            path=scope["path"],
            status=status,
            ms=round((time.perf_counter() - started) * 1000, 1),
            client=client_of(scope),
            **context,
        )


async def _live(receive: Receive, send: Send) -> None:
    """Follow the server's start and end: connections are opened on first use and closed here."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        else:
            await close_async_client()
            await close_async_redis()
            await send({"type": "lifespan.shutdown.complete"})
            return
