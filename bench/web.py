"""The gateway's web server as production runs it, for those who measure it: limits of one client aside."""

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import NamedTuple

from bench.connection import HOST
from gateway.tests.redis_servers import free_port

GATEWAY = "gateway"
STARTING_SECONDS = 60.0
# Everything is on, throttle included; but all requests come from one address, which production would soon refuse.
VARIABLES = {
    "DEBUG": "false",
    "ALLOWED_HOSTS": HOST,
    "GRAPHIQL": "false",
    "GRAPHQL_INTROSPECTION": "false",
    "GRAPHQL_SUGGESTIONS": "false",
    "GRAPHQL_BUCKET_POINTS": "1000000000",
    "GRAPHQL_BUCKET_RESTORE": "100000000",
    "GRAPHQL_MAX_RUNNING_PER_CLIENT": "64",
    "LOG_FORMAT": "json",
}


class Server(NamedTuple):
    name: str
    pid: int
    port: int


@contextmanager
def web_server(*, workers: int = 1, variables: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A web server of its own that answers, with so many processes, 0: one per core; ended with the block."""
    port = free_port()
    command = [sys.executable, "-m", "gateway.web.server", "--port", str(port)]
    environment = {**VARIABLES, "WEB_CONCURRENCY": str(workers or ""), **(variables or {})}
    with running(command, port, environment, path="/healthz") as pid:
        yield Server(GATEWAY, pid, port)


@contextmanager
def running(command: list[str], port: int, variables: Mapping[str, str], *, path: str) -> Iterator[int]:
    """The pid of a server that answers at this path; it ends with the block."""
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, env={**os.environ, **variables}, stdout=log, stderr=log) as process,  # noqa: S603
    ):
        try:
            if not _answers_in_time(process, port, path):
                log.seek(0)
                sys.exit(f"{command[1]} does not answer:\n{log.read().decode()}")
            yield process.pid
        finally:
            process.terminate()


def python_told() -> str:
    """Which Python this is, and whether it was built with profile-guided optimisation, as far as it knows."""
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    if "--enable-optimizations" in options:
        built = "with profile-guided optimisation"
    elif sys.base_prefix == "/usr":
        built = "by the distribution; Debian's and Ubuntu's have profile-guided optimisation, without saying so"
    else:
        built = "without profile-guided optimisation: half as slow again"
    return f"Python {sys.version.split()[0]} of {sys.base_prefix}, built {built}"


def _answers_in_time(process: subprocess.Popen[bytes], port: int, path: str) -> bool:
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        connection = HTTPConnection(HOST, port, timeout=1)
        try:
            connection.request("GET", path)
            connection.getresponse()
        except OSError:
            time.sleep(0.1)
        else:
            return True
        finally:
            connection.close()
    return False
