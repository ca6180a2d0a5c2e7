"""One batch of demo products, loaded or removed by a worker process with a client of its own.

A worker does not set Django up, so that it starts soon. The directory entry goes first, the product second: a
kill between the two leaves an entry without a product, and the next run inserts the product. Entries and products that
exist are left alone, whatever a merchandiser made of them. Two runs at once agree as long as their seeds do.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pymongo import InsertOne, MongoClient, UpdateOne
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError, ConnectionFailure, PyMongoError

from catalog.demo.products import category_of, product, product_id
from gateway.worker_process import follow_parent

if TYPE_CHECKING:
    from catalog.documents import DirectoryEntry, ProductDocument

# Large enough that round trips cost little, small enough that a progress bar moves and a batch stays under 3 MB.
BATCH = 1_000

# An election takes seconds; a minute without one is an outage, and whoever waits should be told.
PATIENCE = 60.0
RETRY_AFTER = 1.0
# A move between shards is visible on both within milliseconds of its commit.
MOVE_SECONDS = 0.1

DUPLICATE_KEY = 11000

D = TypeVar("D", "ProductDocument", "DirectoryEntry")


class WriteFailed(PyMongoError):
    """Part of a batch was not written."""


class Target(NamedTuple):
    """Where a worker loads to."""

    connection: Mapping[str, Any]
    """Arguments of MongoClient."""
    database: str
    products: str
    directory: str
    thresholds: Mapping[str, int]
    """Of categories with one of their own or above them."""


class Collections(NamedTuple):
    products: Collection["ProductDocument"]
    directory: Collection["DirectoryEntry"]
    thresholds: Mapping[str, int]


_worker: list[Collections] = []
"""The collections of this worker process; filled by `start_worker`."""


def start_worker(target: Target) -> None:
    follow_parent()
    client: MongoClient[Any] = MongoClient(**target.connection)
    database = client[target.database]
    _worker[:] = [Collections(database[target.products], database[target.directory], target.thresholds)]


def numbers_in(batch: int, count: int) -> range:
    """Product numbers of a batch when `count` products are wanted. A batch shares the leading digits of the id."""
    return range(max(1, batch * BATCH), min(count, batch * BATCH + BATCH - 1) + 1)


def load_batch(batch: int, count: int, seed: int) -> int:
    """Insert what is missing of a batch; returns how many products that were."""
    products, directory, thresholds = _worker[0]
    numbers = numbers_in(batch, count)
    missing = first_missing = _missing(products, directory, numbers)
    give_up_at = time.monotonic() + PATIENCE
    now = datetime.now(UTC)
    while missing:
        try:
            claimed = _claim(directory, {product_id(number): category_of(number, seed) for number in missing})
            made = (product(n, seed, thresholds) for n in missing if product_id(n) in claimed)
            _write(products, [InsertOne(_owed(each, now)) for each in made])
        except (ConnectionFailure, WriteFailed):
            # An election, most likely. What was written stays, and is not missing the next time.
            if time.monotonic() > give_up_at:
                raise
            time.sleep(RETRY_AFTER)
            missing = _missing(products, directory, numbers)
        else:
            break
    return len(first_missing)


def _owed(made: "ProductDocument", now: datetime) -> "ProductDocument":
    """The product, marked as owed to Cassandra as gateway/sync/marks.py does it; that would bring Django along."""
    made["unsynced"] = {"since": now, "due": now}
    return made


def _missing(
    products: Collection["ProductDocument"], directory: Collection["DirectoryEntry"], numbers: range
) -> list[int]:
    """Numbers of the products that are not there.

    Not read by a snapshot: without a session it may be older than what was just removed.
    """
    absent = _absent(products, numbers)
    if absent and directory.find_one({"_id": {"$in": [product_id(number) for number in absent]}}):
        # In the directory but not here: left by a killed run, or being moved to another category this very moment.
        time.sleep(MOVE_SECONDS)
        absent = _absent(products, absent)
    return absent


def _absent(products: Collection["ProductDocument"], numbers: Iterable[int]) -> list[int]:
    """All shards are asked: a merchandiser may have moved a product to any category."""
    ids = {product_id(number): number for number in numbers}
    present = {found["_id"] for found in products.find({"_id": {"$in": list(ids)}}, {"_id": 1})}
    return [number for identity, number in ids.items() if identity not in present]


def _claim(directory: Collection["DirectoryEntry"], wanted: Mapping[str, str]) -> set[str]:
    """Make the directory name the wanted category of each id; returns the ids for which it now does."""
    entries = {found["_id"]: found["category"] for found in directory.find({"_id": {"$in": list(wanted)}})}
    new = [i for i in wanted if i not in entries]
    made: list[DirectoryEntry] = [{"_id": i, "category": wanted[i]} for i in new]
    lost = _write(directory, [InsertOne(entry) for entry in made])
    # Left without a product by a killed run with another seed.
    stale = [i for i in wanted if i in entries and entries[i] != wanted[i]]
    _write(directory, [UpdateOne({"_id": i, "category": entries[i]}, {"$set": {"category": wanted[i]}}) for i in stale])
    return wanted.keys() - lost


def _write(collection: Collection[D], writes: Sequence[InsertOne[D] | UpdateOne]) -> set[str]:
    """Write all that can be written; returns the ids that were there already, since another run was faster."""
    if not writes:
        return set()
    try:
        collection.bulk_write(writes, ordered=False)
    except BulkWriteError as error:
        failures = error.details["writeErrors"]
        others = [failure["errmsg"] for failure in failures if failure["code"] != DUPLICATE_KEY]
        if others or error.details["writeConcernErrors"]:
            # The driver's own message repeats every document of the batch.
            message = others[0] if others else error.details["writeConcernErrors"][0]["errmsg"]
            raise WriteFailed(f"{collection.name}: {message}") from None
        return {failure["op"]["_id"] for failure in failures}
    return set()


def remove_batch(batch: int) -> int:
    """Delete every product of a batch, then its directory entries; returns how many products that were.

    All shards are asked: an edited product may be in any category, and a range of ids is spread by their hashes.
    """
    products, directory, _ = _worker[0]
    among = {"_id": {"$gte": product_id(batch * BATCH), "$lte": product_id(batch * BATCH + BATCH - 1)}}
    removed = products.delete_many(among).deleted_count
    directory.delete_many(among)
    return removed
