"""Keeping web, worker and beat alive in the foreground, their logs merged on the screen."""

import time
from http.client import HTTPConnection, HTTPException
from typing import NoReturn, TextIO

from deploy.local.errors import StackError
from deploy.local.process.applications import Application
from deploy.local.process.log import Follower, tail
from deploy.local.process.ports import HOST, NAME
from deploy.local.process.process import adopt_lost
from deploy.local.start.stack import Stack

POLL_SECONDS = 0.1
# Dying sooner than this after its start means that starting it again will hardly help …
FAST_DEATH_SECONDS = 10.0
# … so after this many in a row we give up.
FAST_DEATHS = 3
# The welcome waits for a pause in the first lines, so that they do not push it off the screen, but not for ever.
QUIET_SECONDS = 1.0
LONGEST_WAIT_FOR_QUIET = 8.0
DEATH_LINES = 10

WELCOME = """
  GraphQL   http://{host}:{port}/graphql
  Admin     http://{host}:{port}/admin/
  Sign in   staff@mobile-world.example          may do everything
            merchandiser@mobile-world.example   catalog
            support@mobile-world.example        orders
            customer@mobile-world.example       buyer, no admin
  Password  mobile-world
  Ctrl-C stops everything; the data stays.

"""


class Supervisor:
    def __init__(self, applications: list[Application], stack: Stack, *, port: int, stream: TextIO) -> None:
        self._applications = {application.name: application for application in applications}
        self._stack = stack
        self._port = port
        self._stream = stream
        self._follower = Follower({name: item.process.log for name, item in self._applications.items()}, stream)
        self._born: dict[str, float] = {}
        self._fast_deaths = dict.fromkeys(self._applications, 0)
        self._due: dict[str, float] = dict.fromkeys(self._applications, 0.0)
        self._gone_servers: set[str] = set()

    def run(self) -> NoReturn:
        """Until interrupted; raises StackError when a process keeps dying."""
        welcomed = False
        answered_at: float | None = None
        printed_at = 0.0
        while True:
            self._start_due()
            if self._follower.emit():
                printed_at = time.monotonic()
            self._notice_deaths()
            self._notice_servers()
            if answered_at is None and self._web_answers():
                answered_at = time.monotonic()
            if answered_at and not welcomed and self._is_quiet(since=printed_at, answered_at=answered_at):
                self._say(WELCOME.format(host=NAME, port=self._port))
                welcomed = True
            time.sleep(POLL_SECONDS)

    def _start_due(self) -> None:
        now = time.monotonic()
        for name in [name for name, when in self._due.items() if when <= now]:
            del self._due[name]
            self._applications[name].spawn()
            self._born[name] = now

    def _notice_deaths(self) -> None:
        for name, application in self._applications.items():
            if name in self._due or application.process.identity:
                continue
            # What it has started itself, such as the processes of the web server, would hold its port.
            adopt_lost([application.process])
            lived = time.monotonic() - self._born[name]
            self._fast_deaths[name] = self._fast_deaths[name] + 1 if lived < FAST_DEATH_SECONDS else 0
            log = application.process.log
            if self._fast_deaths[name] >= FAST_DEATHS:
                raise StackError(f"{name} died {FAST_DEATHS} times in a row soon after its start. Its log: {log}")
            self._follower.emit()
            delay = float(max(1, self._fast_deaths[name]))
            last_lines = "".join(f"    {line}\n" for line in tail(log, DEATH_LINES))
            self._say(f"\n{name} died after {lived:.0f} s. The end of {log}:\n{last_lines}")
            self._say(f"{name} is started again in {delay:.0f} s.\n\n")
            self._due[name] = time.monotonic() + delay

    def _notice_servers(self) -> None:
        """Say once that a server is gone; starting it again is left to the developer, who may be testing just that."""
        gone = {name for name in self._stack.names if self._stack.process(name).identity is None}
        for name in sorted(gone - self._gone_servers):
            root = self._stack.layout.root
            self._say(f"\n{name} is gone. Start it again: .venv/bin/python -m deploy.local start --root {root}\n\n")
        for name in sorted(self._gone_servers - gone):
            self._say(f"\n{name} is back.\n\n")
        self._gone_servers = gone

    def _web_answers(self) -> bool:
        connection = HTTPConnection(HOST, self._port, timeout=1.0)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def _is_quiet(self, *, since: float, answered_at: float) -> bool:
        now = time.monotonic()
        return now - since > QUIET_SECONDS or now - answered_at > LONGEST_WAIT_FOR_QUIET

    def _say(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
