"""A declaration, the CQL it makes, and what it refuses."""

from dataclasses import replace
from datetime import date, timedelta
from types import ModuleType
from typing import Any

import pytest
from cassandra.query import UNSET_VALUE
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from gateway.cassandra import table
from gateway.cassandra.schema import cql
from gateway.cassandra.statements import Consistency, Select, Write
from gateway.cassandra.table import declared_tables, time_windows
from gateway.tests.samples.cassandra.tables import HISTORY, REGIONAL, SAMPLE_LINE, SESSIONS


@pytest.fixture(autouse=True)
def shop(settings: Settings) -> None:
    settings.CASSANDRA_KEYSPACE_PREFIX = "shop"


def test_table_becomes_cql() -> None:
    assert cql.create_table(HISTORY) == (
        "CREATE TABLE IF NOT EXISTS shop_orders.sample_history (owner text, month text, created_at timestamp, "
        "order_id uuid, status text, total decimal, lines frozen<list<frozen<sample_line>>>, "
        "PRIMARY KEY ((owner, month), created_at, order_id)) "
        "WITH CLUSTERING ORDER BY (created_at DESC, order_id ASC) AND default_time_to_live = 0 "
        "AND compaction = {'class': 'SizeTieredCompactionStrategy'} AND read_repair = 'BLOCKING' "
        "AND comment = 'tests: rows of an owner''s month, newest first, written under versions'"
    )


def test_table_without_clustering_becomes_cql() -> None:
    assert cql.create_table(SESSIONS) == (
        "CREATE TABLE IF NOT EXISTS shop_carts.sample_sessions (session_id text, data text, devices map<text, int>, "
        "PRIMARY KEY ((session_id))) WITH default_time_to_live = 3600 "
        "AND compaction = {'class': 'LeveledCompactionStrategy'} AND read_repair = 'NONE' "
        "AND comment = 'tests: a row that expires, by its id'"
    )


def test_type_and_keyspace_become_cql() -> None:
    assert cql.create_type("shop_orders", SAMPLE_LINE) == (
        "CREATE TYPE IF NOT EXISTS shop_orders.sample_line (product_id text, quantity int)"
    )
    assert cql.create_keyspace("shop_orders", {"dc2": 2, "dc1": 3}) == (
        "CREATE KEYSPACE IF NOT EXISTS shop_orders "
        "WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': '3', 'dc2': '2'}"
    )


def test_select_carries_read_consistency_of_its_table() -> None:
    assert REGIONAL.select("region = ? AND day = ?", "msk", date(2025, 9, 29), columns=["total"], limit=10) == Select(
        "SELECT total FROM shop_history.sample_regional WHERE region = ? AND day = ? LIMIT ?",
        ("msk", date(2025, 9, 29), 10),
        Consistency.ONE,
        page_size=10,
    )


def test_upsert_carries_write_consistency_and_leaves_absent_columns_unset() -> None:
    row = {"region": "msk", "day": date(2025, 9, 29), "order_id": "1"}
    assert REGIONAL.upsert(row, timestamp=7, ttl=timedelta(minutes=1)) == Write(
        "INSERT INTO shop_history.sample_regional (region, day, order_id, total) VALUES (?, ?, ?, ?) "
        "USING TIMESTAMP ? AND TTL ?",
        ("msk", date(2025, 9, 29), "1", UNSET_VALUE, 7, 60),
        Consistency.ANY,
        partition=("shop_history.sample_regional", "msk", date(2025, 9, 29)),
    )


def test_delete_takes_a_row_or_the_rows_below_a_part_of_the_key() -> None:
    key = {"region": "msk", "day": date(2025, 9, 29)}
    assert REGIONAL.delete({**key, "order_id": "1"}, timestamp=7).cql == (
        "DELETE FROM shop_history.sample_regional USING TIMESTAMP ? WHERE region = ? AND day = ? AND order_id = ?"
    )
    assert REGIONAL.delete(key, timestamp=7).params == (7, "msk", date(2025, 9, 29))


@pytest.mark.parametrize(
    "row",
    [
        {"session_id": "1", "colour": "red"},
        {"data": "no key"},
        {"session_id": None, "data": "no key either"},
    ],
)
def test_row_that_does_not_fit_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="sample_sessions"):
        SESSIONS.upsert(row)


@pytest.mark.parametrize("key", [{"owner": "u:1"}, {"owner": "u:1", "month": "2025-09", "order_id": "1"}, {}])
def test_delete_by_something_else_than_the_beginning_of_the_key_is_refused(key: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no beginning of the key"):
        HISTORY.delete(key, timestamp=1)


def test_select_with_wrong_number_of_parameters_or_unknown_column_is_refused() -> None:
    with pytest.raises(ValueError, match="1 parameters for «owner = \\? AND month = \\?»"):
        HISTORY.select("owner = ? AND month = ?", "u:1")
    with pytest.raises(ValueError, match="no columns \\['colour'\\]"):
        HISTORY.select("owner = ?", "u:1", columns=["colour"])


def test_versioned_table_refuses_writes_without_timestamp_and_the_other_way_round() -> None:
    with pytest.raises(ValueError, match="sample_history: writes carry a timestamp"):
        HISTORY.delete({"owner": "u:1", "month": "2025-09"})
    with pytest.raises(ValueError, match="sample_sessions: writes go by the clock"):
        SESSIONS.upsert({"session_id": "1"}, timestamp=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "Sessions"}, "no name for Cassandra"),
        ({"partition_key": ()}, "must name columns"),
        ({"partition_key": ("id",)}, "must name columns"),
        ({"clustering": {"session_id": "ASC"}}, "must name columns"),
        ({"read_at": Consistency.ANY}, "ANY is for writes"),
        ({"columns": {"session_id": "text", "hits": "counter"}}, "cannot be written idempotently"),
        ({"columns": {"session_id": "text", "items": "list<text>"}}, "cannot be written idempotently"),
    ],
)
def test_wrong_declaration_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=message):
        replace(SESSIONS, **wrong)


def test_lifetime_shorter_than_a_second_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot live"):
        replace(SESSIONS, ttl=timedelta(milliseconds=10))


def test_time_windows_are_in_days() -> None:
    assert time_windows(days=30) == {
        "class": "TimeWindowCompactionStrategy",
        "compaction_window_unit": "DAYS",
        "compaction_window_size": "30",
    }


def test_tables_of_installed_apps_are_found() -> None:
    assert [table for table in declared_tables() if table.name.startswith("sample_")] == [HISTORY, SESSIONS, REGIONAL]


def test_table_declared_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = ModuleType("tables")
    tables.TABLES = (SESSIONS, replace(SESSIONS, serves="the same name again"))  # type: ignore[attr-defined]
    monkeypatch.setattr(table, "import_module", lambda _: tables)

    with pytest.raises(ImproperlyConfigured, match=r"shop_carts\.sample_sessions is declared twice"):
        declared_tables()
