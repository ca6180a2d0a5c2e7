"""Reservations that differ from what orders wait for, written down from one check to the next.

A difference that is seen once may be a mistake of the check; one that is seen again minutes later is one of the stock.
The collection is small and not sharded.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from pymongo import ReturnDocument

from catalog.documents import FindingDocument
from catalog.models import ReservationFinding
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.stock.reservations import set_reserved
from gateway.audit.trail import Action, Actor, record
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import STOCK_DISPLAY
from gateway.mongo.reads import Read
from gateway.mongo.transactions import in_transaction
from gateway.sync.queue import sync_soon

FINDINGS = ReservationFinding._meta.db_table
# Longer than anything that is on its way: a checkout lives ten seconds, an abandoned hold is let go after two minutes,
# a debt to the stock is paid by the sweep within one.
CONFIRMED_AFTER = timedelta(minutes=5)


class Difference(NamedTuple):
    """A product whose reserved pieces in one geozone are not those that orders wait for."""

    key: ProductKey
    geozone: str
    reserved: int
    expected: int
    version: int
    """The version of the product when this was so."""


def note_difference(found: Difference) -> bool:
    """Write down what was found; returns whether every check has found the same difference for long enough.

    Sales move both numbers meanwhile; it is their difference that must stay. The clock is the server's.
    """
    difference = found.reserved - found.expected
    same = {"$eq": ["$difference", difference]}
    noted = collection_of(FINDINGS, FindingDocument).find_one_and_update(
        {"_id": _id(found)},
        [
            {
                "$set": {
                    "product_id": found.key.id,
                    "geozone": found.geozone,
                    "reserved": found.reserved,
                    "expected": found.expected,
                    "difference": difference,
                    "first_seen": {"$cond": [same, "$first_seen", "$$NOW"]},
                    "last_seen": "$$NOW",
                }
            }
        ],
        upsert=True,
        return_document=ReturnDocument.AFTER,
    )
    return noted is not None and noted["last_seen"] - noted["first_seen"] >= CONFIRMED_AFTER


def forget_others(found: Iterable[Difference]) -> None:
    """Forget all differences but these, which a whole check has found.

    When two checks meet, one may forget what the other has just noted: then it takes one more check to confirm it.
    """
    collection_of(FINDINGS, FindingDocument).delete_many({"_id": {"$nin": sorted(map(_id, found))}})


def count_of_findings(limit: int) -> Read[int]:
    """How many differences the checks find now, up to the limit."""
    return Read(collection=FINDINGS, policy=STOCK_DISPLAY, where={}, fields=("_id",), limit=limit, result=len)


def correct_reservation(found: Difference, *, actor: Actor, reason: str) -> bool:
    """Reserve what orders wait for, with an entry in the audit; False when the product has changed since."""
    corrected = in_transaction(lambda: _correct(found, actor, reason))
    if corrected:
        sync_soon(PRODUCTS, [found.key])
    return corrected


def _correct(found: Difference, actor: Actor, reason: str) -> bool:
    if not set_reserved(found.key, found.geozone, found.expected, version=found.version):
        return False
    changes = {f"reserved.{found.geozone}": (found.reserved, found.expected)}
    record(Action.RESERVATION_CORRECTED, f"product:{found.key.id}", actor=actor, changes=changes, reason=reason)
    collection_of(FINDINGS, FindingDocument).delete_one({"_id": _id(found)}, session=orm_connection().session)
    return True


def _id(found: Difference) -> str:
    return f"{found.key.id}:{found.geozone}"
