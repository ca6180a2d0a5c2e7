"""The outbox is the document: what a change causes elsewhere is written down as a debt, in the same write.

Whoever wrote it down pays it and strikes it off; whoever dies in between leaves it to the sweep, which walks a small
partial index of all that is owed, oldest first. Every moment is the server's, so that no process needs a right clock.

Orders owe the stock changes and the buyer letters: debts in an array, each paid by one holder of its lease at a time.
That is `Outbox`. What a document owes Cassandra (gateway/sync/marks.py) is one debt by nature: its newest version,
whatever happened before. It needs no lease, for a copy that comes twice or late changes nothing, and it is struck off
by its version, not by a lease. So it shares with the others what they have in common: growing pauses, the walk over
what is due, and how much waits for how long.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, NamedTuple, NotRequired, TypedDict, TypeVar
from uuid import uuid4

from pymongo import ReturnDocument, UpdateOne
from pymongo.collection import Collection

from gateway.domain.uuid7 import moment_of
from gateway.mongo.client import Expression, Pipeline, collection_of

NOW = "$$NOW"

# Beyond it the number says nothing more: the backlog is long.
COUNTED = 10_000


class Debt(TypedDict):
    """What every debt in an array has; the rest says what is owed."""

    id: str
    """Begins with the moment at which it was written down (gateway/domain/uuid7.py)."""
    at: datetime
    """The lease: it is free from then on, and whoever takes it renews it."""
    holder: NotRequired[str]
    """Who took it last together with others, to find again what was taken."""


D = TypeVar("D", bound=Mapping[str, Any])
E = TypeVar("E", bound=Debt)


class Owed(NamedTuple, Generic[D, E]):
    """A debt and the document that owes it, as both were read, written or taken."""

    document: D
    debt: E


class Depth(NamedTuple):
    """How much is owed, for metrics."""

    documents: int
    """How many owe something, up to COUNTED."""
    oldest_seconds: float | None
    """How long the one that is due first has waited; None: nothing is owed.

    What keeps failing is put off, and so comes last: it does not hide how the others fare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outbox(Generic[D, E]):
    """Debts in an array of the documents of one collection, with a partial index on their `at`."""

    collection: str
    documents: type[D]
    key: tuple[str, ...]
    """Fields that address a document: the shard key, which may change, and `_id`."""
    field: str
    lease: Expression
    """Fields of a debt that is taken, in a pipeline in which it is `$$debt`: `at`, renewed."""
    overdue_after: timedelta
    """How long after `at` a debt is left to whoever wrote it down or took it."""

    def owe(self, debt: Expression) -> Expression:
        """Part of `$set` in the pipeline that causes the debt, which has an `id` and is due `at` NOW."""
        return {self.field: {"$concatArrays": [f"${self.field}", [debt]]}}

    def overdue(self, *, limit: int, now: datetime | None = None) -> list[Owed[D, E]]:
        """Debts that nobody has paid in time, of so many documents at most. Asks every shard, by its index."""
        moment = (now or datetime.now(UTC)) - self.overdue_after
        found = due(self._collection(), self._due, before=moment, limit=limit)
        return [
            Owed(document, debt)
            for document in found
            for debt in document[self.field]
            if debt["at"].replace(tzinfo=UTC) <= moment
        ]

    def take(self, owed: Owed[D, E]) -> Owed[D, E] | None:
        """The debt under a new lease and its document as it stands; None: another has it, or has paid it.

        Of all who have read the same debt, one gets it.
        """
        id_ = owed.debt["id"]
        taken = self._collection().find_one_and_update(
            self._free(owed), self._renew(id_, self.lease), return_document=ReturnDocument.AFTER
        )
        return Owed(taken, next(debt for debt in taken[self.field] if debt["id"] == id_)) if taken else None

    def take_all(self, owed: Sequence[Owed[D, E]]) -> list[Owed[D, E]]:
        """Those of the debts that `take` would give, by two commands for all of them.

        Who dies in between, or loses the answer, leaves them under their new leases.
        """
        if not owed:
            return []
        holder = str(uuid4())
        lease = {**self.lease, "holder": holder}
        updates = [UpdateOne(self._free(each), self._renew(each.debt["id"], lease)) for each in owed]
        self._collection().bulk_write(updates, ordered=False)
        addresses = [self._address(each.document) for each in owed]
        where = {field: {"$in": sorted({address[field] for address in addresses})} for field in self.key}
        return [
            Owed(document, debt)
            for document in self._collection().find({**where, f"{self.field}.holder": holder})
            for debt in document[self.field]
            if debt.get("holder") == holder
        ]

    def strike_off(self, owed: Owed[D, E], *also: Expression) -> None:
        """Paid. Not when another has taken it over: it is paying now, and the debt stands until it has.

        `also`: further stages of the same update, which stand in any case.
        """
        self.update(owed.document, self._struck_off(owed, also))

    def strike_off_all(self, paid: Sequence[tuple[Owed[D, E], Pipeline]]) -> None:
        """`strike_off` for many debts, each with its further stages, by one command."""
        if not paid:
            return
        updates = [UpdateOne(self._address(owed.document), self._struck_off(owed, also)) for owed, also in paid]
        if self._collection().bulk_write(updates, ordered=False).matched_count < len(updates):
            # Some have another address by now. Twice is once.
            for owed, also in paid:
                self.strike_off(owed, *also)

    def postpone(self, owed: Owed[D, E], until: datetime) -> None:
        """Give it back, free from then on; to have waited is no failure, and makes no pause longer."""
        put_off = {"$set": {f"{self.field}.$[debt].at": until}, "$inc": {f"{self.field}.$[debt].tries": -1}}
        held = {"debt.id": owed.debt["id"], "debt.at": owed.debt["at"]}
        self.update(owed.document, put_off, array_filters=[held])

    def update(self, document: D, update: Expression | Pipeline, array_filters: list[Expression] | None = None) -> None:
        """Update the document that owes; by id alone, on every shard, when the rest of its address has changed."""
        for where in (self._address(document), {"_id": document["_id"]}):
            if self._collection().update_one(where, update, array_filters=array_filters).matched_count:
                return

    def depth(self) -> Depth:
        """How much is owed, and for how long. Asks every shard, by its index."""
        return depth_of(self._collection(), self._due, self._owes_since)

    @property
    def _due(self) -> str:
        return f"{self.field}.at"

    def _collection(self) -> Collection[D]:
        return collection_of(self.collection, self.documents)

    def _address(self, document: D) -> Expression:
        return {field: document[field] for field in self.key}

    def _free(self, owed: Owed[D, E]) -> Expression:
        """Filter: the debt as it was read, if its lease has ended."""
        at = owed.debt["at"]
        return {
            **self._address(owed.document),
            self.field: {"$elemMatch": {"id": owed.debt["id"], "at": at}},
            "$expr": {"$lte": [at, NOW]},
        }

    def _struck_off(self, owed: Owed[D, E], also: Iterable[Expression]) -> Pipeline:
        is_mine = {"$and": [{"$eq": ["$$debt.id", owed.debt["id"]]}, {"$eq": ["$$debt.at", owed.debt["at"]]}]}
        others = {"$filter": {"input": f"${self.field}", "as": "debt", "cond": {"$not": [is_mine]}}}
        return [{"$set": {self.field: others}}, *also]

    def _renew(self, id_: str, lease: Expression) -> Pipeline:
        renewed = {"$mergeObjects": ["$$debt", lease]}
        either = {"$cond": [{"$eq": ["$$debt.id", id_]}, renewed, "$$debt"]}
        return [{"$set": {self.field: {"$map": {"input": f"${self.field}", "as": "debt", "in": either}}}}]

    def _owes_since(self, document: D) -> datetime:
        return min(moment_of(debt["id"]) or debt["at"].replace(tzinfo=UTC) for debt in document[self.field])


def growing_lease(first: timedelta, longest: timedelta) -> Expression:
    """A lease that grows with the `tries` of a debt: whoever holds it longer than that has failed."""
    tries = {"$ifNull": ["$$debt.tries", 0]}
    return {"at": {"$add": [NOW, growing_pause(tries, first, longest)]}, "tries": {"$add": [tries, 1]}}


def growing_pause(failures: Expression, first: timedelta, longest: timedelta) -> Expression:
    """Milliseconds to wait after so many failures before this one: twice as long each time, up to the longest."""
    first_ms, longest_ms = first // timedelta(milliseconds=1), longest // timedelta(milliseconds=1)
    return {"$min": [longest_ms, {"$multiply": [first_ms, {"$pow": [2, failures]}]}]}


def owing(field: str) -> Expression:
    """Filter for documents that owe something, by the field that says since when; the condition of its index too."""
    return {field: {"$exists": True}}


def index_of(field: str) -> str:
    """Name of the partial index that holds what is owed."""
    return f"{field}_1"


def due(
    collection: Collection[D], field: str, *, before: datetime, limit: int, fields: Sequence[str] | None = None
) -> list[D]:
    """What has been due since this moment or longer, oldest first; of the shards that answer, by their index.

    A shard that is away keeps the others from nothing. `fields`: those to be read, all when not said.
    """
    return list(
        collection.find(
            {field: {"$lte": before}},
            fields,
            sort=[(field, 1)],
            limit=limit,
            hint=index_of(field),
            allow_partial_results=True,
        )
    )


def depth_of(collection: Collection[D], field: str, since: Callable[[D], datetime]) -> Depth:
    """How many documents owe something, and for how long that does which is due first; `since` tells it of one."""
    documents = collection.count_documents(owing(field), limit=COUNTED, hint=index_of(field))
    array = field.partition(".")[0]
    first = next(iter(collection.find(owing(field), [array], sort=[(field, 1)], limit=1, hint=index_of(field))), None)
    waited = max(0.0, (datetime.now(UTC) - since(first)).total_seconds()) if first else None
    return Depth(documents, waited)
