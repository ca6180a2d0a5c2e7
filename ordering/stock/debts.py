"""What orders owe the stock: a move of an order and the changes of stock it causes cannot be one write.

So the move writes down, in the same update, what it owes; then the stock is changed and the debt struck off. Whoever
dies in between leaves the debt to the sweep. Each change leaves a receipt in the product, so that none is made twice; a
receipt goes when the debt is gone and the window in which anybody may still act on it has closed.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from pymongo import ReturnDocument
from pymongo.errors import PyMongoError

from catalog.stock.reservations import PUT_BACK, RELEASE, WRITE_OFF, Pieces, StockChange, StockNotChanged, change_stock
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Document, database
from gateway.mongo.policies import STOCK_CHECK
from gateway.mongo.reads import Evidence, decide
from ordering.models import Order

log = structlog.get_logger(__name__)

ORDERS = Order._meta.db_table
CHANGES: Mapping[str, StockChange] = {"release": RELEASE, "write_off": WRITE_OFF, "put_back": PUT_BACK}

# Whoever wrote the debt down pays it at once; an election in the middle takes three seconds.
WINDOW = timedelta(seconds=10)
OVERDUE_AFTER = timedelta(seconds=20)
# Twice the window, and more than any difference between the clocks of two servers.
RECEIPTS_KEPT = timedelta(seconds=60)


def debt(change: str, lines: Iterable[Mapping[str, Any]]) -> Document:
    """To be written into the order by the update that causes it, as a pipeline expression."""
    wanted = [
        {"product_id": line["product_id"], "category": line["category"], "quantity": line["quantity"]}
        for line in lines
        if line["quantity"]
    ]
    return {"id": str(uuid7()), "change": change, "lines": {"$literal": wanted}, "at": "$$NOW"}


def pay_stock(order: Document) -> None:
    """Change the stock as the order owes it. What cannot be done now is left to the sweep."""
    for owed in order["stock_due"]:
        _is_paid(order, owed)


def pay_overdue(*, limit: int) -> int:
    """Debts that their own writers did not pay; returns how many were paid. Asks every shard, by its index."""
    moment = datetime.now(UTC) - OVERDUE_AFTER
    paid = 0
    for order in database()[ORDERS].find({"stock_due.at": {"$lt": moment}}, limit=limit):
        for owed in order["stock_due"]:
            if owed["at"] < moment.replace(tzinfo=None) and (renewed := _renewed(order, owed)):
                paid += _is_paid(order, renewed)
    return paid


def still_owed(ids: Sequence[str]) -> set[str]:
    """Which of these debts have not been struck off. The receipts of the others go, so it is asked as of one moment."""
    standing = Evidence(
        collection=ORDERS,
        policy=STOCK_CHECK,
        # The first condition is the index's: few orders owe anything.
        where={"stock_due.at": {"$exists": True}, "stock_due.id": {"$in": list(ids)}},
        fields=("stock_due.id",),
        result=lambda orders: {owed["id"] for order in orders for owed in order["stock_due"]},
    )
    return decide(lambda moment: moment.run(standing)) & set(ids) if ids else set()


def _is_paid(order: Document, owed: Document) -> bool:
    """Now, or left to the next sweep: one debt that cannot be paid does not keep the others waiting."""
    try:
        _pay(order, owed)
    except (PyMongoError, StockNotChanged) as error:
        log.warning("stock_not_changed_yet", order=order["_id"], change=owed["change"], error=error)
        return False
    return True


def _pay(order: Document, owed: Document) -> None:
    change_stock(
        [Pieces(line["category"], line["product_id"], line["quantity"]) for line in owed["lines"]],
        order["geozone"],
        CHANGES[owed["change"]],
        receipt=owed["id"],
        order_id=order["_id"],
        until=owed["at"] + WINDOW,
    )
    # Not when a sweep has taken it over: it may be about to change the stock, and the receipts stay while this stands.
    struck = {"$pull": {"stock_due": {"id": owed["id"], "at": owed["at"]}}}
    # By id alone when the owner has changed meanwhile.
    for where in ({"owner": order["owner"], "_id": order["_id"]}, {"_id": order["_id"]}):
        if database()[ORDERS].update_one(where, struck).matched_count:
            return


def _renewed(order: Document, owed: Document) -> Document | None:
    """The debt with a new window, for one sweeper only; None: another has taken or paid it."""
    taken = database()[ORDERS].find_one_and_update(
        {
            "owner": order["owner"],
            "_id": order["_id"],
            "stock_due": {"$elemMatch": {"id": owed["id"], "at": owed["at"]}},
        },
        [
            {
                "$set": {
                    "stock_due": {
                        "$map": {
                            "input": "$stock_due",
                            "as": "owed",
                            "in": {
                                "$cond": [
                                    {"$eq": ["$$owed.id", owed["id"]]},
                                    {"$mergeObjects": ["$$owed", {"at": "$$NOW"}]},
                                    "$$owed",
                                ]
                            },
                        }
                    }
                }
            }
        ],
        return_document=ReturnDocument.AFTER,
    )
    return next((each for each in taken["stock_due"] if each["id"] == owed["id"]), None) if taken else None
