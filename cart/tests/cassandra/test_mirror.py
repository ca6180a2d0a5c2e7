"""The copy of active carts in Cassandra: follows the newest cart, never goes back, and its absence fails nobody."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from celery.signals import after_task_publish
from django.conf import settings as django_settings
from django.test import override_settings
from pymongo.database import Database
from structlog.testing import capture_logs

from cart.cassandra.mirror import OWNERS, mirror_carts, mirror_queued, mirror_soon
from cart.cassandra.rows import CopiedLine, row_of, timestamp_of
from cart.cassandra.tables import CARTS_ACTIVE
from cart.documents import CartDocument
from cart.tasks import mirror
from cart.tests.carts import cart, carts, line, now, touch
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.reads import first
from gateway.cassandra.statements import Row
from gateway.cassandra.tests.link import Link
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.redis.clients import redis_client
from gateway.tests.eventually import eventually

MIRRORED = {Sent("aggregate", "carts", "carts.active", 1): 1}


pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def owner() -> str:
    """An owner of this test alone: rows outlive tests."""
    return f"s:{uuid.uuid4().hex}"


def copied(owner: str) -> Row | None:
    return first(CARTS_ACTIVE.select("owner = ?", owner))


def version(owner: str) -> int | None:
    row = copied(owner)
    return row["version"] if row else None


def test_active_cart_is_copied_whole(database: Database[Document], owner: str) -> None:
    document = cart(owner, items=[line("PROD-1", 2, "199.90"), line("PROD-2", 1, "5.00", "Кабель")], version=4)
    carts().insert_one(document)

    with COMMANDS.counted() as sent:
        mirror_carts([owner])

    assert sent == MIRRORED
    row = copied(owner)
    assert row is not None
    assert row == {
        "owner": owner,
        "cart_id": str(document["_id"]),
        "user_id": None,
        "geozone": "msk",
        "items": [
            CopiedLine("PROD-1", "audio", "Наушники", 2, Decimal("199.90")),
            CopiedLine("PROD-2", "audio", "Кабель", 1, Decimal("5.00")),
        ],
        "version": 4,
        **{name: document[name].replace(tzinfo=None) for name in ("created_at", "updated_at", "expires_at")},
    }


def test_copy_lives_for_a_day(database: Database[Document], owner: str) -> None:
    carts().insert_one(cart(owner))

    mirror_carts([owner])

    session = CONNECTOR.connection().session
    asked = f"SELECT TTL(version) AS seconds FROM {CARTS_ACTIVE.full_name} WHERE owner = %s"  # noqa: S608
    assert 23 * 3600 < session.execute(asked, (owner,)).one()["seconds"] <= 24 * 3600


@pytest.mark.parametrize(
    "end",
    [
        {"status": "ordered", "order_id": "1"},
        {"status": "abandoned"},
        {"status": "abandoned", "merged_into": "u:1"},
        {"items": []},
    ],
    ids=["ordered", "abandoned", "merged", "emptied"],
)
def test_copy_goes_with_the_cart(database: Database[Document], owner: str, end: Document) -> None:
    carts().insert_one(cart(owner))
    mirror_carts([owner])
    assert version(owner) == 1

    database["carts"].update_one({"owner": owner}, {"$set": end, "$inc": {"version": 1}})
    mirror_carts([owner])

    assert copied(owner) is None


def test_copy_of_a_lost_cart_stays(database: Database[Document], owner: str) -> None:
    carts().insert_one(cart(owner))
    mirror_carts([owner])

    database["carts"].delete_one({"owner": owner})
    mirror_carts([owner])

    assert version(owner) == 1


def test_next_cart_replaces_the_copy_of_the_one_before(database: Database[Document], owner: str) -> None:
    ordered = cart(owner, status="ordered", version=900, created_at=now() - timedelta(seconds=1))
    following = cart(owner, items=[line("PROD-9")])
    write([CARTS_ACTIVE.upsert(row_of(_as_read(ordered)), timestamp=timestamp_of(_as_read(ordered)))])
    carts().insert_many([ordered, following])

    mirror_carts([owner])

    row = copied(owner)
    assert row is not None
    assert (row["cart_id"], row["version"]) == (str(following["_id"]), 1)


def test_late_and_repeated_writes_never_go_back(database: Database[Document], owner: str) -> None:
    versions = [cart(owner, version=number, created_at=now()) for number in range(1, 9)]
    for each in versions:
        each["created_at"] = versions[0]["created_at"]
    writes = [CARTS_ACTIVE.upsert(row_of(_as_read(each)), timestamp=timestamp_of(_as_read(each))) for each in versions]
    shuffled = [*writes, *writes]
    Random(3).shuffle(shuffled)  # noqa: S311 - the same test every time

    for late in shuffled:
        write([late])

    assert version(owner) == 8


def test_late_deletion_does_not_take_the_next_cart(database: Database[Document], owner: str) -> None:
    ordered = cart(owner, status="ordered", version=50, created_at=now() - timedelta(seconds=1))
    carts().insert_one(cart(owner))
    mirror_carts([owner])

    write([CARTS_ACTIVE.delete({"owner": owner}, timestamp=timestamp_of(_as_read(ordered)))])

    assert version(owner) == 1


def test_nothing_is_sent_without_cassandra(owner: str) -> None:
    published: list[str] = []

    def note(sender: str, **_: Any) -> None:
        published.append(sender)

    after_task_publish.connect(note)
    try:
        with override_settings(CASSANDRA_CONTACT_POINTS=[]):
            mirror_soon(owner)
        assert published == []
        redis_client().delete(f"soon:cart.tasks.mirror:{OWNERS.name}")
        mirror_soon(owner)
        assert published == ["cart.tasks.mirror"]
    finally:
        after_task_publish.disconnect(note)


def test_outage_is_retried_a_bounded_number_of_times_and_then_told(database: Database[Document], owner: str) -> None:
    carts().insert_one(cart(owner))
    redis_client().delete(OWNERS.name)
    mirror_soon(owner)
    CONNECTOR.close()
    with override_settings(CASSANDRA_CONTACT_POINTS=["127.0.0.1:1"]), COMMANDS.counted() as sent, capture_logs() as log:
        mirror.apply((OWNERS.name,))
    CONNECTOR.close()
    CIRCUIT.reset()

    assert sent == {Sent("aggregate", "carts", "carts.active", 1): 7}
    (told,) = [line for line in log if line["event"] == "task_given_up"]
    assert (told["task"], told["subject"]) == ("cart.tasks.mirror", OWNERS.name)
    assert copied(owner) is None
    # It waits for the task that the next change of any cart sends.
    mirror_queued()
    assert version(owner) == 1


def test_worker_copies_the_latest_of_many_changes_once_the_outage_is_over(
    database: Database[Document], owner: str, run_worker: Callable[..., Path]
) -> None:
    carts().insert_one(cart(owner))
    link = Link(django_settings.CASSANDRA_CONTACT_POINTS[0])
    link.cut()
    log = run_worker(CASSANDRA_CONTACT_POINTS=link.address)

    for _ in range(20):
        assert touch(owner)
        mirror_soon(owner)
    eventually(lambda: "cassandra.away" in log.read_text(), within=60, why=log.read_text)
    assert copied(owner) is None
    link.mend()

    eventually(lambda: version(owner) == 21, within=90, why=log.read_text)
    link.close()


def test_one_command_reads_the_carts_of_many_owners_and_one_that_cannot_be_copied_keeps_no_other(
    database: Database[Document],
) -> None:
    owners = [f"s:{uuid.uuid4().hex}" for _ in range(30)]
    earlier = [cart(each, status="ordered", created_at=now() - timedelta(hours=1)) for each in owners]
    carts().insert_many([*earlier, *(cart(each, version=2) for each in owners)])
    database["carts"].update_one({"owner": owners[7], "status": "active"}, {"$set": {"items": [{"broken": True}]}})
    redis_client().delete(OWNERS.name)
    for each in owners:
        mirror_soon(each)

    with COMMANDS.counted() as sent, capture_logs() as log:
        mirror_queued()

    assert sent == {Sent("aggregate", "carts", "carts.active", 2): 1}
    assert [version(each) for each in owners] == [None if each == owners[7] else 2 for each in owners]
    assert [line["event"] for line in log] == ["cart_not_copied"]
    assert redis_client().zcard(OWNERS.name) == 0


def _as_read(document: Document) -> CartDocument:
    naive = {name: document[name].replace(tzinfo=None) for name in ("created_at", "updated_at")}
    return cast("CartDocument", {**document, **naive})
