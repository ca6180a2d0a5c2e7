"""Pictures that no product shows leave: uploads that nobody saved after a day, those taken off within a week more."""

from datetime import UTC, datetime, timedelta

import structlog

from catalog.documents import ProductDocument
from catalog.errors import PicturesAway
from catalog.models import Product
from catalog.pictures.uploads import pictures, remove_picture
from gateway.mongo.client import collection_of

log = structlog.get_logger(__name__)

# One question to every shard, for so many names at once.
BATCH = 200
# In one run, of which there are 144 a day: a million pictures are looked at in a week.
MOST = 1_000
# When a picture that is shown is looked at again.
AGAIN = timedelta(days=7)


def sweep_orphans(now: datetime | None = None) -> int:
    """Remove pictures whose time has come and that no product shows; returns how many."""
    moment = now or datetime.now(UTC)
    removed = 0
    for _ in range(MOST // BATCH):
        due = list(pictures().find({"look_at": {"$lte": moment}}).sort("look_at", 1).limit(BATCH))
        shown = _shown([document["name"] for document in due])
        for document in due:
            # Whoever uploads or saves it meanwhile moves its time, and this finds nothing.
            address = {"_id": document["_id"], "name": document["name"], "look_at": document["look_at"]}
            if document["name"] in shown:
                pictures().update_one(address, {"$set": {"look_at": moment + AGAIN}})
            elif pictures().update_one(address, {"$set": {"leaving": True}}).matched_count:
                try:
                    remove_picture(document)
                except PicturesAway:
                    log.warning("orphans_postponed", picture=document["_id"])
                    return removed
                removed += 1
        if len(due) < BATCH:
            break
    return removed


def _shown(names: list[str]) -> set[str]:
    """Those of the names that a product shows, withdrawn or not. Asks all shards: any product may show any picture."""
    if not names:
        return set()
    found = collection_of(Product._meta.db_table, ProductDocument).find(
        {"pictures": {"$in": names}, "pictures.0": {"$exists": True}}, {"pictures": 1}
    )
    return {name for product in found for name in product["pictures"]}
