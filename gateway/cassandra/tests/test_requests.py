"""Reads and writes on a real node: what is sent, and what Cassandra makes of it."""

import asyncio
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from cassandra import ConsistencyLevel, InvalidRequest
from cassandra.query import BatchType
from pytest_django import Settings

from gateway.cassandra import reads, writes
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.reads import first, first_async, ping, read, read_async, read_many, scan, scan_async
from gateway.cassandra.statements import Row, Select, Write
from gateway.cassandra.writes import write
from gateway.tests.samples.cassandra.tables import HISTORY, REGIONAL, SESSIONS, Line

pytestmark = pytest.mark.usefixtures("tables")

MONTH = "2025-09"


@pytest.fixture
def owner() -> str:
    """A partition of its own for each test."""
    return f"u:{uuid.uuid4()}"


def order(owner: str, day: int, **columns: Any) -> Row:
    return {
        "owner": owner,
        "month": MONTH,
        "created_at": datetime(2025, 9, day),  # noqa: DTZ001 as the driver returns it: UTC without saying so
        "order_id": uuid.UUID(int=day),
        **columns,
    }


def orders_of(owner: str, **options: Any) -> Select:
    return HISTORY.select("owner = ? AND month = ?", owner, MONTH, **options)


def test_row_comes_back_as_written(owner: str) -> None:
    row = order(owner, 29, status="paid", total=Decimal("19990.50"), lines=[Line("PROD-1", 2), Line("PROD-2", 1)])

    write([HISTORY.upsert(row, timestamp=1)])

    assert first(orders_of(owner)) == row
    assert first(orders_of(owner, columns=["status"])) == {"status": "paid"}


def test_maps_and_dates_come_back_as_written() -> None:
    session_id, region = str(uuid.uuid4()), str(uuid.uuid4())

    write(
        [
            SESSIONS.upsert({"session_id": session_id, "devices": {"phone": 2}}),
            REGIONAL.upsert({"region": region, "day": date(2025, 9, 29), "order_id": "1"}, timestamp=1),
        ]
    )

    assert first(SESSIONS.select("session_id = ?", session_id)) == {
        "session_id": session_id,
        "data": None,
        "devices": {"phone": 2},
    }
    assert first(REGIONAL.select("region = ? AND day = ?", region, date(2025, 9, 29))) == {
        "region": region,
        "day": date(2025, 9, 29),
        "order_id": "1",
        "total": None,
    }


def test_missing_row_is_none(owner: str) -> None:
    assert first(orders_of(owner)) is None
    assert read(orders_of(owner)) == []
    assert asyncio.run(first_async(orders_of(owner))) is None


def test_rows_come_in_clustering_order_page_by_page(owner: str, requests: list[Any]) -> None:
    write([HISTORY.upsert(order(owner, day), timestamp=1) for day in range(1, 8)])
    requests.clear()

    rows = scan(orders_of(owner, page_size=3, columns=["created_at"]))

    assert [next(rows)["created_at"].day for _ in range(3)] == [7, 6, 5]
    assert len(requests) == 1
    assert [row["created_at"].day for row in rows] == [4, 3, 2, 1]
    assert len(requests) == 3


def test_limit_is_kept_across_pages(owner: str) -> None:
    write([HISTORY.upsert(order(owner, day), timestamp=1) for day in range(1, 8)])

    assert [row["created_at"].day for row in read(orders_of(owner, limit=5, page_size=2))] == [7, 6, 5, 4, 3]


def test_keyset_condition(owner: str) -> None:
    write([HISTORY.upsert(order(owner, day), timestamp=1) for day in range(1, 5)])
    third = order(owner, 3)

    rows = read(
        HISTORY.select(
            "owner = ? AND month = ? AND (created_at, order_id) < (?, ?)",
            owner,
            MONTH,
            third["created_at"],
            third["order_id"],
        )
    )

    assert [row["created_at"].day for row in rows] == [2, 1]


def test_asynchronous_reads_give_the_same(owner: str) -> None:
    write([HISTORY.upsert(order(owner, day, status="new"), timestamp=1) for day in range(1, 8)])
    request = orders_of(owner, page_size=3)

    async def read_all() -> tuple[list[Row], Row | None, list[Row]]:
        return await read_async(request), await first_async(request), [row async for row in scan_async(request)]

    rows, newest, scanned = asyncio.run(read_all())

    assert rows == scanned == read(request)
    assert newest == rows[0]
    assert len(rows) == 7


def test_many_asynchronous_reads_at_once_through_one_connection(owner: str) -> None:
    write([HISTORY.upsert(order(owner, 1, status="new"), timestamp=1)])

    async def read_many() -> list[list[Row]]:
        return await asyncio.gather(*(read_async(orders_of(owner)) for _ in range(100)))

    assert asyncio.run(read_many()) == [read(orders_of(owner))] * 100


def test_first_asynchronous_read_of_a_process_connects_without_blocking_the_loop(owner: str, fresh: Settings) -> None:
    async def read_while_ticking() -> tuple[list[Row], int]:
        ticks = 0
        reading = asyncio.ensure_future(read_async(orders_of(owner)))
        while not reading.done():
            await asyncio.sleep(0.005)
            ticks += 1
        return await reading, ticks

    rows, ticks = asyncio.run(read_while_ticking())

    assert rows == []
    assert ticks > 1


# ---------------------------------------------------------------- consistency


@pytest.mark.parametrize(
    ("make", "level"),
    [
        (lambda key: HISTORY.upsert(order(key, 1), timestamp=1), ConsistencyLevel.LOCAL_QUORUM),
        (lambda key: HISTORY.delete({"owner": key, "month": MONTH}, timestamp=1), ConsistencyLevel.LOCAL_QUORUM),
        (lambda key: SESSIONS.upsert({"session_id": key}), ConsistencyLevel.LOCAL_QUORUM),
        (
            lambda key: REGIONAL.upsert({"region": key, "day": date.max, "order_id": "1"}, timestamp=1),
            ConsistencyLevel.ANY,
        ),
    ],
)
def test_write_is_sent_at_the_declared_consistency(make: Any, level: int, owner: str, requests: list[Any]) -> None:
    write([make(owner)])

    assert [request.message.consistency_level for request in requests] == [level]
    assert [request.query.is_idempotent for request in requests] == [True]


@pytest.mark.parametrize(
    ("request_", "level"),
    [
        (HISTORY.select("owner = ? AND month = ?", "u:1", MONTH), ConsistencyLevel.LOCAL_QUORUM),
        (SESSIONS.select("session_id = ?", "1"), ConsistencyLevel.LOCAL_ONE),
        (REGIONAL.select("region = ? AND day = ?", "msk", date.max), ConsistencyLevel.ONE),
    ],
)
def test_read_is_sent_at_the_declared_consistency(request_: Select, level: int, requests: list[Any]) -> None:
    read(request_)
    asyncio.run(read_async(request_))

    assert [request.message.consistency_level for request in requests] == [level, level]
    assert [request.query.is_idempotent for request in requests] == [True, True]


def test_writes_to_one_partition_travel_as_one_unlogged_batch(owner: str, requests: list[Any]) -> None:
    write([HISTORY.upsert(order(owner, day), timestamp=day) for day in range(1, 29)])

    (batch,) = requests
    assert (batch.query.batch_type, len(batch.query)) == (BatchType.UNLOGGED, 28)
    assert batch.message.consistency_level == ConsistencyLevel.LOCAL_QUORUM
    assert batch.query.is_idempotent
    assert len(read(orders_of(owner))) == 28


def test_writes_to_many_partitions_and_tables_all_arrive(monkeypatch: pytest.MonkeyPatch, owner: str) -> None:
    monkeypatch.setattr(writes, "IN_FLIGHT", 4)
    ids = [f"{owner}:{number}" for number in range(50)]

    write(
        request
        for number, key in enumerate(ids)
        for request in (
            SESSIONS.upsert({"session_id": key, "data": str(number)}),
            HISTORY.upsert(order(key, 1, status="new"), timestamp=1),
        )
    )

    assert [first(SESSIONS.select("session_id = ?", key, columns=["data"])) for key in ids] == [
        {"data": str(number)} for number in range(50)
    ]
    assert {first(orders_of(key, columns=["status"]))["status"] for key in ids} == {"new"}  # type: ignore[index]


def test_many_reads_answer_in_their_order_whatever_their_number_and_pages(
    monkeypatch: pytest.MonkeyPatch, owner: str
) -> None:
    monkeypatch.setattr(reads, "IN_FLIGHT", 4)
    write(HISTORY.upsert(order(f"{owner}:{number}", day), timestamp=1) for number in range(9) for day in range(1, 4))

    answers = read_many(orders_of(f"{owner}:{number}", page_size=2) for number in range(10))

    assert [len(rows) for rows in answers] == [3] * 9 + [0]
    assert [{row["owner"] for row in rows} for rows in answers[:9]] == [{f"{owner}:{number}"} for number in range(9)]
    assert read_many([]) == []


# ---------------------------------------------------------------- time


def test_older_version_never_undoes_a_newer_one(owner: str) -> None:
    write([HISTORY.upsert(order(owner, 1, status="shipped"), timestamp=20)])

    write([HISTORY.upsert(order(owner, 1, status="paid"), timestamp=10)])
    write([HISTORY.delete(order(owner, 1), timestamp=15)])

    assert first(orders_of(owner, columns=["status"])) == {"status": "shipped"}


def test_newer_version_replaces_and_newer_delete_removes(owner: str) -> None:
    write([HISTORY.upsert(order(owner, day, status="paid"), timestamp=10) for day in (1, 2)])

    write([HISTORY.upsert(order(owner, 1, status="shipped"), timestamp=20)])
    write([HISTORY.delete(order(owner, 2), timestamp=20)])

    assert [row["status"] for row in read(orders_of(owner))] == ["shipped"]


def test_late_write_does_not_raise_the_dead(owner: str) -> None:
    write([HISTORY.delete({"owner": owner, "month": MONTH}, timestamp=20)])

    write([HISTORY.upsert(order(owner, 1, status="paid"), timestamp=10)])

    assert read(orders_of(owner)) == []


def test_same_write_again_changes_nothing(owner: str) -> None:
    request = HISTORY.upsert(order(owner, 1, status="paid", lines=[Line("PROD-1", 1)]), timestamp=10)
    write([request])
    before = read(orders_of(owner))

    write([request, request])

    assert read(orders_of(owner)) == before
    assert before[0]["lines"] == [Line("PROD-1", 1)]


def test_none_erases_and_absent_leaves(owner: str) -> None:
    write([HISTORY.upsert(order(owner, 1, status="paid", total=Decimal(5)), timestamp=10)])

    write([HISTORY.upsert(order(owner, 1, status=None), timestamp=11)])

    assert first(orders_of(owner, columns=["status", "total"])) == {"status": None, "total": Decimal(5)}


def test_rows_expire_by_the_table_or_by_the_write(owner: str) -> None:
    write([SESSIONS.upsert({"session_id": owner, "data": "x"})])
    write([SESSIONS.upsert({"session_id": f"{owner}:short", "data": "x"}, ttl=timedelta(seconds=100))])

    def seconds_left(session_id: str) -> int:
        session = CONNECTOR.connection().session
        rows = session.execute(
            f"SELECT TTL(data) AS left FROM {SESSIONS.full_name} WHERE session_id = %s",  # noqa: S608
            [session_id],
        )
        left: int = rows.one()["left"]
        return left

    assert 3500 < seconds_left(owner) <= 3600
    assert 0 < seconds_left(f"{owner}:short") <= 100


# ---------------------------------------------------------------- preparing


def test_statement_is_prepared_once_however_many_threads_use_it(owner: str, fresh: Settings) -> None:
    session = CONNECTOR.connection().session
    prepared: list[str] = []
    prepare = session.prepare

    def count_and_prepare(cql: str) -> Any:
        prepared.append(cql)
        return prepare(cql)

    session.prepare = count_and_prepare

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: read(orders_of(owner)), range(100)))

    assert prepared == [orders_of(owner).cql]


def test_prepared_statements_are_bounded(owner: str, fresh: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.cassandra.driver.session.PREPARED_KEPT", 2)
    texts = [orders_of(owner, columns=[column]).cql for column in ("status", "total", "lines")]

    for column in ("status", "total", "lines"):
        read(orders_of(owner, columns=[column]))

    prepared = CONNECTOR.connection().prepared
    assert [prepared.is_ready(text) for text in texts] == [False, True, True]
    assert read(orders_of(owner, columns=["status"])) == []


def test_wrong_query_is_the_callers_error_each_time(owner: str) -> None:
    for _ in range(2):
        with pytest.raises(InvalidRequest) as caught:
            read(HISTORY.select("status = ?", "paid"))
        assert caught.value.__cause__ is None
        with pytest.raises(InvalidRequest):
            asyncio.run(read_async(HISTORY.select("status = ?", "paid")))


def test_wrong_value_is_the_callers_error(owner: str) -> None:
    with pytest.raises(TypeError, match='invalid type for column "total"'):
        write([HISTORY.upsert(order(owner, 1, total="not a number"), timestamp=1)])


def test_ping_measures_a_request() -> None:
    assert 0 < ping() < 10


def test_no_writes_are_no_request(requests: list[Any]) -> None:
    none: list[Write] = []
    write(none)
    assert requests == []
