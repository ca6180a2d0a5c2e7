"""How much a product has been bought lately, as the search ranks by it: `bought`, a bucket from 0 to 5.

A bucket is four times the one before, so that a sale seldom changes one and few products are written. It is no edit:
neither version, time of change nor audit know of it, and an edit leaves it alone. A product that has none is in 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import structlog
from pymongo import UpdateOne

from catalog.documents import ProductDocument
from catalog.models import BY_BOUGHT, RECENTLY_BOUGHT
from catalog.products.cards import PRODUCTS, ProductKey, keys_now
from catalog.products.derived import STANDING
from gateway.mongo.client import collection_of
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read, run

log = structlog.get_logger(__name__)

MOST = 5
# One to three orders are 1, four to fifteen 2, sixteen to 63 are 3, 64 to 255 are 4, more are 5.
TIMES = 4
# A look-up in the directory and a write of so many are some ten milliseconds each.
BATCH = 500


def bucket_of(orders: int) -> int:
    """The bucket of a product that so many orders hold."""
    bucket = 0
    while orders and bucket < MOST:
        orders //= TIMES
        bucket += 1
    return bucket


def keep_bought(orders: Mapping[str, int]) -> int:
    """Put each product into the bucket of these orders by its id, and all others into 0; returns how many have moved.

    Repeated, it moves nothing. Killed, it has moved some; two at once leave what either wrote, until the next.
    """
    stored = run(_stored())
    left = [product_id for product_id in stored if product_id not in orders]
    wanted = {product_id: bucket_of(times) for product_id, times in orders.items()} | dict.fromkeys(left, 0)
    moved = [each for each, bucket in wanted.items() if bucket != stored.get(each, 0)]
    written = sum(_write(batch, wanted) for batch in _batches(moved))
    log.info("bought_kept", products=len(orders), moved=written)
    return written


def _stored() -> Read[dict[str, int]]:
    """The products that are not in 0, from the index alone. All shards are asked: they are anywhere."""

    def made(documents: Sequence[ProductDocument]) -> dict[str, int]:
        return {each["_id"]: each["bought"] for each in documents}

    return Read(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where=RECENTLY_BOUGHT,
        fields=("bought",),
        hint=BY_BOUGHT.name,
        result=made,
    )


def _write(product_ids: Sequence[str], wanted: Mapping[str, int]) -> int:
    keys = run(keys_now(product_ids))
    writes = [
        UpdateOne(_address(key), [{"$set": {"bought": wanted[key.id]}}, {"$set": {"standing": STANDING}}])
        for key in keys
    ]
    if not writes:
        return 0
    return collection_of(PRODUCTS, ProductDocument).bulk_write(writes, ordered=False).modified_count


def _address(key: ProductKey) -> dict[str, str]:
    return {"category": key.category, "_id": key.id}


def _batches(product_ids: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(product_ids)
    while batch := list(islice(rest, BATCH)):
        yield batch
