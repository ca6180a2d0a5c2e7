"""Any collection that says which rows its documents make is compared with them, and repaired."""

import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from bson import Decimal128
from django.test import override_settings
from pymongo.database import Database

from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.statements import Row, Write
from gateway.cassandra.table import Table
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.sync.batches import by_id
from gateway.sync.comparison import RowDifference
from gateway.sync.copy import copy_documents
from gateway.sync.declarations import Synced
from gateway.sync.marks import new_marks, timestamp_of
from gateway.sync.repair import Finding, reconcile
from gateway.tests.samples.cassandra.tables import REGIONAL

GADGETS = "sample_gadgets"
DAY = date(2026, 3, 1)


def rows(gadget: Document) -> Iterator[tuple[Table, Row]]:
    for region in ("msk", "spb"):
        yield REGIONAL, {"region": region, "day": DAY, "order_id": gadget["_id"], "total": gadget["price"].to_decimal()}


def writes(gadget: Document) -> Iterator[Write]:
    for table, row in rows(gadget):
        yield table.upsert(row, timestamp=timestamp_of(gadget))


SYNCED = Synced(collection=GADGETS, key=("category", "_id"), tables=(REGIONAL,), writes=writes, rows=rows)


@pytest.fixture
def gadgets(database: Database[Document]) -> Iterator[list[Document]]:
    """Three, in step with Cassandra, in the order of their ids."""
    now = datetime.now(UTC)
    fields = {"category": "phones", "name": "x", "price": Decimal128("10.00"), "created_at": now}
    database[GADGETS].insert_many(
        {"_id": f"{number}-{uuid.uuid4()}"[:32], **fields, **new_marks(now)} for number in range(3)
    )
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        documents = list(database[GADGETS].find(sort=[("_id", 1)]))
        assert copy_documents(SYNCED, documents) == 3
        yield list(database[GADGETS].find(sort=[("_id", 1)]))
        CONNECTOR.close()


def found(*, repair: bool = False) -> list[Finding]:
    return list(reconcile(SYNCED, by_id(GADGETS), repair=repair, report=lambda _: None))


def test_rows_are_read_back_by_their_keys_compared_and_repaired(gadgets: list[Document]) -> None:
    lost, changed, _ = gadgets
    key = {"region": "spb", "day": DAY, "order_id": lost["_id"]}
    write([REGIONAL.delete(key, timestamp=timestamp_of(lost))])
    spoilt = {"region": "msk", "day": DAY, "order_id": changed["_id"], "total": Decimal(1)}
    write([REGIONAL.upsert(spoilt, timestamp=timestamp_of(changed, after=True))])
    expected = [
        RowDifference("sample_regional", lost["_id"], "missing"),
        RowDifference("sample_regional", changed["_id"], "different", ("total",)),
    ]

    assert found() == [Finding(each, is_repaired=False) for each in expected]
    assert found(repair=True) == [Finding(each, is_repaired=True) for each in expected]
    assert found() == []
    stand = SYNCED.find([SYNCED.key_of(each) for each in gadgets])
    assert {each["_id"]: each["version"] for each in stand} == dict(
        zip([each["_id"] for each in gadgets], [2, 2, 1], strict=True)
    )
