"""`make run` on the servers of the test run, which it takes for somebody else's: only its own processes come and go."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from pymongo import MongoClient
from redis import Redis

from deploy.local.process.applications import NAMES
from deploy.local.process.ports import HOST, is_free
from deploy.local.process.process import Process
from deploy.local.start.stack import Stack
from deploy.local.tests.conftest import Launcher

DATABASE = "make_run"
# A task that is found at work after this time hangs.
LONGEST_GOOD_TASK_SECONDS = 3.0


@pytest.fixture
def port() -> int:
    with socket.create_server((HOST, 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture
def runner(tmp_path: Path, port: int) -> Iterator[Launcher]:
    if not {"MONGODB_URI", "REDIS_URL"} <= os.environ.keys():
        pytest.skip("needs the servers of make test")
    environ = {
        "MONGODB_URI": os.environ["MONGODB_URI"],
        # Another logical database, so that its worker takes no task of other tests.
        "REDIS_URL": urlsplit(os.environ["REDIS_URL"])._replace(path="/4").geturl(),
        "CASSANDRA_CONTACT_POINTS": os.environ.get("CASSANDRA_CONTACT_POINTS", ""),
        "CASSANDRA_KEYSPACE_PREFIX": "test_mobile_world",
        "MONGODB_DATABASE": DATABASE,
        "DJANGO_SETTINGS_MODULE": "gateway.settings",
        "PORT": str(port),
        "DEMO_PRODUCTS": "100",
    }
    launcher = Launcher(tmp_path / "root", environ)
    yield launcher
    launcher("clean")
    with MongoClient[dict[str, object]](os.environ["MONGODB_URI"]) as client:
        client.drop_database(DATABASE)


def until_line(run: subprocess.Popen[str], start: str) -> list[str]:
    """What is printed up to the line that starts so."""
    assert run.stdout
    lines = []
    for line in run.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith(start):
            return lines
    pytest.fail("it ended:\n" + "\n".join(lines))


def pids(launcher: Launcher) -> dict[str, int]:
    identities = {name: Process.of(launcher.layout, name).identity for name in NAMES}
    return {name: identity.pid for name, identity in identities.items() if identity}


def ask_for_geozones(port: int) -> None:
    answer = httpx.post(f"http://127.0.0.1:{port}/graphql", json={"query": "{ geozones { code name } }"}, timeout=20)
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["data"]["geozones"]) > 0


@pytest.mark.timeout(240)
def test_run_serves_the_shop_until_it_is_told_to_stop(runner: Launcher, port: int) -> None:
    run = runner.begin("run")
    lines = until_line(run, "  Ctrl-C stops everything")
    steps = [line.split()[0] for line in lines if " … " in line]
    # GraphiQL is fetched only once per machine.
    assert [step for step in steps if step != "graphiql"] == [
        "topology",
        "migrate",
        "cassandra",
        "roles",
        "accounts",
        "demo",
    ]
    # Beside the steps and the welcome only what the processes say when all is well.
    logged = [line for line in lines if line.startswith(NAMES)]
    assert [line for line in logged if not re.match(r"\w+ +\d\d:\d\d:\d\d \[info\] ", line)] == []
    assert f"  GraphQL   http://localhost:{port}/graphql" in lines
    assert f"  Admin     http://localhost:{port}/admin/" in lines

    ask_for_geozones(port)

    status, output = runner("run")
    assert status == 1
    assert output == (
        f"\nmake run is already running (pid {run.pid}) at http://localhost:{port}/; "
        "stop it with Ctrl-C there, or make stop\n"
    )

    status, output = runner("status")
    rows = [line.split()[:4] for line in output.splitlines()]
    before = pids(runner)
    assert status == 0, output
    assert ["web", "running", str(before["web"]), f"http://localhost:{port}/"] in rows
    assert list(before) == ["web", "worker", "beat"]
    os.kill(before["beat"], signal.SIGKILL)
    until_line(run, "beat is started again in 1 s.")
    while len(after := pids(runner)) < len(before):
        time.sleep(0.05)
    assert after["beat"] != before["beat"]
    assert (after["web"], after["worker"]) == (before["web"], before["worker"])
    # The web server's own processes outlive it, and must give back its port.
    os.kill(after["web"], signal.SIGKILL)
    until_line(run, "web is started again in 1 s.")
    while pids(runner).get("web", after["web"]) == after["web"] or is_free(port):
        time.sleep(0.05)
    ask_for_geozones(port)

    status, output = runner("stop")
    assert status == 0, output
    run.communicate(timeout=20)
    assert run.returncode == 0
    assert pids(runner) == {}
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/healthz")


@pytest.mark.timeout(240)
def test_ctrl_c_ends_everything_while_mongodb_is_away(runner: Launcher, port: int, stack: Stack) -> None:
    broker = Redis.from_url(runner.environ["REDIS_URL"])
    broker.flushdb()
    # So long that a task or a request which waits for MongoDB would never end by itself.
    run = runner.begin("run", MONGODB_SERVER_SELECTION_MS="120000")
    until_line(run, "  Ctrl-C stops everything")
    ask_for_geozones(port)
    stack.kill("mongos-1")
    stack.suspend("mongos-2")
    time.sleep(LONGEST_GOOD_TASK_SECONDS)
    while not broker.hlen("unacked"):  # the worker is at a task
        time.sleep(0.1)

    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=60)

    assert run.returncode == 0
    assert [line for line in output.splitlines() if "was killed" in line] == []
    assert pids(runner) == {}
    assert broker.hlen("unacked") == 0  # the task is in the queue again
    assert broker.llen("celery") > 0


def test_a_taken_port_is_named_before_anything_is_started(runner: Launcher, port: int) -> None:
    with socket.create_server((HOST, port)):
        status, output = runner("run")

    holder = Path("/proc/self/comm").read_text().strip()
    assert (status, output) == (
        1,
        f"\nport {port} is taken by {holder} (pid {os.getpid()}). Choose another one: PORT=8001 make run\n",
    )
    assert not runner.layout.description.exists()


def test_what_a_killed_run_left_behind_gives_the_port_back(runner: Launcher, port: int) -> None:
    leftover = Process.of(runner.layout, "web")
    leftover.spawn((sys.executable, "-m", "http.server", str(port), "--bind", HOST), os.environ)
    while is_free(port):
        time.sleep(0.05)

    status, output = runner("run", MONGODB_URI="mongodb://127.0.0.1:1/", MONGODB_SERVER_SELECTION_MS="500")

    # It came as far as the first command that needs MongoDB, whose failure is shown and ends everything.
    assert status == 1
    assert "\nmanage.py topology apply failed:\n" in output
    assert "is taken" not in output
    assert pids(runner) == {}
