"""What a bulk change would do, before it is done: the first products old → new, and warnings counted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from django.urls import reverse

from admin_ext.bulk.words import CAUTIONS
from catalog.bulk.cautions import Caution, cautions_of
from catalog.bulk.change import BulkChange
from catalog.changes.batch import Outcome, preview
from catalog.changes.values import values_of
from catalog.documents import ProductDocument
from catalog.listing.selection import Selection, count, keys_after
from catalog.products.cards import PRODUCTS, ProductKey
from gateway.audit.lines import Change, changes_in_words
from gateway.audit.trail import differences
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read, run
from gateway.staff.language import said, staff_language

SHOWN = 50
# As many as are looked at while a person waits; the rest is told by the job itself.
EXAMINED = 2_000
BATCH = 500
SECONDS = 3.0
# All that is edited, and the cost.
FIELDS = (
    *("category", "name", "description", "prices", "stock"),
    *("attributes", "images", "withdrawn", "cost"),
)


class Row(NamedTuple):
    """One product of the table."""

    product_id: str
    name: str
    url: str
    changes: list[Change]
    warnings: list[str]
    refusals: list[str]


@dataclass(slots=True)
class Preview:
    total: int | None
    """How many are selected; None: more than can be counted while a person waits."""
    examined: int = 0
    is_whole: bool = False
    """Whether every selected product was looked at."""
    changed: int = 0
    unchanged: int = 0
    refused: int = 0
    warnings: list[tuple[str, int]] = field(default_factory=list)
    """What is warned of, and of how many products."""
    rows: list[Row] = field(default_factory=list)


class _Seen(NamedTuple):
    document: ProductDocument
    outcome: Outcome
    cautions: list[Caution]

    @property
    def is_worth_showing(self) -> bool:
        return bool(self.outcome.changes or self.outcome.refusals)


def preview_of(selection: Selection, change: BulkChange) -> Preview:
    """Look at the first products of the selection, as many as time allows. Nothing is written."""
    made = Preview(total=count(selection))
    counted: Counter[Caution] = Counter()
    shown: list[_Seen] = []
    end = monotonic() + SECONDS
    after: ProductKey | None = None
    while made.examined < EXAMINED and monotonic() < end:
        keys = keys_after(selection, after, min(BATCH, EXAMINED - made.examined))
        if not keys:
            made.is_whole = True
            break
        for seen in _looked_at(keys, change):
            made.examined += 1
            made.changed += bool(seen.outcome.changes)
            made.refused += bool(seen.outcome.refusals)
            made.unchanged += not seen.is_worth_showing
            counted.update(seen.cautions)
            if seen.is_worth_showing and len(shown) < SHOWN:
                shown.append(seen)
        after = keys[-1]
    made.is_whole = made.is_whole or made.examined == made.total
    made.warnings = [(said(CAUTIONS[caution]), counted[caution]) for caution in Caution if counted[caution]]
    made.rows = _rows(shown, change)
    return made


def _looked_at(keys: Sequence[ProductKey], change: BulkChange) -> Iterator[_Seen]:
    for document in run(_products(keys)):
        yield _Seen(document, preview(document, change.wanted(document)), cautions_of(document, change))


def _products(keys: Sequence[ProductKey]) -> Read[list[ProductDocument]]:
    """The products of one category, in the order of their ids."""
    return Read(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where={"category": keys[0].category, "_id": {"$in": [key.id for key in keys]}},
        fields=FIELDS,
        sort=(("category", 1), ("_id", 1)),
        result=list,
    )


def _rows(seen: Sequence[_Seen], change: BulkChange) -> list[Row]:
    told = changes_in_words("product", [_wished(each, change) for each in seen])
    return [
        Row(
            each.document["_id"],
            each.document["name"],
            reverse("admin:catalog_product_change", args=[each.document["_id"]]),
            changes,
            [said(CAUTIONS[caution]) for caution in each.cautions],
            [reason.message(staff_language()) for reason in each.outcome.refusals],
        )
        for each, changes in zip(seen, told, strict=True)
    ]


def _wished(seen: _Seen, change: BulkChange) -> dict[str, tuple[object, object]]:
    """The changes; of a product that is refused, those that were wished for."""
    if seen.outcome.changes:
        return dict(seen.outcome.changes)
    before, after = values_of(seen.document), change.after(seen.document)
    return differences(before, after)
