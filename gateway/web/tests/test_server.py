"""The web server's processes: replaced and cured while real requests are answered."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import httpx
import pytest

from deploy.local.process.ports import HOST
from deploy.tests.servers import running
from gateway.tests.eventually import eventually
from gateway.tests.redis_servers import free_port
from gateway.web.server import cores_of, processes_wanted

BODY = '{"query": "{ __typename }"}'
# A settings module of which a later version cannot be imported.
SETTINGS = """
import os
from gateway.settings import *
if os.path.exists({flag!r}):
    raise RuntimeError("the new release is broken")
"""


class Parent:
    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process = process
        self.port = port
        self.log = log

    def serving(self) -> set[int]:
        """The processes that have begun to serve and still run."""
        begun = {int(pid) for pid in _logged(self.log, "Started server process [")}
        return {pid for pid in begun if _runs(pid)}


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[Parent]:
    with serving(tmp_path / "web.log") as started:
        yield started


@contextmanager
def serving(log: Path, **variables: str) -> Iterator[Parent]:
    port = free_port()
    command = [sys.executable, "-m", "gateway.web.server", "--port", str(port)]
    environment = {"WEB_CONCURRENCY": "2", "GRAPHQL_MAX_RUNNING_PER_CLIENT": "64", **variables}
    ready = lambda: len(_logged(log, "Application startup complete")) == 2  # noqa: E731
    with running(command, ready=ready, log=log, environment=environment) as process:
        yield Parent(process, port, log)


@contextmanager
def asking(port: int) -> Iterator[Counter[object]]:
    """Buyers who ask all the time, some on one connection, some on a new one each time; what they were told."""
    told: Counter[object] = Counter()
    ended = threading.Event()

    def ask(*, stay: bool) -> None:
        connection = HTTPConnection(HOST, port, timeout=20)
        while not ended.is_set():
            try:
                connection.request("POST", "/graphql", BODY, {"content-type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                told[answer.status] += 1
            except (OSError, HTTPException) as error:
                told[type(error).__name__] += 1
                connection.close()
            if not stay:
                connection.close()
            time.sleep(0.005)

    buyers = [threading.Thread(target=ask, kwargs={"stay": stay}) for stay in (True, False) * 3]
    for buyer in buyers:
        buyer.start()
    try:
        yield told
    finally:
        ended.set()
        for buyer in buyers:
            buyer.join()


@pytest.mark.timeout(300)
def test_no_request_is_lost_while_all_processes_are_replaced(parent: Parent) -> None:
    before = parent.serving()

    with asking(parent.port) as told:
        parent.process.send_signal(signal.SIGHUP)
        eventually(lambda: len(parent.serving() - before) == 2 and not parent.serving() & before, within=200)

    assert len(before) == 2
    assert set(told) == {200}


@pytest.mark.timeout(300)
def test_killed_process_is_started_anew_while_the_other_serves(parent: Parent) -> None:
    killed, other = sorted(parent.serving())

    os.kill(killed, signal.SIGKILL)
    answers = [httpx.get(f"http://{HOST}:{parent.port}/healthz", timeout=60).status_code for _ in range(20)]
    eventually(lambda: len(parent.serving()) == 2, within=200)

    assert answers == [200] * 20
    assert other in parent.serving()


@pytest.mark.timeout(300)
def test_release_that_does_not_start_leaves_the_old_processes(tmp_path: Path) -> None:
    flag = tmp_path / "broken"
    (tmp_path / "later_settings.py").write_text(SETTINGS.format(flag=str(flag)))
    path = os.pathsep.join((str(tmp_path), str(Path.cwd())))
    variables = {"PYTHONPATH": path, "DJANGO_SETTINGS_MODULE": "later_settings"}

    with serving(tmp_path / "web.log", **variables) as parent:
        before = parent.serving()
        flag.touch()
        parent.process.send_signal(signal.SIGHUP)
        eventually(lambda: "aborting the restart" in parent.log.read_text(), within=200)
        answer = httpx.get(f"http://{HOST}:{parent.port}/healthz", timeout=20)

        assert answer.status_code == 200
        assert parent.serving() == before


@pytest.mark.timeout(120)
def test_settings_that_production_refuses_end_the_server() -> None:
    command = [sys.executable, "-m", "gateway.web.server", "--port", str(free_port())]
    environment = {**os.environ, "GATEWAY_ENV": "production", "SECRET_KEY": "short", "WEB_CONCURRENCY": "1"}
    environment.pop("DJANGO_SETTINGS_MODULE")

    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)

    assert ended.returncode == 3
    assert "gateway.E001" in ended.stderr


@pytest.mark.timeout(120)
def test_it_ends_when_told(parent: Parent) -> None:
    parent.process.terminate()

    assert parent.process.wait(60) == 0
    assert parent.serving() == set()


@pytest.mark.parametrize(
    ("quota", "cores"),
    [("150000 100000", 2), ("100000 100000", 1), ("5000 100000", 1), ("max 100000", None), ("", None)],
)
def test_cores_are_counted_by_the_quota_of_a_container(quota: str, cores: int | None) -> None:
    assert cores_of(quota) == cores


def test_as_many_processes_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", "7")

    assert processes_wanted() == 7


def _logged(log: Path, beginning: str) -> list[str]:
    """What follows these words in the log, up to the next sign that is no part of a number."""
    text = log.read_text(errors="replace") if log.exists() else ""
    return [part.partition("]")[0] for part in text.split(beginning)[1:]]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
