"""A real SMTP server in the test's process: keeps the letters it accepts, refuses whom it is told to."""

import socketserver
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, ClassVar

from django.test import override_settings


class _Conversation(socketserver.StreamRequestHandler):
    server: "Postbox"
    ANSWERS: ClassVar[dict[str, str]] = {
        "EHLO": "250 postbox",
        "HELO": "250 postbox",
        "MAIL": "250 ok",
        "RSET": "250 ok",
        "NOOP": "250 ok",
    }

    def handle(self) -> None:
        self._say("220 postbox")
        while line := self.rfile.readline().decode().strip():
            verb = line[:4].upper()
            if verb == "RCPT":
                refused = any(address in line for address in self.server.refused)
                self._say("550 nobody of that name" if refused else "250 ok")
            elif verb == "DATA":
                self._say("354 go on")
                self.server.keep(b"".join(iter(self.rfile.readline, b".\r\n")))
                self._say("250 kept")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say(self.ANSWERS.get(verb, "502 not here"))

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Postbox(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.letters: list[EmailMessage] = []
        self.refused: set[str] = set()
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def keep(self, content: bytes) -> None:
        letter = message_from_bytes(content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        with self._lock:
            self.letters.append(letter)


def subject(letter: EmailMessage) -> str:
    """A long one begins on the next line, after a space."""
    return str(letter["Subject"]).strip()


def text(letter: EmailMessage) -> str:
    return str(letter.get_content()).replace("\r\n", "\n")


def served_by(port: int) -> Any:
    """Django's test runner puts a mailbox of its own in place of the SMTP backend: this puts it back."""
    return override_settings(
        EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend", EMAIL_HOST="127.0.0.1", EMAIL_PORT=port
    )
