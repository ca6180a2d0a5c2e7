"""Answers that nobody has to wait for, given where the request comes in: without a task, which costs as much again."""

from asyncio import TimerHandle
from functools import lru_cache
from typing import cast

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from gateway.web.farewell import PatientProtocol
from gateway.web.http import PromptAnswer, PromptApplication, Scope, header_lines

# In which the body follows, where a client sends it by itself. Those that take longer are read in a task.
BODY_SECONDS = 0.005


class PromptProtocol(PatientProtocol):
    """Asks the application for an answer at once before it begins a task for the request.

    Only when the whole body came with the head or right behind it, and nothing that was sent before waits on this
    connection.
    """

    _begins = False
    _held: tuple[RequestResponseCycle, ASGI3Application] | None = None
    _timer: TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._held is not None and self._timer is None:
            # Whoever asks before it sends the body is to hear an answer first.
            asks = self._held[0].waiting_for_100_continue
            self._timer = self.loop.call_later(0 if asks else BODY_SECONDS, self._begin_held)

    def on_headers_complete(self) -> None:
        self._begins = True
        super().on_headers_complete()
        self._begins = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self._held is not None:
            cycle, application = self._held
            answer = _answer_at_once(cycle, application)
            if answer is None:
                self._begin_held()
            else:
                self._release()
                self._send(cycle, answer)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        if self._begins:
            self._held = cycle, app
        else:
            super()._start_asgi_task(cycle, app)

    def _begin_held(self) -> None:
        if self._held is not None:
            held = self._held
            self._release()
            super()._start_asgi_task(*held)

    def _release(self) -> None:
        self._held = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _send(self, cycle: RequestResponseCycle, answer: PromptAnswer) -> None:
        cycle.response_started = cycle.response_complete = True
        always = _lines(tuple(cycle.default_headers))
        close = b"" if cycle.keep_alive else b"connection: close\r\n"
        self.transport.write(b"".join((STATUS_LINE[200], always, answer.head, close, b"\r\n", answer.body)))
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()


def _answer_at_once(cycle: RequestResponseCycle, application: ASGI3Application) -> PromptAnswer | None:
    ask: PromptApplication | None = getattr(application, "answer_at_once", None)
    # A client that reads slowly, or asks before it sends, is waited for in a task.
    if ask is None or cycle.flow.write_paused or cycle.waiting_for_100_continue:
        return None
    return ask(cast("Scope", cycle.scope), bytes(cycle.body))


# They change once a second, with the date.
@lru_cache(2)
def _lines(headers: tuple[tuple[bytes, bytes], ...]) -> bytes:
    return header_lines(headers)
