"""Limits on what a process does at once: turns with a short queue, and bodies that are still coming.

A request that finds the queue full is refused before anything of it is read. A request whose client leaves while it
waits is never begun.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from django.conf import settings

from gateway.domain.texts import Text, accepted_language
from gateway.web.clients import client_of
from gateway.web.error_pages import ErrorPage, chosen_language, page_body
from gateway.web.http import Application, Message, Receive, Scope, Send, header, respond, told_at_once

# A connection that was closed while its request lay unread is known to be closed after as many rounds of the event
# loop: the server sees the bytes first and their end afterwards.
LOOPS_UNTIL_CLOSED = 3
RETRY_SECONDS = 1
"""Seconds after which a burst is over; a client that comes back sooner would only make the queue longer."""
CLIENT_GONE = 499
"""The status for the log, as nginx has it, when nobody is left to be answered."""

NOT_TAKEN = Text("Запрос не принят", "The request was not taken")
BUSY = Text("Сервер занят, повторите чуть позже.", "The server is busy, try again shortly.")
TOO_LARGE = Text("Тело запроса слишком велико.", "The body is too large.")
TOO_SLOW = Text("Тело запроса приходило слишком долго.", "The body took too long to come.")


class Overloaded(Exception):
    """The queue is full or no turn came in time. Nothing of the request has been begun."""


class ClientGone(Exception):
    """The client has closed its connection. Nothing of the request has been begun."""


class Turns:
    """A bound on the requests that run at once, in all and for each client, with a queue behind it.

    Nobody fills the queue alone: when it is full, the client that has most of it gives its newest place to one that has
    less. When a turn ends, the first in the queue whose client may run takes it over.
    """

    def __init__(self, *, running: str, waiting: str, per_client: str | None = None) -> None:
        """Takes the names of the settings that hold the bounds; `per_client` bounds what one client runs at once."""
        self._most_running = running
        self._most_waiting = waiting
        self._most_per_client = per_client
        self._running: Counter[str] = Counter()
        self._waiting: dict[asyncio.Future[None], str] = {}

    def refuse_when_full(self, client: str) -> None:
        """Raise Overloaded if neither a turn nor a place in the queue is free for this client."""
        if not self._may_run(client) and self._is_full() and self._largest(client) is None:
            raise Overloaded

    def are_free(self, client: str) -> bool:
        """Whether nobody waits and this client may run."""
        return not self._waiting and self._may_run(client)

    @asynccontextmanager
    async def turn(self, client: str, receive: Receive, until: float) -> AsyncIterator[None]:
        """Wait for a turn and hold it; the body of the request must have been received.

        Raises ClientGone; and Overloaded when the queue is full or no turn comes until that time of the event loop.
        Whatever it raises, nothing has been begun.
        """
        # First of all, so that those who have gone fill neither the turns nor the queue.
        for _ in range(LOOPS_UNTIL_CLOSED):
            await asyncio.sleep(0)
        if _has_gone(receive):
            raise ClientGone
        if self._may_run(client):
            self._running[client] += 1
        else:
            await self._wait(client, receive, until)
        try:
            yield
        finally:
            self._leave(client)

    async def _wait(self, client: str, receive: Receive, until: float) -> None:
        """Wait in the queue until the turn is taken for this client."""
        turn = self._queue(client)
        gone = asyncio.ensure_future(_watch(receive))
        try:
            async with asyncio.timeout_at(until):
                await asyncio.wait({turn, gone}, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            if not turn.done():
                raise Overloaded from None
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(client)
            raise
        finally:
            gone.cancel()
            self._waiting.pop(turn, None)
        if turn.cancelled():
            raise Overloaded
        if not turn.done():
            raise ClientGone

    def _queue(self, client: str) -> asyncio.Future[None]:
        """Take a place in the queue: a future, done when the turn comes, cancelled when another client gets it."""
        if self._is_full():
            largest = self._largest(client)
            if largest is None:
                raise Overloaded
            newest = next(turn for turn in reversed(self._waiting) if self._waiting[turn] == largest)
            del self._waiting[newest]
            newest.cancel()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = client
        return turn

    def _is_full(self) -> bool:
        most: int = getattr(settings, self._most_waiting)
        return len(self._waiting) >= most

    def _largest(self, newcomer: str) -> str | None:
        """The client with most places in the queue, if it can give one away and still have as many as the newcomer."""
        places = Counter(self._waiting.values())
        client, most = max(places.items(), key=lambda item: item[1], default=("", 0))
        return client if most > places[newcomer] + 1 else None

    def _may_run(self, client: str) -> bool:
        if self._running.total() >= getattr(settings, self._most_running):
            return False
        return self._most_per_client is None or self._running[client] < getattr(settings, self._most_per_client)

    def _leave(self, client: str) -> None:
        """End a turn; the first in the queue whose client may run takes it over."""
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        for turn, waiting in self._waiting.items():
            if self._may_run(waiting):
                self._running[waiting] += 1
                del self._waiting[turn]
                turn.set_result(None)
                return


class Readers:
    """The requests whose bodies are still coming. When there are too many, the one that has taken longest is ended."""

    def __init__(self, *, most: str) -> None:
        self._most = most
        self._limits: dict[asyncio.Timeout, None] = {}

    @asynccontextmanager
    async def reading(self, until: float) -> AsyncIterator[None]:
        """Hold a place while a body is read.

        Raises TimeoutError at that time of the event loop, or earlier, when another request needs the place.
        """
        async with asyncio.timeout_at(until) as limit:
            if len(self._limits) >= getattr(settings, self._most):
                oldest = next(iter(self._limits))
                del self._limits[oldest]
                oldest.reschedule(asyncio.get_running_loop().time())
            self._limits[limit] = None
            try:
                yield
            finally:
                self._limits.pop(limit, None)


class _BodyRefused(Exception):
    """The body is too large or too slow."""

    def __init__(self, status: int, text: Text) -> None:
        super().__init__(text.en)
        self.status = status
        self.text = text


class Door:
    """Bounds an application that reads its body by itself: it gets the last part of the body when its turn has come."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._turns = Turns(running="DJANGO_MAX_RUNNING", waiting="DJANGO_MAX_WAITING")
        self._readers = Readers(most="DJANGO_MAX_READING")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            client = client_of(scope)
            self._turns.refuse_when_full(client)
            async with AsyncExitStack() as turn:
                await self._application(scope, self._received_in_turn(client, receive, turn), send)
        except Overloaded:
            await _refuse(scope, send, 503, BUSY, {"retry-after": str(RETRY_SECONDS)})
        except ClientGone:
            await respond(send, CLIENT_GONE, b"", "text/plain")
        except _BodyRefused as refused:
            await _refuse(scope, send, refused.status, refused.text)

    def _received_in_turn(self, client: str, receive: Receive, turn: AsyncExitStack) -> Receive:
        loop = asyncio.get_running_loop()
        until = loop.time() + settings.DJANGO_MAX_BODY_SECONDS
        size = 0
        is_whole = False

        async def receive_in_turn() -> Message:
            nonlocal size, is_whole
            if is_whole:
                return await receive()
            try:
                async with self._readers.reading(until):
                    message = await receive()
            except TimeoutError:
                raise _BodyRefused(408, TOO_SLOW) from None
            size += len(message.get("body", b""))
            if size > settings.DJANGO_MAX_BODY_BYTES:
                raise _BodyRefused(413, TOO_LARGE)
            is_whole = message["type"] == "http.request" and not message.get("more_body")
            if is_whole:
                waits_until = loop.time() + settings.DJANGO_MAX_WAIT_SECONDS
                await turn.enter_async_context(self._turns.turn(client, receive, waits_until))
            return message

        return receive_in_turn


def _has_gone(receive: Receive) -> bool:
    """Whether the server knows by now that the client has gone; the whole body must have been received."""
    message = told_at_once(receive)
    return message is not None and message["type"] == "http.disconnect"


async def _watch(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(scope: Scope, send: Send, status: int, text: Text, headers: dict[str, str] | None = None) -> None:
    """Answer at once and close the connection, without waiting for the rest of the body."""
    always = {"cache-control": "no-store", "connection": "close"}
    if "text/html" in (header(scope, "accept") or ""):
        page = page_body(ErrorPage(status, NOT_TAKEN, text), chosen_language(scope))
        body, content_type = page.encode(), "text/html; charset=utf-8"
    else:
        language = accepted_language(header(scope, "accept-language"))
        body, content_type = text.in_language(language).encode(), "text/plain; charset=utf-8"
    await respond(send, status, body, content_type, {**always, **(headers or {})})
