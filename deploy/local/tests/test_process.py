import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.process.process import LOG_KEEP_BYTES, Process, adopt_lost, stop_all
from gateway.tests.eventually import eventually

SLEEP = ("sleep", "60")
IGNORES_TERM = ("sh", "-c", "trap '' TERM; while true; do sleep 0.1; done")


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    process = Process("sleeper", pid_file=tmp_path / "run" / "sleeper.pid", log=tmp_path / "log" / "sleeper.log")
    yield process
    process.kill()


def pid_of(process: Process) -> int:
    assert process.identity
    return process.identity.pid


def test_a_spawned_process_lives_in_a_session_of_its_own(process: Process) -> None:
    process.spawn(SLEEP, os.environ)

    assert os.getsid(pid_of(process)) == pid_of(process)
    assert os.getsid(pid_of(process)) != os.getsid(0)


def test_another_launcher_finds_the_process_by_its_pid_file(process: Process) -> None:
    process.spawn(SLEEP, os.environ)

    found = Process("sleeper", pid_file=process.pid_file, log=process.log)

    assert found.identity == process.identity


def test_a_spawned_process_holds_no_file_of_whoever_called(process: Process, tmp_path: Path) -> None:
    callers = os.open(tmp_path / "lock of the caller", os.O_CREAT | os.O_RDWR)
    os.set_inheritable(callers, True)

    process.spawn(SLEEP, os.environ)

    os.close(callers)
    held = [link.readlink() for link in Path(f"/proc/{pid_of(process)}/fd").iterdir()]
    assert sorted(held) == sorted([Path(os.devnull), process.log, process.log])


def test_output_is_appended_to_the_log(process: Process) -> None:
    process.spawn(("sh", "-c", "echo first; echo second >&2"), os.environ)
    eventually(lambda: process.identity is None, within=5)
    process.spawn(("echo", "third"), os.environ)
    eventually(lambda: process.identity is None, within=5)

    assert process.log.read_text() == "first\nsecond\nthird\n"


def test_a_log_that_has_grown_large_is_put_aside(process: Process) -> None:
    process.log.parent.mkdir()
    process.log.write_bytes(b"x" * (LOG_KEEP_BYTES + 1))

    process.spawn(("echo", "anew"), os.environ)
    eventually(lambda: process.identity is None, within=5)

    assert process.log.read_text() == "anew\n"
    assert process.log.with_suffix(".log.1").stat().st_size == LOG_KEEP_BYTES + 1


@pytest.mark.parametrize("content", ["", "4711", "{}", '{"pid": 99999999, "started": 1}', '{"pid": null}', "\0\0"])
def test_a_stale_or_damaged_pid_file_counts_for_nothing(process: Process, content: str) -> None:
    process.pid_file.parent.mkdir()
    process.pid_file.write_text(content)

    assert process.identity is None


def test_a_recycled_pid_is_not_killed(process: Process) -> None:
    process.spawn(SLEEP, os.environ)
    innocent = pid_of(process)
    record = json.loads(process.pid_file.read_text())
    of_an_older_process = {**record, "started": record["started"] - 1}
    process.pid_file.write_text(json.dumps(of_an_older_process))

    stop_all([process], seconds=1)
    process.kill()

    assert not process.pid_file.exists()
    process.adopt(innocent)
    assert pid_of(process) == innocent


def test_a_process_killed_from_outside_is_noticed_and_can_be_started_again(process: Process) -> None:
    process.spawn(SLEEP, os.environ)
    first = pid_of(process)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: process.identity is None, within=5)

    process.spawn(SLEEP, os.environ)

    assert pid_of(process) != first


def test_kill_takes_the_children_too(process: Process) -> None:
    process.spawn(("sh", "-c", "sleep 60 & echo $!; wait"), os.environ)
    eventually(lambda: process.log.read_text().endswith("\n"), within=5)
    child = Path("/proc") / process.log.read_text().strip()
    assert child.exists()

    process.kill()

    eventually(lambda: not child.exists() or "Z" in (child / "stat").read_text(), within=5)
    assert not process.pid_file.exists()


def test_stopping_lets_a_process_end_in_its_own_way(process: Process) -> None:
    process.spawn(("sh", "-c", "trap 'echo bye; exit' TERM; echo up; while true; do sleep 0.05; done"), os.environ)
    eventually(lambda: process.log.read_text() == "up\n", within=5)

    killed = stop_all([process], seconds=5)

    assert killed == []
    assert process.log.read_text() == "up\nbye\n"


def test_what_does_not_stop_in_time_is_killed(process: Process) -> None:
    process.spawn(IGNORES_TERM, os.environ)
    time.sleep(0.2)

    killed = stop_all([process], seconds=0.3)

    assert killed == ["sleeper"]
    assert process.identity is None


def test_a_suspended_process_stops_as_quickly_as_any(process: Process) -> None:
    process.spawn(SLEEP, os.environ)
    process.send(signal.SIGSTOP)
    eventually(lambda: process.suspended, within=5)

    killed = stop_all([process], seconds=5)

    assert killed == []
    assert process.identity is None


def test_a_process_whose_pid_file_was_lost_gets_it_back(process: Process) -> None:
    process.spawn(SLEEP, os.environ)
    identity = process.identity
    process.pid_file.unlink()
    assert process.identity is None

    adopt_lost([process])

    assert process.identity == identity


def test_children_that_outlived_their_killed_parent_are_ended(process: Process) -> None:
    process.spawn(("sh", "-c", "sleep 60 & echo $!; wait"), os.environ)
    eventually(lambda: process.log.read_text().endswith("\n"), within=5)
    child = Path("/proc") / process.log.read_text().strip()
    os.kill(pid_of(process), signal.SIGKILL)
    eventually(lambda: process.identity is None, within=5)
    assert child.exists()

    adopt_lost([process])

    eventually(lambda: not child.exists() or "Z" in (child / "stat").read_text(), within=5)
    assert process.identity is None
