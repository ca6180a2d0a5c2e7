"""Loading and removing demo products in parallel processes. Interrupted at any point, a second run completes it."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import NamedTuple

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from catalog.demo.batches import BATCH, Target, load_batch, numbers_in, remove_batch, start_worker
from catalog.demo.products import ID_DIGITS, ID_PREFIX, product_id
from catalog.models import Product, ProductDirectory
from catalog.structure.thresholds import all_thresholds
from gateway.management.progress import Progress
from gateway.mongo import topology
from gateway.mongo.client import database

# Ids of exactly this form are the demo's: PROD-12345 of a merchandiser is not.
DEMO_ID = f"^{ID_PREFIX}[0-9]{{{ID_DIGITS}}}$"
MAX_PRODUCTS = 10**ID_DIGITS - 1

# Each group reads the whole collection once: of more groups the progress is finer, and the work longer.
INDEXES_AT_ONCE = 4

OnProgress = Callable[[int], None]
"""Called with the number of products that have just been dealt with."""

ShowProgress = Callable[[int], Progress]
"""Returns what shows the progress of so many steps."""


class Plan(NamedTuple):
    present: int
    """Products that are there already, with their directory entries."""
    batches: list[int]
    """Numbers of the batches in which something is missing, or has to be removed."""


def plan_load(count: int) -> Plan:
    products = _present(Product._meta.db_table, count)
    directory = _present(ProductDirectory._meta.db_table, count)
    complete = {
        batch: len(numbers_in(batch, count))
        for batch in range(count // BATCH + 1)
        if products.get(batch, 0) == directory.get(batch, 0) == len(numbers_in(batch, count))
    }
    return Plan(sum(complete.values()), [batch for batch in range(count // BATCH + 1) if batch not in complete])


def load_products(plan: Plan, *, count: int, seed: int, processes: int, report: OnProgress) -> int:
    """Insert what is missing of the first `count` products; returns how many were inserted."""
    load = partial(load_batch, count=count, seed=seed)
    return _in_parallel(load, plan.batches, processes, lambda batch: report(len(numbers_in(batch, count))))


def plan_removal() -> Plan:
    products = _present(Product._meta.db_table, MAX_PRODUCTS)
    directory = _present(ProductDirectory._meta.db_table, MAX_PRODUCTS)
    return Plan(sum(products.values()), sorted(products.keys() | directory.keys()))


def remove_products(plan: Plan, *, processes: int, report: OnProgress) -> int:
    """Remove the demo products and their directory entries; returns how many products were removed."""
    share = round(plan.present / max(1, len(plan.batches)))
    return _in_parallel(remove_batch, plan.batches, processes, lambda _: report(share))


@contextmanager
def indexes_built_afterwards(plan: Plan, *, count: int, show: ShowProgress) -> Iterator[None]:
    """A load that more than doubles the catalog drops the read indexes and builds them once, over all documents.

    Kept in step they make it six times as slow. Killed in between, the next load or `topology apply` builds them. Never
    with production settings: catalog pages need these indexes.
    """
    products = database()[Product._meta.db_table]
    if not settings.PRODUCTION and count - plan.present > products.estimated_document_count():
        for name in {index.name for index in Product.collection.indexes} & products.index_information().keys():
            products.drop_index(name)
    try:
        yield
    finally:
        _build_indexes(show)


def _build_indexes(show: ShowProgress) -> None:
    """Build those that are missing, a few at a time, so that it can be told how far this is."""
    products = database()[Product._meta.db_table]
    there = products.index_information().keys()
    missing = [index for index in Product.collection.indexes if index.name not in there]
    present = [index for index in Product.collection.indexes if index.name in there]
    if missing:
        with show(len(missing)) as progress:
            for begin in range(0, len(missing), INDEXES_AT_ONCE):
                built = missing[: begin + INDEXES_AT_ONCE]
                so_far = replace(Product.collection, indexes=(*present, *built))
                topology.apply(database(), declarations={products.name: so_far})
                progress.advance(len(built) - begin)
    topology.apply(database(), declarations={products.name: Product.collection})


def _present(collection: str, count: int) -> dict[int, int]:
    """How many of the first `count` ids there are in each batch. All shards are asked: ids are spread over them."""
    among = {"$regex": DEMO_ID, "$gte": product_id(1), "$lte": product_id(count)}
    digits_in_batch = len(str(BATCH)) - 1
    leading = {"$substrBytes": ["$_id", len(ID_PREFIX), ID_DIGITS - digits_in_batch]}
    groups = database()[collection].aggregate([{"$match": {"_id": among}}, {"$sortByCount": leading}])
    return {int(group["_id"]): group["count"] for group in groups}


def _workers(processes: int) -> ProcessPoolExecutor:
    connection = connections[DEFAULT_DB_ALIAS]
    # Listeners count commands for this process's metrics; a worker has none, and they cannot travel there.
    parameters = {
        name: value for name, value in connection.get_connection_params().items() if name != "event_listeners"
    }
    target = Target(
        parameters, database().name, Product._meta.db_table, ProductDirectory._meta.db_table, all_thresholds()
    )
    # Not forked: a client and its threads do not survive that.
    return ProcessPoolExecutor(
        max(1, processes), mp_context=get_context("spawn"), initializer=start_worker, initargs=(target,)
    )


def _in_parallel(
    work: Callable[[int], int], batches: Sequence[int], processes: int, done: Callable[[int], None]
) -> int:
    """The sum of what `work` returned for each batch. Interrupted, it ends with the batches that are under way."""
    total = 0
    waiting = iter(batches)
    with _workers(min(processes, len(batches))) as pool:
        # One batch per worker: what the pool has queued already can no longer be taken back.
        running = {pool.submit(work, batch): batch for batch in islice(waiting, processes)}
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                total += future.result()
                done(running.pop(future))
                running |= {pool.submit(work, batch): batch for batch in islice(waiting, 1)}
    return total
