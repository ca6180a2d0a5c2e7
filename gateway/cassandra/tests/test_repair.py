"""manage.py cassandra repair on one node with the real nodetool; three_nodes shows what it mends."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from structlog.testing import capture_logs

from gateway.cassandra.maintenance import lock, repair
from gateway.cassandra.maintenance.repair import RepairStep, planned
from gateway.cassandra.table import Table
from gateway.redis.clients import redis_client
from gateway.tasks import repair_cassandra
from gateway.tests.samples.cassandra.tables import HISTORY, REGIONAL, SESSIONS

# Nobody listens there.
CLOSED = "127.0.0.1:1"


@pytest.fixture(autouse=True)
def one_table(tables: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of nodetool starts a Java: one is enough."""
    declare(HISTORY, SESSIONS, monkeypatch=monkeypatch)


def declare(*tables: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "declared_tables", lambda: tables)


def run(*options: str) -> tuple[str, str]:
    """What the command writes to stdout and stderr, with how long it took left out."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("cassandra", "repair", *options, stdout=out, stderr=err, no_color=True)
    except CommandError as error:
        err.write(str(error))
    return re.sub(r"\d+\.\d s", "… s", out.getvalue()), re.sub(r"\d+\.\d s", "… s", err.getvalue())


def test_every_node_repairs_the_tables_declared_for_it_keyspace_by_keyspace(settings: Settings) -> None:
    settings.CASSANDRA_KEYSPACE_PREFIX = "shop"
    more = replace(HISTORY, name="more")

    steps = planned((REGIONAL, HISTORY, SESSIONS, more), ["one:7199", "two:7199"])

    assert steps == [
        RepairStep("shop_history", ("sample_regional",), "one:7199"),
        RepairStep("shop_history", ("sample_regional",), "two:7199"),
        RepairStep("shop_orders", ("sample_history", "more"), "one:7199"),
        RepairStep("shop_orders", ("sample_history", "more"), "two:7199"),
    ]


def test_node_that_fails_is_reported_and_the_others_are_repaired(settings: Settings) -> None:
    (node,) = settings.CASSANDRA_JMX
    settings.CASSANDRA_JMX = [CLOSED, node]

    out, err = run()

    assert out == f"{HISTORY.keyspace} on {node}: sample_history repaired in … s\n"
    assert err == (
        f"{HISTORY.keyspace} on {CLOSED}: FAILED after … s: "
        f"Failed to connect to '{CLOSED}' - ConnectException: 'Connection refused'.\n"
        f"1 of 2 repairs failed: {HISTORY.keyspace} on {CLOSED}"
    )


def test_nightly_task_finds_nodetool_on_path_and_leaves_the_same_in_the_log(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(settings.CASSANDRA_NODETOOL).parent), prepend=":")
    settings.CASSANDRA_NODETOOL = ""
    (node,) = settings.CASSANDRA_JMX
    settings.CASSANDRA_JMX = [CLOSED, node]

    with capture_logs() as logged:
        repair_cassandra()

    about = {"keyspace": HISTORY.keyspace, "tables": ("sample_history",)}
    assert [{name: line[name] for name in line if name != "seconds"} for line in logged] == [
        {
            **about,
            "node": CLOSED,
            "event": "cassandra.repair_failed",
            "error": f"Failed to connect to '{CLOSED}' - ConnectException: 'Connection refused'.",
            "log_level": "error",
        },
        {**about, "node": node, "event": "cassandra.repaired", "log_level": "info"},
    ]


def test_without_endpoints_the_nodes_that_the_driver_knows_are_asked_at_the_usual_port(settings: Settings) -> None:
    settings.CASSANDRA_JMX = []
    settings.CASSANDRA_NODETOOL = "/nowhere/nodetool --ssl"

    out, err = run()

    assert out == ""
    assert err == (
        f"{HISTORY.keyspace} on 127.0.0.1:7199: FAILED after … s: "
        "[Errno 2] No such file or directory: '/nowhere/nodetool'\n"
        f"1 of 1 repairs failed: {HISTORY.keyspace} on 127.0.0.1:7199"
    )


def test_without_nodetool_one_line_says_that_repair_is_skipped_and_what_would_help(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CASSANDRA_NODETOOL = ""
    monkeypatch.setenv("PATH", "/nowhere")
    line = "there is no nodetool on PATH: repair is skipped. CASSANDRA_NODETOOL may name the command line that runs it"

    assert run() == (f"{line}\n", "")
    with capture_logs() as logged:
        repair_cassandra()
    assert logged == [{"event": "cassandra.repair_skipped", "reason": line, "log_level": "warning"}]


def test_dry_run_prints_the_calls_for_whoever_has_a_nodetool(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CASSANDRA_NODETOOL = ""
    settings.CASSANDRA_JMX = ["one:7199", "two:7199"]
    monkeypatch.setenv("PATH", "/nowhere")

    out, err = run("--dry-run")

    assert err == ""
    assert out == (
        f"nodetool -h one -p 7199 repair --full --partitioner-range {HISTORY.keyspace} sample_history\n"
        f"nodetool -h two -p 7199 repair --full --partitioner-range {HISTORY.keyspace} sample_history\n"
    )


def test_nothing_declared_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(SESSIONS, monkeypatch=monkeypatch)

    assert run() == ("no table is declared to be repaired: nothing to do\n", "")


def test_second_repair_gives_way_to_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "WAIT_SECONDS", 0.1)
    with redis_client().lock(lock.REPAIR_NAME, timeout=10):
        assert run() == ("", "another repair has held the lock for 0 s")

        with capture_logs() as logged:
            repair_cassandra()

    assert logged == [
        {
            "event": "cassandra.repair_skipped",
            "reason": "another repair has held the lock for 0 s",
            "log_level": "warning",
        }
    ]


def test_call_that_takes_too_long_is_ended_and_the_lock_is_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "CALL_SECONDS", 0.2)
    monkeypatch.setattr(repair, "RENEW_SECONDS", 0.1)

    out, err = run()

    assert out == ""
    assert "not done after 0 s; nodetool is ended, the nodes may go on" in err
    assert redis_client().exists(lock.REPAIR_NAME) == 0


def test_not_configured_is_no_failure(fresh: Settings) -> None:
    fresh.CASSANDRA_CONTACT_POINTS = []

    assert run() == ("Cassandra is not configured (CASSANDRA_CONTACT_POINTS is empty): nothing to do\n", "")


def test_unreachable_cassandra_is_a_failure_when_its_nodes_are_not_named(fresh: Settings) -> None:
    fresh.CASSANDRA_CONTACT_POINTS = [CLOSED]
    fresh.CASSANDRA_JMX = []

    out, err = run()

    assert out == ""
    assert "no node of dc1 can be reached" in err
