"""How many products a second a bulk change does, and its undo: `python -m bench.merchandise.changes 10000`."""

import sys
import time
from decimal import Decimal

from admin_ext.bulk.kinds import bulk_submission
from admin_ext.job_kinds import KINDS
from admin_ext.jobs.controls import undo
from admin_ext.jobs.queue import job_of, submit
from admin_ext.jobs.runner import run
from catalog.bulk.change import checked_change
from catalog.bulk.operations import ShiftByPercent
from catalog.listing.selection import Selection, keys_after
from catalog.products.cards import PRODUCTS
from gateway.audit.trail import Actor
from gateway.mongo.client import client, database
from gateway.mongo.routing import ROUTING

ACTOR = Actor("1", "bench")
CATEGORY = "smartphones"


def main() -> None:
    ROUTING.refresh(client(), database().name)
    wanted = int(sys.argv[1])
    job_id = _submit(wanted)
    total = _timed(job_id, f"bulk change, of {database()[PRODUCTS].estimated_document_count()} products")
    undoing = undo(job_id, KINDS, actor=ACTOR)["_id"]
    assert _timed(undoing, "undo") == total  # noqa: S101 - a benchmark of something else is none


def _submit(wanted: int) -> str:
    """A tenth off for a category, up to the price that so many of its products are below."""
    selection = Selection(filters={"category": CATEGORY})
    keys = keys_after(selection, None, wanted)
    if len(keys) == wanted:
        top = database()[PRODUCTS].find({"category": CATEGORY}, ["price"]).sort("price", 1).skip(wanted).limit(1)
        price = next(top)["price"].to_decimal()
        selection = Selection(filters={"category": CATEGORY, "price_to": str(price)})
    change = checked_change([ShiftByPercent(Decimal(-10))])
    return submit(bulk_submission(selection, change, reason="bench"), actor=ACTOR)["_id"]


def _timed(job_id: str, name: str) -> int:
    started = time.perf_counter()
    while run(job_id, KINDS):
        pass
    seconds = time.perf_counter() - started
    job = job_of(job_id)
    if job["state"] != "done":
        sys.exit(f"{name}: {job['state']} {job['log'][-1:]}")
    sys.stdout.write(f"{name}: {job['done']} in {seconds:.1f} s, {job['done'] / seconds:.0f} a second\n")
    return job["done"]


if __name__ == "__main__":
    main()
