"""A change is taken back: what its entry in the audit tells, the other way round.

Only what nobody has changed since. Stock that nobody has counted since is taken back as pieces: what was sold meanwhile
stays sold.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from bson import ObjectId

from catalog.changes.batch import Outcome, Wanted, change_products, preview
from catalog.changes.values import QUANTITY, flat
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.errors import NotUndone, UnknownProduct
from catalog.products.cards import ProductKey, product_for_staff
from catalog.products.upsert import DIRECTORY
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.reading import TRAIL
from gateway.audit.trail import Action, Actor, differences
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import AUDIT
from gateway.mongo.reads import Read, run, run_steps
from gateway.mongo.transactions import in_transaction

PRODUCT = "product:"
ADDED = Action.PRODUCT_ADDED.value
UNDONE = {ADDED, Action.PRODUCT_CHANGED.value, Action.STOCK_ADJUSTED.value}


def product_of(entry: AuditEntryDocument) -> str:
    """The id of the product that the entry tells of. Raises NotUndone for what is no change of a product."""
    if entry["action"] not in UNDONE or not entry["target"].startswith(PRODUCT):
        raise NotUndone
    return entry["target"].removeprefix(PRODUCT)


def wanted_back(entry: AuditEntryDocument, recounted: Collection[str] = ()) -> Wanted:
    """What takes the entry's change back. A product that it made is withdrawn: carts and orders may name it.

    `recounted`: values of the stock that somebody has set since; they are compared like any other.
    """
    product_of(entry)
    if entry["action"] == ADDED:
        was = bool(entry["changes"].get("withdrawn", (None, False))[1])
        return Wanted(values={"withdrawn": True}, seen={"withdrawn": was})
    changed = changed_values(entry)
    pieces = {name: pair for name, pair in changed.items() if name.startswith(QUANTITY) and name not in recounted}
    others = {name: pair for name, pair in changed.items() if name not in pieces}
    return Wanted(
        values={name: _emptied(name, before) for name, (before, _) in others.items()},
        seen={name: after for name, (_, after) in others.items()},
        deltas={name.removeprefix(QUANTITY): (before or 0) - (after or 0) for name, (before, after) in pieces.items()},
    )


def changed_values(entry: AuditEntryDocument) -> dict[str, tuple[Any, Any]]:
    """What the entry tells, value by value: it has all attributes of a product when one has changed."""
    before, after = (flat({field: pair[side] for field, pair in entry["changes"].items()}) for side in (0, 1))
    return differences(before, after)


def would_take_back(entry: AuditEntryDocument) -> Outcome:
    """What taking the entry back would do at this moment, by what can be told without categories and geozones."""
    product_id = product_of(entry)
    product = run_steps(product_for_staff(product_id))
    if product is None:
        return Outcome(ProductKey("", product_id), refusals=(UnknownProduct(),))
    recounted: dict[str, set[str]] = {}
    _note_recounted([entry], recounted)
    return preview(product, wanted_back(entry, recounted.get(product_id, ())))


def change_of(product_id: str, entry_id: str) -> AuditEntryDocument | None:
    """The entry, if it tells of a change of this product that can be taken back."""
    if not ObjectId.is_valid(entry_id):
        return None
    entry: AuditEntryDocument | None = run(_entry(ObjectId(entry_id)))
    is_one = entry and entry["action"] in UNDONE and entry["target"] == f"{PRODUCT}{product_id}"
    return entry if is_one else None


def take_back(entry_id: ObjectId, *, actor: Actor, reason: str = "") -> Outcome:
    """Take back the change of one entry; the outcome tells what of it somebody has changed since."""
    entry = run(_entry(entry_id))
    if entry is None:
        raise NotUndone
    (outcome,) = take_back_all([entry], actor=actor, reason=reason)
    return outcome


def take_back_all(entries: Sequence[AuditEntryDocument], *, actor: Actor, reason: str = "") -> list[Outcome]:
    """Take back the changes of these entries, of different products, in one transaction; outcomes in their order."""
    by_product = {product_of(entry): entry for entry in entries}
    if len(by_product) != len(entries):
        raise ValueError("two changes of one product are taken back one after the other, the newer first")
    return in_transaction(lambda: _take_back_all(by_product, actor, reason))


def _take_back_all(by_product: dict[str, AuditEntryDocument], actor: Actor, reason: str) -> list[Outcome]:
    outcomes = {id_: Outcome(ProductKey("", id_), refusals=(UnknownProduct(),)) for id_ in by_product}
    recounted: dict[str, set[str]] = {}

    def decide(product: ProductDocument) -> Wanted:
        id_ = product["_id"]
        return wanted_back(by_product[id_], recounted.get(id_, ()))

    for keys in _by_category(by_product):
        entries = [by_product[key.id] for key in keys]
        look = partial(_note_recounted, entries, recounted)
        done = change_products(keys, decide, actor=actor, reason=reason, look=look)
        outcomes |= {outcome.key.id: outcome for outcome in done}
    return [outcomes[id_] for id_ in by_product]


def _by_category(product_ids: Iterable[str]) -> list[list[ProductKey]]:
    homes = collection_of(DIRECTORY, DirectoryEntry).find(
        {"_id": {"$in": list(product_ids)}}, session=orm_connection().session
    )
    keys: dict[str, list[ProductKey]] = defaultdict(list)
    for home in homes:
        keys[home["category"]].append(ProductKey(home["category"], home["_id"]))
    return list(keys.values())


def _note_recounted(entries: Sequence[AuditEntryDocument], recounted: dict[str, set[str]]) -> None:
    """Note which values people have set since, by product."""
    counted = [entry for entry in entries if any(field.startswith(QUANTITY) for field in entry["changes"])]
    if not counted:
        return
    since = {entry["target"]: entry["at"] for entry in counted}
    later: Read[list[AuditEntryDocument]] = Read(
        collection=TRAIL,
        policy=AUDIT,
        where={
            "$or": [{"target": target, "at": {"$gte": at}} for target, at in since.items()],
            "_id": {"$nin": [entry["_id"] for entry in counted]},
        },
        fields=("target", "changes"),
        result=list,
    )
    for entry in run(later):
        recounted.setdefault(entry["target"].removeprefix(PRODUCT), set()).update(entry["changes"])


def _entry(entry_id: ObjectId) -> Read[AuditEntryDocument | None]:
    return Read(
        collection=TRAIL,
        policy=AUDIT,
        where={"_id": entry_id},
        result=lambda entries: entries[0] if entries else None,
    )


def _emptied(name: str, value: object) -> object:
    """A level that was not there before is one of nothing: a quantity once counted is not forgotten."""
    return 0 if value is None and name.startswith(QUANTITY) else value
