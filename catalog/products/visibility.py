"""Why buyers do not see a product, or cannot buy it: every reason there is, as values that pages put into words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, ClassVar, NamedTuple

from catalog.documents import ProductDocument
from catalog.products.cards import card_by_id, is_on_sale, product_for_staff
from catalog.stock.adjust import level_in
from catalog.structure.category_tree import CategoryNode, CategoryTree, whole_tree
from catalog.structure.geozones import GeozoneName, all_geozones
from gateway.mongo.reads import Steps


class Effect(Enum):
    """What a reason does to buyers, the worst first."""

    UNSEEN = "unseen"
    UNSOLD = "unsold"
    """They see the product, and nobody can buy it."""
    UNSOLD_HERE = "unsold here"
    """Nobody can buy it in one geozone."""
    BEHIND = "behind"
    """It passes by itself."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    effect: ClassVar = Effect.UNSEEN


@dataclass(frozen=True, slots=True)
class CategoryHidden:
    effect: ClassVar = Effect.UNSEEN
    category: str
    """The one that is hidden: the product's own, or one above it."""


@dataclass(frozen=True, slots=True)
class CategoryGone:
    """No list of products shows it; only whoever has its address comes to it."""

    effect: ClassVar = Effect.UNSEEN
    category: str


@dataclass(frozen=True, slots=True)
class NoPrice:
    effect: ClassVar = Effect.UNSOLD


@dataclass(frozen=True, slots=True)
class SoldOut:
    """There is nothing in any geozone."""

    effect: ClassVar = Effect.UNSOLD


@dataclass(frozen=True, slots=True)
class AllReserved:
    """There are pieces, and every one of them waits for an order, in every geozone."""

    effect: ClassVar = Effect.UNSOLD
    pieces: int


@dataclass(frozen=True, slots=True)
class NoneHere:
    """There is nothing left to buy in one geozone, while there is in another."""

    effect: ClassVar = Effect.UNSOLD_HERE
    geozone: str
    reserved: int
    """Pieces that are there and wait for orders."""


@dataclass(frozen=True, slots=True)
class OlderShown:
    """Buyers are still shown the product as it was before the latest edit: the secondaries follow."""

    effect: ClassVar = Effect.BEHIND


@dataclass(frozen=True, slots=True)
class CopyBehind:
    """Cassandra, which shows products while MongoDB is away, still has it as it was."""

    effect: ClassVar = Effect.BEHIND
    since: datetime
    error: str
    """Why the last attempt failed; empty: there was none, or it is under way."""


Reason = (
    Withdrawn | CategoryHidden | CategoryGone | NoPrice | SoldOut | AllReserved | NoneHere | OlderShown | CopyBehind
)


class Level(NamedTuple):
    """What buyers find in one geozone."""

    geozone: GeozoneName
    available: int


@dataclass(frozen=True, slots=True)
class Appearance:
    """A product as buyers see it, and why they do not."""

    product: ProductDocument
    """As they are shown it; when they are not, as it stands."""
    is_shown: bool
    path: tuple[CategoryNode, ...]
    """From the root down to its category."""
    levels: tuple[Level, ...]
    """Of every geozone, in the shop's order."""
    reasons: tuple[Reason, ...]
    """The worst first."""


def appearance(product_id: str) -> Steps[Appearance | None]:
    """What buyers are shown, by the read that shows it to them, beside what is stored; None: no such product."""
    stored: ProductDocument | None = yield from product_for_staff(product_id)
    if stored is None:
        return None
    tree: CategoryTree = yield whole_tree()
    geozones: list[GeozoneName] = yield all_geozones()
    card: ProductDocument | None = yield from card_by_id(product_id)
    if card and card["category"] in tree.hidden:
        card = None
    shown = card or stored
    node = tree.get(shown["category"])
    return Appearance(
        product=shown,
        is_shown=card is not None,
        path=(*tree.ancestors(node), node) if node else (),
        levels=tuple(Level(zone, _left(shown, zone.code)) for zone in geozones),
        reasons=reasons_of(stored, card, tree, [zone.code for zone in geozones]),
    )


def reasons_of(
    stored: ProductDocument, card: ProductDocument | None, tree: CategoryTree, geozones: Sequence[str]
) -> tuple[Reason, ...]:
    """Every reason why buyers do not see the product as it is stored, or cannot buy it; the worst first.

    `card`: what they are shown of it, if anything.
    """
    return (*_unseen(stored, tree), *_unsold(stored, geozones), *_behind(stored, card, tree))


def _unseen(product: ProductDocument, tree: CategoryTree) -> Iterator[Reason]:
    if not is_on_sale(product):
        yield Withdrawn()
    node = tree.get(product["category"])
    if node is None:
        yield CategoryGone(product["category"])
    elif hidden := next((each for each in (*tree.ancestors(node), node) if each.hidden), None):
        yield CategoryHidden(hidden.slug)


def _unsold(product: ProductDocument, geozones: Sequence[str]) -> Iterator[Reason]:
    if product["price"].to_decimal() <= 0:
        yield NoPrice()
    empty = {geozone: level_in(product, geozone) for geozone in geozones if not _left(product, geozone)}
    if len(empty) < len(geozones):
        yield from (NoneHere(geozone, reserved) for geozone, (_, reserved) in empty.items())
    elif reserved := sum(reserved for _, reserved in empty.values()):
        yield AllReserved(reserved)
    else:
        yield SoldOut()


def _behind(product: ProductDocument, card: ProductDocument | None, tree: CategoryTree) -> Iterator[Reason]:
    is_meant_to_be = is_on_sale(product) and product["category"] not in tree.hidden
    if is_meant_to_be is not (card is not None) or (card and _edition(card) != _edition(product)):
        yield OlderShown()
    if marks := product.get("unsynced"):
        yield CopyBehind(marks["since"], marks.get("error", ""))


def _left(product: ProductDocument, geozone: str) -> int:
    quantity, reserved = level_in(product, geozone)
    return max(0, quantity - reserved)


def _edition(product: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells one edit from the next: sales, which move the version, are none."""
    return product.get("edited_at"), product["category"]
