"""How much may be held unpaid, by one buyer and from one address: stock that nobody pays is stock that nobody can buy.

Each buyer and each address has a small document with the unpaid orders they hold. A checkout enters itself there, by
one command for both, before it reserves: the update asks for room, so that any number of checkouts at once stay within
the limits. Whoever pays or cancels need not tell: only when there is no room left are the orders looked at, and those
that are no longer unpaid make room. A checkout that died is forgotten in the same way, or with the time of its hold.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.utils.crypto import salted_hmac
from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from gateway.mongo.client import Expression, collection_of
from gateway.mongo.duplicates import duplicates_of
from gateway.mongo.policies import STOCK_CHECK, under
from gateway.mongo.reads import Evidence, Read, decide, run
from gateway.web.http import UNKNOWN
from ordering.checkout.pricing import OfferedLine
from ordering.documents import HeldOrder, HeldPieces, UnpaidHoldingsDocument
from ordering.errors import AddressHoldsOrders, AddressHoldsPieces, BuyerHoldsOrders, BuyerHoldsPieces, TooMuchUnpaid
from ordering.models import Order, OrderStatus, UnpaidHoldings

ORDERS = Order._meta.db_table
HOLDINGS = UnpaidHoldings._meta.db_table

# An order expires within a minute of its reservation: what is still counted after that was left by a crash.
SLACK = timedelta(minutes=5)
# As long as the sweep of the holds waits for a checkout that is silent.
ABANDONED_AFTER = timedelta(minutes=2)
# Each is lost to a rival who entered the first order of the same buyer or address, or took what had just become free.
TURNS = 10


class Holder(NamedTuple):
    """Whom a limit counts, and how much they may hold."""

    id: str
    orders: int
    pieces: int
    """How many pieces of one product."""
    orders_refusal: type[TooMuchUnpaid]
    pieces_refusal: type[TooMuchUnpaid]


class Holding(NamedTuple):
    """What one checkout is about to hold unpaid."""

    order_id: str
    holders: tuple[Holder, ...]
    lines: tuple[OfferedLine, ...]

    @property
    def pieces(self) -> dict[str, int]:
        """How many, by the name of the product's field: its id without dots, which would mean a path there."""
        return {_field(line): line.pieces.quantity for line in self.lines}


def holders(owner: str, network: str | None) -> tuple[Holder, ...]:
    """The buyer, and the address unless it is unknown. Of an address only a keyed hash is kept."""
    buyer = Holder(
        owner,
        settings.ORDER_UNPAID_PER_BUYER,
        settings.ORDER_UNPAID_PIECES_PER_BUYER,
        BuyerHoldsOrders,
        BuyerHoldsPieces,
    )
    if network is None or network == UNKNOWN:
        return (buyer,)
    address = Holder(
        f"a:{salted_hmac('ordering.hoarding', network, algorithm='sha256').hexdigest()}",
        settings.ORDER_UNPAID_PER_ADDRESS,
        settings.ORDER_UNPAID_PIECES_PER_ADDRESS,
        AddressHoldsOrders,
        AddressHoldsPieces,
    )
    return (buyer, address)


def enter(holding: Holding) -> None:
    """Count the order to be, for all of its holders or none; raises what there is no room for."""
    for holder in holding.holders:
        # Of its own: an upsert makes a document that is not there yet, whatever the conditions say.
        for reason in _beyond(holding, holder, None):
            raise reason
    waiting = holding.holders
    try:
        for _ in range(TURNS):
            waiting = _enter(holding, waiting)
            if not waiting:
                return
            reasons = _reasons(holding, waiting)
            if reasons and not _make_room(waiting):
                raise reasons[0]
        raise waiting[0].orders_refusal(limit=waiting[0].orders)
    except TooMuchUnpaid:
        leave(holding)
        raise


def leave(holding: Holding) -> None:
    """Forget the order, which has not come about. Where it is not entered, nothing changes."""
    updates = [_removal(holder.id, holding.order_id) for holder in holding.holders]
    with under(STOCK_CHECK):
        collection_of(HOLDINGS, UnpaidHoldingsDocument).bulk_write(updates, ordered=False)


def _enter(holding: Holding, waiting: Sequence[Holder]) -> tuple[Holder, ...]:
    """Enter the order where there is room, by one command; returns the holders who have none."""
    now = datetime.now(UTC)
    until = now + timedelta(minutes=settings.ORDER_RESERVATION_MINUTES) + SLACK
    pieces: list[HeldPieces] = [{"k": field, "v": quantity} for field, quantity in holding.pieces.items()]
    entry: HeldOrder = {"order_id": holding.order_id, "at": now, "until": until, "pieces": pieces}
    update = {
        "$push": {"held": entry},
        "$inc": {f"pieces.{each['k']}": each["v"] for each in pieces},
        "$max": {"expires_at": until},
    }
    # A document that is there and has no room does not match: then the insert of the upsert is refused by `_id`.
    updates = [UpdateOne({"_id": holder.id, **_room(holder, holding)}, update, upsert=True) for holder in waiting]
    try:
        with under(STOCK_CHECK):
            collection_of(HOLDINGS, UnpaidHoldingsDocument).bulk_write(updates, ordered=False)
    except BulkWriteError as error:
        return tuple(waiting[refused["index"]] for refused in duplicates_of(error))
    return ()


def _room(holder: Holder, holding: Holding) -> Expression:
    """Filter: there is room for the order. Plain operators only: an upsert takes no expressions."""
    return {
        "held.order_id": {"$ne": holding.order_id},
        f"held.{holder.orders - 1}": {"$exists": False},
        **{f"pieces.{field}": {"$not": {"$gt": holder.pieces - each}} for field, each in holding.pieces.items()},
    }


def _reasons(holding: Holding, waiting: Iterable[Holder]) -> list[TooMuchUnpaid]:
    """Why there is no room as it stands now; empty when there is by now."""
    standing = run(_documents(waiting))
    return [reason for holder in waiting for reason in _beyond(holding, holder, standing.get(holder.id))]


def _beyond(holding: Holding, holder: Holder, standing: UnpaidHoldingsDocument | None) -> Iterator[TooMuchUnpaid]:
    """What the order to be would exceed; `standing`: what the holder has already, None: nothing."""
    if len(standing["held"] if standing else ()) >= holder.orders:
        yield holder.orders_refusal(limit=holder.orders)
    for place, line in enumerate(holding.lines):
        held, wanted = standing["pieces"].get(_field(line), 0) if standing else 0, line.pieces.quantity
        if held + wanted > holder.pieces:
            where = ("lines", place, "quantity")
            yield holder.pieces_refusal(*where, name=line.name, held=held, wanted=wanted, limit=holder.pieces)


def _make_room(waiting: Iterable[Holder]) -> bool:
    """Forget orders that are no longer unpaid; returns whether there were any."""
    documents = run(_documents(waiting))
    entries = [(holder_id, entry) for holder_id, document in documents.items() for entry in document["held"]]
    asked = _statuses([entry["order_id"] for _, entry in entries])
    statuses = decide(lambda moment: moment.run(asked))
    gone = [
        (holder_id, entry["order_id"])
        for holder_id, entry in entries
        if not _is_held(entry, statuses.get(entry["order_id"]))
    ]
    if gone:
        with under(STOCK_CHECK):
            collection_of(HOLDINGS, UnpaidHoldingsDocument).bulk_write(
                [_removal(*each) for each in gone], ordered=False
            )
    return bool(gone)


def _is_held(entry: HeldOrder, status: str | None) -> bool:
    """Whether it still counts; `status`: the order's, None: there is no such order."""
    now = datetime.now(UTC).replace(tzinfo=None)
    if status is None:
        # Not an order yet, or never to be one.
        return entry["at"] > now - ABANDONED_AFTER
    return status == OrderStatus.NEW.value and entry["until"] > now


def _removal(holder_id: str, order_id: str) -> UpdateOne:
    """The update that takes an order out of a holder's document: once, however often it is sent."""
    is_it = {"$eq": ["$$entry.order_id", order_id]}
    given_back = {"$filter": {"input": "$_gone.pieces", "as": "its", "cond": {"$eq": ["$$its.k", "$$piece.k"]}}}
    left = {"$subtract": ["$$piece.v", {"$sum": {"$map": {"input": given_back, "as": "its", "in": "$$its.v"}}}]}
    counted = {
        "$map": {
            "input": {"$objectToArray": "$pieces"},
            "as": "piece",
            "in": {"k": "$$piece.k", "v": left},
        }
    }
    return UpdateOne(
        {"_id": holder_id, "held.order_id": order_id},
        [
            {"$set": {"_gone": {"$first": {"$filter": {"input": "$held", "as": "entry", "cond": is_it}}}}},
            {
                "$set": {
                    "held": {"$filter": {"input": "$held", "as": "entry", "cond": {"$not": [is_it]}}},
                    "pieces": {
                        "$arrayToObject": {
                            "$filter": {"input": counted, "as": "piece", "cond": {"$gt": ["$$piece.v", 0]}}
                        }
                    },
                }
            },
            {"$unset": "_gone"},
        ],
    )


def _documents(waiting: Iterable[Holder]) -> Read[dict[str, UnpaidHoldingsDocument]]:
    return Read(
        collection=HOLDINGS,
        policy=STOCK_CHECK,
        where={"_id": {"$in": [holder.id for holder in waiting]}},
        result=lambda documents: {document["_id"]: document for document in documents},
    )


def _statuses(order_ids: Sequence[str]) -> Evidence[dict[str, str]]:
    """The status of each that is an order. Asks every shard: a guest who signs in takes the orders to another one."""
    return Evidence(
        collection=ORDERS,
        policy=STOCK_CHECK,
        where={"_id": {"$in": list(order_ids)}},
        fields=("status",),
        result=lambda orders: {order["_id"]: order["status"] for order in orders},
    )


def _field(line: OfferedLine) -> str:
    return line.pieces.product_id.replace(".", "%2E")
