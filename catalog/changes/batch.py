"""Many products are changed together: one read, one write, one insert into the audit for all of a batch.

Each product is decided upon by itself. One that is refused, or that somebody has changed since it was looked at, holds
up none of the others.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from pymongo import UpdateOne
from pymongo.collection import Collection

from catalog.changes.values import QUANTITY, draft_of, quantities_in, values_of
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.errors import UnknownProduct
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.products.drafts import ProductDraft, checked
from catalog.products.revision import audited, below_reserved, revised, update_to
from catalog.products.upsert import DIRECTORY
from catalog.structure.guard import Place, geozone_errors, place_in, use_structure
from gateway.audit.trail import Action, Actor, Deed, differences, record_all
from gateway.domain.errors import DomainError, Refused
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import TryAgain, in_transaction
from gateway.sync.queue import sync_soon


class Wanted(NamedTuple):
    """What shall become of one product."""

    values: Mapping[str, Any] = {}
    """Values to be set, see catalog/changes/values.py; an attribute that is None is taken away."""
    seen: Mapping[str, Any] = {}
    """What those values were believed to be. One that differs, and is not what it shall be, is left and told."""
    deltas: Mapping[str, int] = {}
    """Pieces to be added, by geozone: whatever is sold meanwhile stays sold."""


class Outcome(NamedTuple):
    """What became of one product."""

    key: ProductKey
    """Where it is now."""
    changes: Mapping[str, tuple[Any, Any]] = {}
    """Value → (before, after); empty: nothing was changed."""
    conflicts: Mapping[str, tuple[Any, Any]] = {}
    """Value → (what it was believed to be, what it is); left as it is."""
    refusals: tuple[DomainError, ...] = ()
    """Why nothing of it was changed."""


Decide = Callable[[ProductDocument], Wanted]


@dataclass(slots=True)
class _Plan:
    """One product on its way: as it was read, and as it is to be."""

    before: ProductDocument
    draft: ProductDraft | None = None
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    conflicts: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    refusals: tuple[DomainError, ...] = ()
    place: Place | None = None
    """The category that it moves into."""

    @property
    def is_written(self) -> bool:
        return bool(self.changes) and not self.refusals

    @property
    def moves(self) -> bool:
        return self.draft is not None and self.draft.category != self.before["category"]

    @property
    def outcome(self) -> Outcome:
        category = self.draft.category if self.draft and self.is_written else self.before["category"]
        changes = self.changes if self.is_written else {}
        return Outcome(ProductKey(category, self.before["_id"]), changes, self.conflicts, self.refusals)


def change_products(
    keys: Sequence[ProductKey],
    decide: Decide,
    *,
    actor: Actor,
    reason: str = "",
    look: Callable[[], None] = lambda: None,
) -> list[Outcome]:
    """Change products of one category, each as `decide` says of it as it is now; returns what became of each.

    `decide` may be called again for the same product, when a sale or an edit comes between: it must do nothing but
    decide. Reservations stay as they are, derived fields and copies follow. Joins the running transaction.
    `look`: reads what else the decisions need, in the transaction, once the products have been read: whoever changes
    one of them from then on conflicts.
    """
    if len({key.category for key in keys}) > 1:
        raise ValueError("a batch is of one category: it has one shard")
    return in_transaction(lambda: _change(keys, decide, look, actor, reason)) if keys else []


def change_product(key: ProductKey, wanted: Wanted, *, actor: Actor, reason: str = "") -> Outcome:
    """Change one product, as `change_products` does."""
    (outcome,) = change_products([key], lambda _: wanted, actor=actor, reason=reason)
    return outcome


def preview(document: ProductDocument, wanted: Wanted) -> Outcome:
    """What would become of the product, by what can be told without its category and geozones."""
    return _planned(document, wanted).outcome


def _change(
    keys: Sequence[ProductKey], decide: Decide, look: Callable[[], None], actor: Actor, reason: str
) -> list[Outcome]:
    found = _read(keys)
    look()
    plans = {id_: _planned(document, decide(document)) for id_, document in found.items()}
    _check_structure([plan for plan in plans.values() if plan.is_written])
    written = [plan for plan in plans.values() if plan.is_written]
    _write([plan for plan in written if not plan.moves], actor)
    _move([plan for plan in written if plan.moves], actor)
    deeds = [Deed(Action.PRODUCT_CHANGED, f"product:{plan.before['_id']}", _audited(plan)) for plan in written]
    record_all(deeds, actor=actor, reason=reason)
    transaction.on_commit(partial(sync_soon, PRODUCTS, [plan.outcome.key for plan in written]))
    return [plans[key.id].outcome if key.id in plans else Outcome(key, refusals=(UnknownProduct(),)) for key in keys]


def _read(keys: Sequence[ProductKey]) -> dict[str, ProductDocument]:
    documents = _products().find(
        {"category": keys[0].category, "_id": {"$in": [key.id for key in keys]}},
        # Long, and none of it is edited.
        {"terms": 0, "holds": 0},
        session=orm_connection().session,
    )
    return {document["_id"]: document for document in documents}


def _planned(before: ProductDocument, wanted: Wanted) -> _Plan:
    now = values_of(before)
    # What somebody has made of it already, as it was to be, is no conflict.
    conflicts = {
        name: (believed, now.get(name))
        for name, believed in wanted.seen.items()
        if now.get(name) not in (believed, wanted.values.get(name, believed))
    }
    values = {name: value for name, value in wanted.values.items() if name not in conflicts}
    sums = {f"{QUANTITY}{zone}": (now.get(f"{QUANTITY}{zone}") or 0) + delta for zone, delta in wanted.deltas.items()}
    after = {**now, **values, **sums}
    stock = {
        geozone: quantity
        for geozone, quantity in quantities_in({**values, **sums}).items()
        if quantity != now.get(f"{QUANTITY}{geozone}")
    }
    try:
        draft = checked(draft_of(before["_id"], after, stock=stock))
    except Refused as refusal:
        return _Plan(before, conflicts=conflicts, refusals=tuple(refusal))
    changes = differences(now, values_of(revised(draft, before)))
    return _Plan(before, draft, changes, conflicts, tuple(below_reserved(draft, before)))


def _check_structure(plans: Iterable[_Plan]) -> None:
    """Refuse what names a category or a geozone that is not there, and let the others stay until the commit."""
    using = [(plan, plan.draft) for plan in plans if plan.draft and (plan.moves or plan.draft.stock)]
    if not using:
        return
    use_structure()
    categories = {draft.category for plan, draft in using if plan.moves}
    places = {category: place_in(category, "category") for category in categories}
    for plan, draft in using:
        plan.place = places[draft.category] if plan.moves else None
        moved = plan.place.errors if plan.place else []
        plan.refusals = (*moved, *geozone_errors([level.geozone for level in draft.stock or ()], "stock"))


def _write(plans: Sequence[_Plan], actor: Actor) -> None:
    updates = [
        UpdateOne(
            {"category": plan.before["category"], "_id": plan.before["_id"]},
            update_to(plan.draft, revised(plan.draft, plan.before), editor=actor.name),
        )
        for plan in plans
        if plan.draft
    ]
    if not updates:
        return
    result = _products().bulk_write(updates, ordered=False, session=orm_connection().session)
    if result.matched_count != len(updates):
        raise TryAgain("a product changed its category meanwhile")


def _move(plans: Sequence[_Plan], actor: Actor) -> None:
    """One by one: the servers move no two documents between shards by one command."""
    session = orm_connection().session
    directory = collection_of(DIRECTORY, DirectoryEntry)
    for plan in plans:
        assert plan.draft is not None  # noqa: S101 - what moves has a draft
        assert plan.place is not None  # noqa: S101 - and has been given a place
        address = {"category": plan.before["category"], "_id": plan.before["_id"]}
        wanted = revised(plan.draft, plan.before)
        update = update_to(plan.draft, wanted, editor=actor.name, low_at=plan.place.low_at)
        if not _products().update_one(address, update, session=session).matched_count:
            raise TryAgain(f"product {plan.before['_id']} changed its category meanwhile")
        directory.update_one({"_id": plan.before["_id"]}, {"$set": {"category": plan.draft.category}}, session=session)


def _audited(plan: _Plan) -> Mapping[str, tuple[Any, Any]]:
    assert plan.draft is not None  # noqa: S101 - what is written has a draft
    return differences(audited(plan.before), audited(revised(plan.draft, plan.before)))


def _products() -> Collection[ProductDocument]:
    return collection_of(PRODUCTS, ProductDocument)
