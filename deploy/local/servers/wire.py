"""One command to one MongoDB server over a plain socket.

PyMongo's client watches its servers in the background: right for an application, but each probe of a starting server
would cost threads, and half a second when the launcher exits. Its BSON and MongoDB's OP_MSG are all that is needed.
"""

import socket
import struct
from typing import Any

import bson

from deploy.local.errors import StackError
from deploy.local.process.ports import HOST

OP_MSG = 2013
HEADER = struct.Struct("<iiii")  # length of all, request, request answered, opcode
BODY = struct.Struct("<iB")  # flags, kind of section: 0, a single document

Document = dict[str, Any]


class CommandFailedError(StackError):
    """The server answered, and refused."""

    def __init__(self, reply: Document) -> None:
        super().__init__(f"{reply.get('errmsg')} ({reply.get('codeName')})")
        self.code: int = reply.get("code", 0)


def command(port: int, document: Document, *, seconds: float = 1.0) -> Document:
    """The reply to an admin command; OSError when the server cannot be reached or stays silent for `seconds`."""
    payload = BODY.pack(0, 0) + bson.encode({**document, "$db": "admin"})
    with socket.create_connection((HOST, port), timeout=seconds) as connection:
        connection.sendall(HEADER.pack(HEADER.size + len(payload), 1, 0, OP_MSG) + payload)
        (length, *_) = HEADER.unpack(_read(connection, HEADER.size))
        content = _read(connection, length - HEADER.size)
    reply: Document = bson.decode(content[BODY.size :])
    if not reply["ok"]:
        raise CommandFailedError(reply)
    return reply


def _read(connection: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        chunk = connection.recv(size - len(content))
        if not chunk:
            raise ConnectionResetError("the server closed the connection")
        content += chunk
    return bytes(content)
