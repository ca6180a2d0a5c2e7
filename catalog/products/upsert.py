"""A product is made or changed: the one action behind the API, the admin and imports."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from bson import Decimal128
from pymongo import ReturnDocument
from pymongo.collection import Collection

from catalog.documents import DirectoryEntry, ProductDocument
from catalog.errors import ChangedMeanwhile, ProductExists, StockChangedMeanwhile, UnknownProduct
from catalog.models import ProductDirectory
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.products.derived import derived_fields
from catalog.products.drafts import ProductDraft, checked
from catalog.products.revision import audited, below_reserved, edited, fields_of, restocked, revised, update_to
from catalog.stock.adjust import level_in
from catalog.structure.guard import geozone_errors, place_in, use_structure
from gateway.audit.trail import Action, Actor, differences, record
from gateway.domain.errors import DomainError, Refused
from gateway.idempotency.keys import keyed
from gateway.idempotency.receipts import take_key
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import TryAgain, in_transaction
from gateway.sync.marks import new_marks
from gateway.sync.queue import sync_soon

DIRECTORY = ProductDirectory._meta.db_table


class Seen(NamedTuple):
    """What an editor saw of the product. Whatever of it changed meanwhile makes their change a conflict.

    A version would not do: every sale moves it, and a product that sells well could never be edited.
    """

    edition: str
    quantities: Mapping[str, int]


class Expected(NamedTuple):
    """What a program had read of the product. Whatever of it has changed since makes its change a conflict."""

    version: str | None = None
    """The version it read; changes with every change of the product, a sale too."""
    quantities: Mapping[str, int] = {}
    """Quantities it read, by geozone, where the draft sets them: for products whose version every sale changes."""


@dataclass(frozen=True, slots=True)
class Upserted:
    document: ProductDocument
    created: bool
    changed: bool
    replayed: bool = False
    """An earlier request under the same key did it; this one changed nothing."""


def upsert_product(
    draft: ProductDraft,
    *,
    actor: Actor,
    seen: Seen | None = None,
    expected: Expected | None = None,
    only_new: bool = False,
    reason: str = "",
    idempotency_key: str | None = None,
) -> Upserted:
    """Make the product, or change what the draft says of it; a category that differs moves it.

    Product, directory entry and audit entry change together or not at all. What a checkout writes (`reserved`, `holds`)
    stays as it is, whenever it comes. Repeated at once, it finds nothing to change and leaves no trace; but what others
    have changed meanwhile, it changes back, unless it comes under an idempotency key or says what it expects.
    """
    wanted = checked(draft)
    expectation = expected or Expected()
    request = {"draft": asdict(wanted), "expected": expectation, "only_new": only_new}
    key = keyed(idempotency_key, "productUpsert", request)

    def upsert() -> Upserted:
        if not take_key(key, actor):
            return _as_it_stands(wanted.product_id)
        return _upsert(wanted, actor=actor, seen=seen, expected=expectation, only_new=only_new, reason=reason)

    done = in_transaction(upsert)
    if done.changed:
        sync_soon(PRODUCTS, [ProductKey(wanted.category, wanted.product_id)])
    return done


def edition_of(document: ProductDocument) -> str:
    """A fingerprint of all that merchandisers edit, stock apart: differs whenever something of it differs."""
    shown = {field: _text(value) for field, value in edited(document).items()}
    return hashlib.sha256(json.dumps(shown, ensure_ascii=False).encode()).hexdigest()[:32]


def version_of(document: ProductDocument) -> str:
    """The version as programs see it: only whether it is the same means anything."""
    return str(document.get("version", ""))


def seen_in(document: ProductDocument) -> Seen:
    """What an editor sees who opens the product now."""
    quantities = {level["geozone"]: level["quantity"] for level in document.get("stock") or ()}
    return Seen(edition_of(document), quantities)


def _as_it_stands(product_id: str) -> Upserted:
    session = orm_connection().session
    entry = _directory().find_one({"_id": product_id}, session=session)
    found = entry and _products().find_one({"category": entry["category"], "_id": product_id}, session=session)
    if found is None:
        raise TryAgain(f"product {product_id} changed its category meanwhile")
    return Upserted(found, created=False, changed=False, replayed=True)


def _upsert(
    draft: ProductDraft, *, actor: Actor, seen: Seen | None, expected: Expected, only_new: bool, reason: str
) -> Upserted:
    entry = _directory().find_one({"_id": draft.product_id}, session=orm_connection().session)
    if entry is None:
        if seen is not None or expected.version is not None:
            raise UnknownProduct("product_id")
        if errors := _unexpected(draft, None, expected):
            raise Refused(errors)
        return _create(draft, actor=actor, reason=reason)
    if only_new:
        raise ProductExists("product_id", product_id=draft.product_id)
    return _change(draft, entry["category"], actor=actor, seen=seen, expected=expected, reason=reason)


def _create(draft: ProductDraft, *, actor: Actor, reason: str) -> Upserted:
    use_structure()
    place = place_in(draft.category, "category")
    if errors := [*place.errors, *_geozone_errors(draft)]:
        raise Refused(errors)
    document = new_product(draft, low_at=place.low_at, editor=actor.name)
    session = orm_connection().session
    # Two who make the same id under two categories meet here: one conflicts, is run again and finds the entry.
    _directory().insert_one({"_id": draft.product_id, "category": draft.category}, session=session)
    _products().insert_one(document, session=session)
    changes = differences({}, audited(document))
    record(Action.PRODUCT_ADDED, _target(draft), actor=actor, changes=changes, reason=reason)
    return Upserted(document, created=True, changed=True)


def new_product(draft: ProductDraft, *, low_at: int, editor: str) -> ProductDocument:
    """The document of a product that is made now."""
    now = datetime.now(UTC)
    fields, stock, marks = fields_of(draft, None), restocked(draft, None), new_marks(now)
    derived = derived_fields(
        {
            "_id": draft.product_id,
            "category": draft.category,
            **fields,
            "stock": stock,
            "low_at": low_at,
            "created_at": now,
        }
    )
    return {
        "_id": draft.product_id,
        "category": draft.category,
        "name": fields["name"],
        "description": fields["description"],
        "prices": fields["prices"],
        "attributes": fields["attributes"],
        "images": fields["images"],
        "withdrawn": fields["withdrawn"],
        "stock": stock,
        "low_at": low_at,
        "holds": [],
        "created_at": now,
        "updated_at": now,
        "edited_at": now,
        "edited_by": editor,
        "version": marks["version"],
        "synced_version": marks["synced_version"],
        "unsynced": marks["unsynced"],
        "price": derived["price"],
        "discount": derived["discount"],
        "sort_name": derived["sort_name"],
        "available_in": derived["available_in"],
        "shelf": derived["shelf"],
        "facets": derived["facets"],
        "terms": derived["terms"],
        "standing": derived["standing"],
        "missing": derived["missing"],
        "pictures": derived["pictures"],
    }


def _change(
    draft: ProductDraft, home: str, *, actor: Actor, seen: Seen | None, expected: Expected, reason: str
) -> Upserted:
    session = orm_connection().session
    address = {"category": home, "_id": draft.product_id}
    before = _products().find_one(address, session=session)
    if before is None:
        raise TryAgain(f"product {draft.product_id} changed its category meanwhile")
    conflicts = [*_conflicts(draft, before, seen), *_unexpected(draft, before, expected)]
    if errors := [*conflicts, *below_reserved(draft, before)]:
        raise Refused(errors)
    wanted = revised(draft, before)
    changes = differences(audited(before), audited(wanted))
    if not changes:
        return Upserted(before, created=False, changed=False)
    moves = draft.category != home
    if moves or draft.stock:
        use_structure()
    place = place_in(draft.category, "category") if moves else None
    if errors := [*(place.errors if place else ()), *_geozone_errors(draft)]:
        raise Refused(errors)
    update = update_to(draft, wanted, editor=actor.name, low_at=place.low_at if place else None)
    after = _products().find_one_and_update(address, update, return_document=ReturnDocument.AFTER, session=session)
    if after is None:
        raise TryAgain(f"product {draft.product_id} went away meanwhile")
    if moves:
        _directory().update_one({"_id": draft.product_id}, {"$set": {"category": draft.category}}, session=session)
    record(Action.PRODUCT_CHANGED, _target(draft), actor=actor, changes=changes, reason=reason)
    return Upserted(after, created=False, changed=True)


def _conflicts(draft: ProductDraft, before: ProductDocument, seen: Seen | None) -> list[DomainError]:
    if seen is None:
        return []
    errors: list[DomainError] = [] if edition_of(before) == seen.edition else [ChangedMeanwhile()]
    for index, (geozone, _) in enumerate(draft.stock or ()):
        quantity, was = level_in(before, geozone)[0], seen.quantities.get(geozone, 0)
        if quantity != was:
            errors.append(StockChangedMeanwhile("stock", index, "quantity", seen=was, quantity=quantity))
    return errors


def _unexpected(draft: ProductDraft, before: ProductDocument | None, expected: Expected) -> list[DomainError]:
    errors: list[DomainError] = []
    if expected.version not in (None, version_of(before) if before else ""):
        errors.append(ChangedMeanwhile("expected_version"))
    for index, (geozone, _) in enumerate(draft.stock or ()):
        quantity, was = level_in(before or {}, geozone)[0], expected.quantities.get(geozone)
        if was not in (None, quantity):
            errors.append(StockChangedMeanwhile("stock", index, "expected_quantity", seen=was, quantity=quantity))
    return errors


def _geozone_errors(draft: ProductDraft) -> list[DomainError]:
    return geozone_errors([geozone for geozone, _ in draft.stock or ()], "stock")


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal128) else value


def _target(draft: ProductDraft) -> str:
    return f"product:{draft.product_id}"


def _products() -> Collection[ProductDocument]:
    return collection_of(PRODUCTS, ProductDocument)


def _directory() -> Collection[DirectoryEntry]:
    return collection_of(DIRECTORY, DirectoryEntry)
