"""Answers that nobody has to wait for, given where the request comes in: without a task, which costs as much again."""

from functools import lru_cache
from typing import cast

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from gateway.web.farewell import PatientProtocol
from gateway.web.http import PromptAnswer, PromptApplication, Scope, header_lines


class PromptProtocol(PatientProtocol):
    """Asks the application for an answer at once before it begins a task for the request.

    Only when the whole body came with the head, and nothing that was sent before waits on this connection.
    """

    _begins = False
    _held: tuple[RequestResponseCycle, ASGI3Application] | None = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # The rest of its body is still on the way.
        self._begin_held()

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
                self._held = None
                self._send(cycle, answer)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        if self._begins:
            self._held = cycle, app
        else:
            super()._start_asgi_task(cycle, app)

    def _begin_held(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            super()._start_asgi_task(*held)

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
