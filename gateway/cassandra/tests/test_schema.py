"""manage.py cassandra: what apply makes, what it leaves alone, what it says."""

import io
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cassandra.cluster import Session
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from pytest_django import Settings

from gateway.cassandra.maintenance import lock
from gateway.cassandra.reads import first
from gateway.cassandra.schema.keyspaces import Replication, replication
from gateway.cassandra.schema.live import LiveSchema, find
from gateway.cassandra.schema.plan import SchemaPlan, plan
from gateway.cassandra.table import LEVELLED, SIZE_TIERED, Table, UserType, time_windows
from gateway.cassandra.tests.link import Link
from gateway.cassandra.writes import write
from gateway.management.commands import cassandra
from gateway.redis.clients import redis_client
from gateway.tests.races import at_once
from gateway.tests.samples.cassandra.tables import HISTORY, SAMPLE_LINE, SESSIONS

COLOURS = Table(
    name="colours",
    kind="catalog",
    serves="tests of apply",
    columns={"id": "text", "name": "text"},
    partition_key=("id",),
    write_at=SESSIONS.write_at,
    read_at=SESSIONS.read_at,
    read_repair="NONE",
    repaired_nightly=False,
    versioned=False,
)


def apply(*tables: Table, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[str, str]:
    """What the command writes to stdout and stderr when these are the declared tables."""
    monkeypatch.setattr(cassandra, "declared_tables", lambda: tables)
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("cassandra", "apply", stdout=out, stderr=err, no_color=True, **options)
    except CommandError as error:
        err.write(str(error))
    return out.getvalue(), err.getvalue()


@pytest.fixture
def prefix(session: Session, settings: Settings) -> Iterator[str]:
    """Keyspaces that do not exist yet, and will not afterwards."""
    settings.CASSANDRA_KEYSPACE_PREFIX = "test_apply"
    settings.CASSANDRA_REPLICATION = {"catalog": {"dc1": 1}}
    session.execute("DROP KEYSPACE IF EXISTS test_apply_catalog", timeout=60)
    yield "test_apply"
    session.execute("DROP KEYSPACE IF EXISTS test_apply_catalog", timeout=60)


def test_apply_makes_all_once_and_dry_run_nothing(
    prefix: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err = apply(COLOURS, monkeypatch=monkeypatch, dry_run=True)
    assert err == ""
    assert out == (
        "would create keyspace test_apply_catalog\n"
        "    CREATE KEYSPACE IF NOT EXISTS test_apply_catalog "
        "WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': '1'};\n"
        "would create table test_apply_catalog.colours\n"
        "    CREATE TABLE IF NOT EXISTS test_apply_catalog.colours (id text, name text, PRIMARY KEY ((id))) "
        "WITH default_time_to_live = 0 AND compaction = {'class': 'SizeTieredCompactionStrategy'} "
        "AND read_repair = 'NONE' AND comment = 'tests of apply';\n"
    )
    assert find(session, {"test_apply_catalog"}).replication == {}

    assert apply(COLOURS, monkeypatch=monkeypatch) == (
        "create keyspace test_apply_catalog\ncreate table test_apply_catalog.colours\n",
        "",
    )
    assert apply(COLOURS, monkeypatch=monkeypatch) == ("nothing to change\n", "")

    # A new column is added, and usable at once; anything else is only reported.
    wider = replace(COLOURS, columns={**COLOURS.columns, "shade": "int"})
    assert apply(wider, monkeypatch=monkeypatch) == ("add column test_apply_catalog.colours.shade\n", "")
    write([wider.upsert({"id": "red", "shade": 7})])
    assert first(wider.select("id = ?", "red", columns=["shade"])) == {"shade": 7}

    out, err = apply(replace(wider, ttl=timedelta(days=1)), monkeypatch=monkeypatch)
    assert out == ""
    assert err == (
        "drift: table test_apply_catalog.colours: default_time_to_live 0 instead of 86400\n"
        "    to cure: ALTER TABLE test_apply_catalog.colours WITH default_time_to_live = 86400\n"
        "the schema differs from its declaration; the differences are left as they are"
    )
    assert apply(wider, monkeypatch=monkeypatch) == ("nothing to change\n", "")


def test_two_at_once_do_no_harm(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cassandra, "declared_tables", lambda: (COLOURS,))

    def deploy() -> str:
        out = io.StringIO()
        call_command("cassandra", "apply", stdout=out)
        return out.getvalue()

    assert sorted(at_once(deploy, deploy)) == [
        "create keyspace test_apply_catalog\ncreate table test_apply_catalog.colours\n",
        "nothing to change\n",
    ]


def test_apply_that_never_gets_its_turn_says_so(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "WAIT_SECONDS", 0.1)
    with redis_client().lock(lock.NAME, timeout=10):
        assert apply(monkeypatch=monkeypatch) == ("", "another apply has held the schema for 0 s")


def test_apply_whose_turn_was_taken_stops(session: Session) -> None:
    with lock.schema_lock(pytest.fail) as renew:
        renew()
        redis_client().set(lock.NAME, "somebody else", px=1000)
        with pytest.raises(lock.Locked, match="taken over"):
            renew()


def test_without_redis_apply_goes_on_and_says_so(
    session: Session, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    redis_client.cache_clear()
    try:
        assert apply(monkeypatch=monkeypatch) == (
            "nothing to change\n",
            "Redis is away: make sure that no other apply runs at the same time\n",
        )
    finally:
        redis_client.cache_clear()


def test_not_configured_is_no_failure(fresh: Settings) -> None:
    fresh.CASSANDRA_CONTACT_POINTS = []
    out = io.StringIO()

    call_command("cassandra", "apply", stdout=out)

    assert out.getvalue() == "Cassandra is not configured (CASSANDRA_CONTACT_POINTS is empty): nothing to do\n"


def test_unreachable_is_a_failure(fresh: Settings) -> None:
    fresh.CASSANDRA_CONTACT_POINTS = ["127.0.0.1:1"]

    with pytest.raises(CommandError, match="no node of dc1 can be reached"):
        call_command("cassandra", "apply", wait=0)


def test_apply_waits_for_a_node_that_comes_up(link: Link) -> None:
    link.cut()
    threading.Timer(1.0, link.mend).start()
    out = io.StringIO()

    call_command("cassandra", "apply", stdout=out)

    assert out.getvalue().endswith("nothing to change\n")


def test_status_shows_nodes_keyspaces_and_policies(session: Session, settings: Settings) -> None:
    out = io.StringIO()

    call_command("cassandra", "status", stdout=out)

    prefix = settings.CASSANDRA_KEYSPACE_PREFIX
    lines = out.getvalue().splitlines()
    assert lines[0] == "nodes"
    assert lines[1].endswith("up  hints on")
    assert f"keyspace {prefix}_carts  replication {{'dc1': 1}}, declared {{'dc1': 2}}" in lines
    position = lines.index("  sample_sessions: tests: a row that expires, by its id")
    assert lines[position + 1] == (
        "    write LOCAL_QUORUM, read LOCAL_ONE, read repair NONE, not repaired, rows live 3600 s, Leveled"
    )


# ---------------------------------------------------------------- drift


@pytest.fixture
def found(session: Session) -> LiveSchema:
    return find(session, {HISTORY.keyspace, SESSIONS.keyspace})


def only_drift(made: SchemaPlan) -> str:
    assert made.changes == []
    ((what, _),) = made.drift
    return what


def without(columns: Any, name: str) -> dict[str, str]:
    return {column: cql_type for column, cql_type in columns.items() if column != name}


@pytest.mark.parametrize(
    ("declare", "drift"),
    [
        (
            lambda: replace(HISTORY, partition_key=("owner",), clustering={"month": "ASC", **HISTORY.clustering}),
            "partition key ('owner', 'month') instead of ('owner',)",
        ),
        (
            lambda: replace(HISTORY, clustering={"created_at": "ASC", "order_id": "ASC"}),
            "clustering {created_at: DESC, order_id: ASC} instead of {created_at: ASC, order_id: ASC}",
        ),
        (
            lambda: replace(HISTORY, columns={**HISTORY.columns, "total": "bigint"}),
            "column total is decimal instead of bigint",
        ),
        (
            lambda: replace(HISTORY, columns=without(HISTORY.columns, "total")),
            "column total decimal is not declared",
        ),
        (lambda: replace(HISTORY, ttl=timedelta(hours=1)), "default_time_to_live 0 instead of 3600"),
        (
            lambda: replace(HISTORY, compaction=LEVELLED),
            "compaction {'class': 'SizeTieredCompactionStrategy'} instead of {'class': 'LeveledCompactionStrategy'}",
        ),
        (
            lambda: replace(HISTORY, compaction={**SIZE_TIERED, "min_threshold": "8"}),
            (
                "compaction {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '4'} "
                "instead of {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '8'}"
            ),
        ),
        (lambda: replace(HISTORY, read_repair="NONE"), "read_repair BLOCKING instead of NONE"),
    ],
)
def test_difference_is_drift_and_plans_no_change(declare: Callable[[], Table], drift: str, found: LiveSchema) -> None:
    drifts = [what for what, _ in plan([declare()], found).drift]

    assert f"table {HISTORY.full_name}: {drift}" in drifts
    assert plan([declare()], found).changes == []


def test_options_name_the_statement_that_cures_them(found: LiveSchema) -> None:
    (drift,) = plan([replace(SESSIONS, compaction=time_windows(days=1))], found).drift

    assert drift.cure == (
        f"ALTER TABLE {SESSIONS.full_name} WITH compaction = {{'class': 'TimeWindowCompactionStrategy', "
        "'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'}"
    )


def test_missing_key_column_is_not_added(found: LiveSchema) -> None:
    columns = {**SESSIONS.columns, "device": "text"}

    assert only_drift(plan([replace(SESSIONS, columns=columns, clustering={"device": "ASC"})], found)) == (
        f"table {SESSIONS.full_name}: clustering {{}} instead of {{device: ASC}}"
    )


def with_line(**fields: str) -> Table:
    return replace(HISTORY, types=(UserType("sample_line", fields),))


def test_field_is_added_to_a_type_only_at_its_end(found: LiveSchema) -> None:
    """Values are tuples: a field in the middle would shift those behind it."""
    appended = plan([with_line(product_id="text", quantity="int", price="decimal")], found)
    inserted = plan([with_line(product_id="text", price="decimal", quantity="int")], found)
    retyped = plan([with_line(product_id="text", quantity="bigint")], found)

    assert [change.cql for change in appended.changes] == [
        f"ALTER TYPE {HISTORY.keyspace}.sample_line ADD price decimal"
    ]
    assert appended.drift == []
    assert only_drift(inserted).startswith(f"type {HISTORY.keyspace}.sample_line: fields")
    assert only_drift(retyped).startswith(f"type {HISTORY.keyspace}.sample_line: fields")


def test_type_declared_in_two_ways_is_refused(found: LiveSchema) -> None:
    other = replace(with_line(product_id="int"), name="other")

    with pytest.raises(ImproperlyConfigured, match="sample_line is declared in two ways"):
        plan([HISTORY, other], found)


def test_type_shared_by_two_tables_is_made_once(found: LiveSchema) -> None:
    line = UserType("new_line", dict(SAMPLE_LINE.fields))
    tables = [replace(HISTORY, types=(SAMPLE_LINE, line)), replace(HISTORY, name="other", types=(line,))]

    assert [change.what for change in plan(tables, found).changes] == [
        f"create type {HISTORY.keyspace}.new_line",
        f"create table {HISTORY.keyspace}.other",
    ]


# ---------------------------------------------------------------- replication


def test_replication_is_capped_by_the_nodes_there_are(settings: Settings) -> None:
    settings.CASSANDRA_REPLICATION = {"orders": {"dc1": 3, "dc2": 3}}

    assert replication("orders", {"dc1": 1}).effective == {"dc1": 1}
    assert replication("orders", {"dc1": 2, "dc2": 5}).effective == {"dc1": 2, "dc2": 3}
    assert replication("orders", {"dc1": 3, "dc2": 3}) == Replication(
        {"dc1": 3, "dc2": 3}, effective={"dc1": 3, "dc2": 3}
    )


def test_local_data_centre_keeps_one_replica(settings: Settings) -> None:
    settings.CASSANDRA_REPLICATION = {"orders": {"dc2": 3}}

    assert replication("orders", {}).effective == {"dc1": 1}
    assert replication("orders", {"dc1": 1, "dc2": 1}).effective == {"dc1": 1, "dc2": 1}


def test_replication_is_as_declared_in_production(settings: Settings) -> None:
    settings.CASSANDRA_CAP_REPLICATION = False
    settings.CASSANDRA_REPLICATION = {"orders": {"dc1": 3, "dc2": 3}}

    assert replication("orders", {"dc1": 1}) == Replication({"dc1": 3, "dc2": 3}, effective={"dc1": 3, "dc2": 3})


def test_capping_is_said(found: LiveSchema, settings: Settings) -> None:
    settings.CASSANDRA_REPLICATION = {"carts": {"dc1": 2, "dc2": 2}}

    made = plan([SESSIONS], found)

    assert (made.changes, made.drift) == ([], [])
    assert made.notes == [
        f"keyspace {SESSIONS.keyspace}: replication {{dc1: 2, dc2: 2}} capped to {{dc1: 1}} by the nodes there are"
    ]


def test_too_few_replicas_are_drift_with_the_statement_to_run(found: LiveSchema, settings: Settings) -> None:
    settings.CASSANDRA_REPLICATION = {"carts": {"dc1": 3}}
    settings.CASSANDRA_CAP_REPLICATION = False

    (drift,) = plan([SESSIONS], found).drift

    assert drift.what == f"keyspace {SESSIONS.keyspace}: replication {{dc1: 1}} instead of {{dc1: 3}}"
    assert drift.cure == (
        f"ALTER KEYSPACE {SESSIONS.keyspace} WITH replication = {{'class': 'NetworkTopologyStrategy', 'dc1': '3'}}; "
        f"then nodetool repair {SESSIONS.keyspace} on every node"
    )


def test_node_that_is_down_for_now_is_no_drift(found: LiveSchema, settings: Settings) -> None:
    settings.CASSANDRA_REPLICATION = {"carts": {"dc1": 3}}

    three = replace(found, replication={SESSIONS.keyspace: {"dc1": 3}})
    too_many = replace(found, replication={SESSIONS.keyspace: {"dc1": 4}})

    assert plan([SESSIONS], three).drift == []
    assert len(plan([SESSIONS], too_many).drift) == 1


def test_other_strategy_is_drift(found: LiveSchema) -> None:
    simple = replace(found, replication={SESSIONS.keyspace: {}})

    assert len(plan([SESSIONS], simple).drift) == 1
