"""Orders of a day in MongoDB and in Cassandra, compared both ways while the shop goes on selling, a batch at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Any, TypeVar

from django.conf import settings

from catalog.structure.geozones import all_geozones
from gateway.cassandra.partition_stats import buckets_of
from gateway.cassandra.reads import read_many, scan
from gateway.cassandra.statements import Row
from gateway.cassandra.table import Table
from gateway.mongo.client import collection_of
from gateway.mongo.policies import SYNC, under
from gateway.mongo.reads import run
from gateway.sync.batches import BATCH, BY_TIME, by_time
from gateway.sync.comparison import Differing, RowDifference
from gateway.sync.reconciliation import ByDay, Report
from gateway.sync.repair import Finding, note_finding, reconcile, repair_rows
from ordering.archive.restore import restore_order
from ordering.cassandra.rows import day_of
from ordering.cassandra.sync import ORDERS, SYNCED
from ordering.cassandra.tables import ORDER_HISTORY_BY_REGION, ORDER_STATE_BY_ID, ORDERS_BY_PERIOD
from ordering.documents import OrderDocument
from ordering.reading.orders import find_order

# Today's are still being sold, yesterday's are complete, and a night may have been missed.
LAST_DAYS = 4
# What is lost later, with a disk, is found within four weeks: some fourteen days a night.
ROUND_DAYS = 28
# Beyond the archive's border: orders that are late to leave.
BEYOND_KEPT_DAYS = 35

D = TypeVar("D", bound=Mapping[str, Any])


def reconcile_orders(day: date, *, repair: bool, report: Report) -> Iterator[Finding]:
    """Compare the orders of a day with their rows, and the rows of the day with their orders.

    Yields what differs, as it is found; `report` is told of every so many orders looked at.
    """
    regions = {geozone.code for geozone in run(all_geozones())}
    yield from reconcile(SYNCED, _noting_regions(_orders(day), regions, "geozone"), repair=repair, report=report)
    lost: set[str] = set()
    for rows in _noting_regions(_batched(_by_period(day)), regions, "region"):
        yield from _reconcile_rows(ORDERS_BY_PERIOD, rows, lost, repair=repair)
    for region in sorted(regions):
        for rows in _batched(scan(ORDER_HISTORY_BY_REGION.select("region = ? AND day = ?", region, day))):
            yield from _reconcile_rows(ORDER_HISTORY_BY_REGION, rows, lost, repair=repair)


def orders_between(first: date, last: date) -> int:
    """How many orders were made on these days, both included. Asks every shard, by the index of their time."""
    where = {"created_at": {"$gte": _midnight(first), "$lt": _midnight(last + timedelta(days=1))}}
    with under(SYNC):
        return collection_of(ORDERS, OrderDocument).count_documents(where, hint=BY_TIME)


def nightly_days(today: date) -> list[date]:
    """The last few days; and each older one when it is four weeks old, eight, twelve … until its orders have left."""
    oldest = settings.ORDER_KEPT_DAYS + BEYOND_KEPT_DAYS
    ages = [age for age in range(oldest) if age < LAST_DAYS or age % ROUND_DAYS == 0]
    return [today - timedelta(days=age) for age in reversed(ages)]


def _orders(day: date) -> Iterator[list[OrderDocument]]:
    return by_time(ORDERS, _midnight(day + timedelta(days=1)), since=_midnight(day))


def _by_period(day: date) -> Iterator[Row]:
    for bucket in buckets_of(ORDERS_BY_PERIOD, day):
        yield from scan(ORDERS_BY_PERIOD.select("day = ? AND bucket = ?", day, bucket))


def _noting_regions(batches: Iterable[Sequence[D]], regions: set[str], field: str) -> Iterator[Sequence[D]]:
    """Yields the same batches, and adds the regions that occur in them to `regions`."""
    for batch in batches:
        regions.update(each[field] for each in batch if each[field] is not None)
        yield batch


def _batched(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _reconcile_rows(table: Table, rows: Sequence[Row], lost: set[str], *, repair: bool) -> Iterator[Finding]:
    """Find rows whose order MongoDB does not have, and rows that are not where their order makes them.

    `lost`: ids of orders that were found to be missing already; those found now are added.
    """
    known = _known([row["order_id"] for row in rows])
    absent = {row["order_id"] for row in rows if row["order_id"] not in known} - lost
    for order_id in _lost(sorted(absent)):
        lost.add(order_id)
        found = RowDifference(table.name, order_id, "only_copied")
        yield note_finding(found, is_repaired=repair and restore_order(order_id))
    for row in rows:
        order = known.get(row["order_id"])
        if order and not _is_in_place(table, row, order):
            difference = RowDifference(table.name, order["_id"], "stale")
            key = {column: row[column] for column in table.primary_key}
            left = repair_rows(SYNCED, [Differing(order, (difference,), ((table, key),))]) if repair else {order["_id"]}
            yield note_finding(difference, is_repaired=not left)


def _known(ids: Sequence[str]) -> dict[str, OrderDocument]:
    """Those of the orders that MongoDB has, by id. Asks every shard: who owns them by now, rows do not know."""
    fields = ("owner", "geozone", "created_at", "version")
    with under(SYNC):
        found = collection_of(ORDERS, OrderDocument).find({"_id": {"$in": list(ids)}}, fields)
        return {order["_id"]: order for order in found}


def _lost(ids: Sequence[str]) -> Iterator[str]:
    """Those of the orders that are neither archived nor on their way from one shard to another."""
    select = "order_id = ?"
    asked = [ORDER_STATE_BY_ID.select(select, order_id, columns=("order_id", "archived_at")) for order_id in ids]
    states = read_many(asked) if asked else []
    for order_id, state in zip(ids, states, strict=True):
        is_archived = bool(state) and state[0]["archived_at"] is not None
        if not is_archived and find_order(order_id) is None:
            yield order_id


def _is_in_place(table: Table, row: Row, order: OrderDocument) -> bool:
    if table is ORDERS_BY_PERIOD:
        # In another bucket of the day: found, and repaired, when the order was compared with its rows.
        return bool(row["day"] == day_of(order) and row["created_at"] == order["created_at"])
    return bool((row["region"], row["day"]) == (order["geozone"], day_of(order)))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


BY_DAY = ByDay(collection=ORDERS, reconcile=reconcile_orders, count=orders_between, nightly_days=nightly_days)
