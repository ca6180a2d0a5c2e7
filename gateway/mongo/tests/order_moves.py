"""Orders that never stay where they are: threads that change their owners, and with them their shards."""

import random
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from gateway.mongo.client import database

OWNERS = [f"u:{number:024x}" for number in range(16)]
THREADS = 4


@contextmanager
def moving_orders(ids: Sequence[str]) -> Iterator[None]:
    """While the block runs. At its end: they did move."""
    stop = threading.Event()

    def move(mine: Sequence[str]) -> int:
        chance = random.Random(mine[0])  # noqa: S311 - where to
        moves = 0
        while not stop.is_set():
            for id_ in mine:
                owner = chance.choice(OWNERS)
                stands = database()["orders"].find_one({"_id": id_})
                if stands is not None and stands["owner"] != owner:
                    where = {"owner": stands["owner"], "_id": id_}
                    moves += database()["orders"].find_one_and_update(where, {"$set": {"owner": owner}}) is not None
        return moves

    with ThreadPoolExecutor(THREADS) as pool:
        moving = [pool.submit(move, ids[number::THREADS]) for number in range(THREADS)]
        try:
            yield
        finally:
            stop.set()
        assert sum(each.result() for each in moving) > 0
