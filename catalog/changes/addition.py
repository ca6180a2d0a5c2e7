"""Many products are added together: one command each for the directory, the products and the audit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from django.db import transaction

from catalog.changes.batch import Outcome
from catalog.changes.values import values_of
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.errors import ProductExists, UnknownGeozone
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.products.drafts import ProductDraft, checked
from catalog.products.revision import audited
from catalog.products.upsert import DIRECTORY, new_product
from catalog.structure.guard import Place, missing_geozones, place_in, use_structure
from gateway.audit.trail import Action, Actor, Deed, differences, record_all
from gateway.domain.errors import DomainError, Refused
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import in_transaction
from gateway.sync.queue import sync_soon


def add_products(drafts: Sequence[ProductDraft], *, actor: Actor, reason: str = "") -> list[Outcome]:
    """Make the products; returns what became of each, in their order. One that is refused holds up none of the others.

    Joins the running transaction. A product that exists already, also one made at the same moment, is refused.
    """
    return in_transaction(lambda: _add(drafts, actor, reason)) if drafts else []


def _add(drafts: Sequence[ProductDraft], actor: Actor, reason: str) -> list[Outcome]:
    use_structure()
    places = {category: place_in(category, "category") for category in {draft.category for draft in drafts}}
    refused = _refusals(drafts, places)
    wanted = [checked(draft) for draft, reasons in zip(drafts, refused, strict=True) if not reasons]
    documents = {
        draft.product_id: new_product(draft, low_at=places[draft.category].low_at, editor=actor.name)
        for draft in wanted
    }
    _insert(list(documents.values()))
    deeds = [
        Deed(Action.PRODUCT_ADDED, f"product:{id_}", differences({}, audited(document)))
        for id_, document in documents.items()
    ]
    record_all(deeds, actor=actor, reason=reason)
    keys = [ProductKey(document["category"], document["_id"]) for document in documents.values()]
    transaction.on_commit(partial(sync_soon, PRODUCTS, keys))
    return [
        _outcome(draft, None if reasons else documents[draft.product_id.strip()], reasons)
        for draft, reasons in zip(drafts, refused, strict=True)
    ]


def _insert(documents: Sequence[ProductDocument]) -> None:
    if not documents:
        return
    session = orm_connection().session
    entries: list[DirectoryEntry] = [{"_id": each["_id"], "category": each["category"]} for each in documents]
    # Two who make the same id under two categories meet here: one conflicts, is run again and finds the entry.
    collection_of(DIRECTORY, DirectoryEntry).insert_many(entries, session=session)
    collection_of(PRODUCTS, ProductDocument).insert_many(documents, session=session)


def _refusals(drafts: Sequence[ProductDraft], places: Mapping[str, Place]) -> list[tuple[DomainError, ...]]:
    ids = [draft.product_id.strip() for draft in drafts]
    taken = collection_of(DIRECTORY, DirectoryEntry).find(
        {"_id": {"$in": ids}}, projection=["_id"], session=orm_connection().session
    )
    existing = {entry["_id"] for entry in taken}
    twice = {id_ for id_, times in Counter(ids).items() if times > 1}
    missing = missing_geozones({geozone for draft in drafts for geozone, _ in draft.stock or ()})
    return [
        (
            *([ProductExists("product_id", product_id=id_)] if id_ in existing | twice else ()),
            *_errors_in(draft),
            *places[draft.category].errors,
            *(
                UnknownGeozone("stock", index, "geozone", geozone=geozone)
                for index, (geozone, _) in enumerate(draft.stock or ())
                if geozone in missing
            ),
        )
        for id_, draft in zip(ids, drafts, strict=True)
    ]


def _errors_in(draft: ProductDraft) -> tuple[DomainError, ...]:
    try:
        checked(draft)
    except Refused as refusal:
        return tuple(refusal)
    return ()


def _outcome(draft: ProductDraft, document: ProductDocument | None, reasons: tuple[DomainError, ...]) -> Outcome:
    changes = differences({}, values_of(document)) if document else {}
    return Outcome(ProductKey(draft.category.strip(), draft.product_id.strip()), changes, refusals=reasons)
