"""HTTP over a connection that stays open, cheap enough to share a machine with the server that it loads."""

import asyncio
import json
from collections.abc import Mapping
from typing import NamedTuple, Self, cast

HOST = "127.0.0.1"
# Whoever waits longer has left.
PATIENCE_SECONDS = 30.0
HEAD_END, CHUNKS_END = b"\r\n\r\n", b"\r\n0\r\n\r\n"


class Answer(NamedTuple):
    status: int
    head: bytes
    """In lower case."""
    body: bytes

    @property
    def is_good(self) -> bool:
        return self.status == 200 and b'"errors":[{' not in self.body

    @property
    def is_remembered(self) -> bool:
        """Whether the server answered from its response cache, as far as it says so."""
        return b"\r\nage:" in self.head or b"\r\nx-cache: hit" in self.head


NONE = Answer(0, b"", b"")
"""What is noted when there was no answer."""


def post(content: object, headers: Mapping[str, str] | None = None) -> bytes:
    """The request, ready to be sent as often as wanted."""
    body = json.dumps(content, ensure_ascii=False).encode()
    further = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = (
        f"POST /graphql HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
        f"Content-Length: {len(body)}\r\n{further}\r\n"
    )
    return head.encode() + body


class Connection(asyncio.Protocol):
    """One request at a time. Lost by the server, it is to be opened anew."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._answer: asyncio.Future[Answer] | None = None
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, port: int) -> Self:
        _, connection = await asyncio.get_running_loop().create_connection(cls, HOST, port)
        return connection

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes) -> Answer:
        """The answer; NONE when the connection was lost before it came, or patience was."""
        if self._transport is None or self._transport.is_closing():
            return NONE
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()
        self._answer = answer
        self._received.clear()
        self._transport.write(request)
        timer = loop.call_later(PATIENCE_SECONDS, self._give_up)
        try:
            return await answer
        finally:
            timer.cancel()

    def close(self) -> None:
        if self._transport:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no asyncio.Transport, but do what one does.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(HEAD_END)
        if end < 0:
            return
        head = bytes(self._received[:end]).lower()
        body = _body(head, memoryview(self._received)[end + len(HEAD_END) :])
        if body is not None:
            self._settle(Answer(int(head.split(b" ", 2)[1]), head, body))
            if b"\r\nconnection: close" in head:
                self.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._transport = None
        self._settle(NONE)

    def _give_up(self) -> None:
        self.close()
        self._settle(NONE)

    def _settle(self, answer: Answer) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_result(answer)


def _body(head: bytes, received: memoryview) -> bytes | None:
    """The body, if all of it has come."""
    _, found, length = head.partition(b"\r\ncontent-length:")
    if found:
        size = int(length.partition(b"\r\n")[0])
        return bytes(received[:size]) if len(received) >= size else None
    content = bytes(received)
    return _joined(content) if (b"\r\n" + content).endswith(CHUNKS_END) else None


def _joined(chunked: bytes) -> bytes:
    parts = []
    while chunked:
        size, _, rest = chunked.partition(b"\r\n")
        length = int(size.partition(b";")[0], 16)
        parts.append(rest[:length])
        chunked = rest[length + 2 :]
        if not length:
            break
    return b"".join(parts)
