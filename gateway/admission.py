"""How much a process does at once: turns with a short queue, and bodies that come in their own time.

A request that finds the queue full is refused before anything of it is read. One whose client leaves while it waits is
never begun.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from django.conf import settings

from gateway.http import Application, Message, Receive, Scope, Send, header, respond
from gateway.texts import Text, accepted_language

# A connection that was closed while its request lay unread is known to be closed after as many rounds of the event
# loop: the server sees the bytes first and their end afterwards.
LOOPS_UNTIL_CLOSED = 3
RETRY_SECONDS = 1
"""A burst is over by then; a client that comes back sooner would only make the queue longer."""
CLIENT_GONE = 499
"""For the log, as nginx has it: nobody is there to be answered."""

BUSY = Text("Сервер занят, повторите чуть позже.", "The server is busy, try again shortly.")
TOO_LARGE = Text("Тело запроса слишком велико.", "The body is too large.")
TOO_SLOW = Text("Тело запроса приходило слишком долго.", "The body took too long to come.")


class Overloaded(Exception):
    """Nothing of the request has been begun."""


class ClientGone(Exception):
    """Nothing of the request has been begun, and nobody waits for it."""


class Turns:
    """A bound on what runs at once, and a queue behind it in the order of arrival. Both bounds are settings."""

    def __init__(self, *, running: str, waiting: str) -> None:
        self._most_running = running
        self._most_waiting = waiting
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def refuse_when_full(self) -> None:
        if self._is_busy() and len(self._waiting) >= getattr(settings, self._most_waiting):
            raise Overloaded

    @asynccontextmanager
    async def turn(self, receive: Receive, until: float) -> AsyncIterator[None]:
        """Wait for a turn and hold it; the body of the request must have been received.

        Raises ClientGone, and Overloaded when the queue is full or no turn comes until that time of the event loop.
        Whatever it raises, nothing has been begun.
        """
        gone = asyncio.ensure_future(_watch(receive))
        try:
            # First of all, so that those who have gone fill neither the turns nor the queue.
            for _ in range(LOOPS_UNTIL_CLOSED):
                await asyncio.sleep(0)
            if gone.done():
                raise ClientGone
            self.refuse_when_full()
            await self._take(gone, until)
        finally:
            gone.cancel()
        try:
            yield
        finally:
            self._leave()

    async def _take(self, gone: asyncio.Future[None], until: float) -> None:
        if not self._is_busy():
            self._running += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout_at(until):
                await asyncio.wait({turn, gone}, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            if not turn.done():
                raise Overloaded from None
        except asyncio.CancelledError:
            if turn.done():
                self._leave()
            raise
        finally:
            if not turn.done():
                self._waiting.remove(turn)
        if not turn.done():
            raise ClientGone

    def _is_busy(self) -> bool:
        running: int = getattr(settings, self._most_running)
        return self._running >= running

    def _leave(self) -> None:
        """Whoever waited longest takes the turn over."""
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self._running -= 1


class Readers:
    """Requests whose bodies are coming. When there are too many, the one that has taken longest makes room."""

    def __init__(self, *, most: str) -> None:
        self._most = most
        self._limits: dict[asyncio.Timeout, None] = {}

    @asynccontextmanager
    async def reading(self, until: float) -> AsyncIterator[None]:
        """Raises TimeoutError at that time of the event loop, or as soon as its place is needed."""
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


class _Refused(Exception):
    def __init__(self, status: int, text: Text) -> None:
        super().__init__(text.en)
        self.status = status
        self.text = text


class Door:
    """Bounds an application that reads its body by itself: it gets the last of the body when its turn has come."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._turns = Turns(running="DJANGO_MAX_RUNNING", waiting="DJANGO_MAX_WAITING")
        self._readers = Readers(most="DJANGO_MAX_READING")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._turns.refuse_when_full()
            async with AsyncExitStack() as turn:
                await self._application(scope, self._received_in_turn(receive, turn), send)
        except Overloaded:
            await _refuse(scope, send, 503, BUSY, {"retry-after": str(RETRY_SECONDS)})
        except ClientGone:
            await respond(send, CLIENT_GONE, b"", "text/plain")
        except _Refused as refused:
            await _refuse(scope, send, refused.status, refused.text)

    def _received_in_turn(self, receive: Receive, turn: AsyncExitStack) -> Receive:
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
                raise _Refused(408, TOO_SLOW) from None
            size += len(message.get("body", b""))
            if size > settings.DJANGO_MAX_BODY_BYTES:
                raise _Refused(413, TOO_LARGE)
            is_whole = message["type"] == "http.request" and not message.get("more_body")
            if is_whole:
                waits_until = loop.time() + settings.DJANGO_MAX_WAIT_SECONDS
                await turn.enter_async_context(self._turns.turn(receive, waits_until))
            return message

        return receive_in_turn


async def _watch(receive: Receive) -> None:
    """Until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(scope: Scope, send: Send, status: int, text: Text, headers: dict[str, str] | None = None) -> None:
    """What is still to come of the body is not waited for."""
    language = accepted_language(header(scope, "accept-language"))
    always = {"cache-control": "no-store", "connection": "close"}
    body = text.in_language(language).encode()
    await respond(send, status, body, "text/plain; charset=utf-8", {**always, **(headers or {})})
