"""Writers and readers at work while a shard's primary or a mongos is killed -9: none of them sees an error."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from pymongo.database import Database

from deploy.local.start.stack import Stack
from gateway.mongo.client import Document, orm_connection
from gateway.mongo.client import database as sync_database
from gateway.mongo.policies import CART_ACTIVE
from gateway.mongo.reads import Read, run
from gateway.mongo.transactions import in_transaction
from gateway.tests.samples.models import Gadget

CATEGORIES = ("audio", "video")  # one on each shard
WRITERS = 4


def write_until(stop: threading.Event, writer: int, acknowledged: list[int], save: Callable[[Gadget], None]) -> None:
    """Saves one document over and over, noting the number that was acknowledged last."""
    gadget = Gadget.objects.create(id=f"G-{writer}", category=CATEGORIES[writer % 2], name="0")
    while not stop.is_set():
        gadget.name = str(acknowledged[writer] + 1)
        save(gadget)
        acknowledged[writer] += 1


def last_saved(writer: int) -> int:
    (document,) = run(
        Read(
            collection="sample_gadgets",
            policy=CART_ACTIVE,
            where={"category": CATEGORIES[writer % 2], "_id": f"G-{writer}"},
            result=list,
        )
    )
    return int(document["name"])


def in_own_transaction(gadget: Gadget) -> None:
    """The document and a log of it on the other shard, together."""

    def work() -> None:
        gadget.save()
        other = CATEGORIES[1 - CATEGORIES.index(gadget.category)]
        sync_database()["sample_gadgets"].update_one(
            {"category": other, "_id": f"{gadget.id}-log"},
            {"$set": {"name": gadget.name, "price": 0}},
            upsert=True,
            session=orm_connection().session,
        )

    in_transaction(work)


@pytest.mark.parametrize("save", [Gadget.save, in_own_transaction], ids=["plain", "transaction"])
@pytest.mark.parametrize("victim", ["shard primary", "mongos"])
def test_nothing_acknowledged_is_lost_and_no_writer_fails(
    database: Database[Document], stack: Stack, victim: str, save: Callable[[Gadget], None]
) -> None:
    stop = threading.Event()
    acknowledged = [0] * WRITERS
    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write_until, stop, writer, acknowledged, save) for writer in range(WRITERS)]
        try:
            stop.wait(1)
            name = stack.primary_of("shard1") if victim == "shard primary" else "mongos-1"
            stack.kill(name)
            stop.wait(6)
            while_away = acknowledged.copy()
            stack.start(name)
            stop.wait(1)
        finally:
            stop.set()
        for writer in writers:
            writer.result()

    assert all(later > earlier for later, earlier in zip(acknowledged, while_away, strict=True))
    assert [last_saved(writer) for writer in range(WRITERS)] == acknowledged
