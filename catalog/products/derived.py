"""The derived fields of a product document: what it costs, how it is sorted, found and told to be incomplete.

Every write of a product goes through one of these, so that a read never computes and never misses.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bson import Decimal128

from catalog.search.words import IN_NAME, OF_KIND, folded, stem, together, words_in

if TYPE_CHECKING:
    # The demo's workers use this module without Django, which the frame would bring along.
    from catalog.documents import DerivedFields, Part

# Each term is a key in every index of terms; what a description says after its first hundred words finds nobody.
MAX_TERMS = 120
# Where neither the category nor one above it has a threshold: a merchandiser who never set any still sees a list.
DEFAULT_LOW_AT = 5
# What a product is for, up to the next comma of its name: «Чехол для iPhone 15, силикон».
FOR = re.compile(r"\b(?:для|под|for)\s[^,;(]*", re.IGNORECASE)
# A bucket of `bought` weighs more than any age: milliseconds until the year 2286.
BUCKET = 10_000_000_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PART = re.compile(r"[,;()/|]")
BRAND = frozenset({"бренд", "марка", "производитель", "brand"})
YES = frozenset({"есть", "да", "yes", "+"})
NO = frozenset({"нет", "no", "-", "—"})

NONE, LOW = "none", "low"
_LEFT: dict[str, Any] = {"$subtract": ["$$level.quantity", {"$ifNull": ["$$level.reserved", 0]}]}
# The address of an uploaded picture, whatever stands before it.
PICTURE = re.compile(r"/pictures/[0-9a-f]{2}/(?P<name>[0-9a-f]{40})\.webp\Z")


def effective_price(base: Decimal, sale: Decimal | None) -> Decimal:
    """What the buyer pays now. A «sale» above the base price is a slip of the hand and no sale."""
    return base if sale is None else min(base, sale)


def discount_percent(base: Decimal, price: Decimal) -> int:
    """The discount in per cent, rounded, but never to 0 while there is one, nor to 100 while there is a price."""
    if price >= base:
        return 0
    percent = int((100 * (base - price) / base).quantize(Decimal(1), ROUND_HALF_UP))
    return min(max(percent, 1), 99) if price else 100


def missing_parts(document: Mapping[str, Any]) -> list["Part"]:
    """What a merchandiser has still to add to the product."""
    parts: dict[Part, Any] = {
        "image": document.get("images"),
        "description": (document.get("description") or "").strip(),
        "attributes": document.get("attributes"),
    }
    return [part for part, content in parts.items() if not content]


def available_geozones(stock: Iterable[Mapping[str, Any]]) -> list[str]:
    """Geozones with something to buy, in the order of the stock."""
    return [level["geozone"] for level in stock if level["quantity"] - level.get("reserved", 0) > 0]


AVAILABLE_IN: dict[str, Any] = {
    "$map": {
        "input": {
            "$filter": {
                "input": {"$ifNull": ["$stock", []]},
                "as": "level",
                "cond": {"$gt": ["$$level.quantity", {"$ifNull": ["$$level.reserved", 0]}]},
            }
        },
        "as": "level",
        "in": "$$level.geozone",
    }
}
"""`available_geozones` for a pipeline update.

Withdrawal plays no part in it: the indexes hold no withdrawn products.
"""


def shelf_mark(geozone: str, mark: str) -> str:
    return f"{geozone}:{mark}"


def shelf_of(stock: Iterable[Mapping[str, Any]], low_at: int) -> list[str]:
    """A mark for each geozone where nothing is left to buy, and for each where no more is left than the threshold."""
    left = {level["geozone"]: level["quantity"] - level.get("reserved", 0) for level in stock}
    return [shelf_mark(zone, NONE if pieces <= 0 else LOW) for zone, pieces in left.items() if pieces <= max(0, low_at)]


SHELF: dict[str, Any] = {
    "$map": {
        "input": {
            "$filter": {
                "input": {"$ifNull": ["$stock", []]},
                "as": "level",
                "cond": {"$lte": [_LEFT, {"$max": [0, {"$ifNull": ["$low_at", DEFAULT_LOW_AT]}]}]},
            }
        },
        "as": "level",
        "in": {"$concat": ["$$level.geozone", {"$cond": [{"$lte": [_LEFT, 0]}, f":{NONE}", f":{LOW}"]}]},
    }
}
"""`shelf_of` for a pipeline update."""

BY_STOCK: dict[str, Any] = {"available_in": AVAILABLE_IN, "shelf": SHELF}
"""What every write of stock sets anew in the same update: `[{"$set": {"stock": …}}, {"$set": BY_STOCK}]`.

Both stay equal, and so out of their indexes' way, until something sells out, comes back or crosses the threshold.
"""


def facet(name: str, value: str) -> str:
    """An attribute as one string. A name holds no «=»: the first one ends it."""
    return f"{name}={value}"


def facets_of(attributes: Mapping[str, str]) -> list[str]:
    """Each attribute as one string."""
    return [facet(name, value) for name, value in attributes.items()]


def terms_of(
    product_id: str,
    category: str,
    name: str,
    description: str = "",
    attributes: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """What the search finds the product by: its id and category, and the stems of all that is told of it.

    Marked as what it is: the words of its name and its brand, but not of what it is for («Чехол для iPhone 15»).
    """
    whole_id = folded(product_id)
    brand = (value for title, value in attributes.items() if title.casefold() in BRAND)
    is_ = [*_stems(FOR.sub(" ", name)), *(stem for value in brand for stem in _stems(value))]
    marked = (IN_NAME + each for each in is_)
    numbers = (word for word in words_in(product_id) if word.isdigit())
    told = (text for pair in attributes.items() for text in _told_by(*pair))
    others = (each for text in (name, *told, description) for each in _stems(text))
    # A dict keeps the first of equals, and the order: the name never falls beyond the bound.
    models = (term for text in (name, *attributes.values()) for term in _glued(text))
    terms = [whole_id, IN_NAME + whole_id, OF_KIND + category, *numbers, *marked, *is_, *models, *others]
    return list(dict.fromkeys(terms))[:MAX_TERMS]


def _told_by(title: str, value: str) -> tuple[str, ...]:
    """The words of an attribute: «NFC: есть» tells its name, «NFC: нет» nothing."""
    if value.casefold() in NO:
        return ()
    return (title,) if value.casefold() in YES else (value, title)


def _glued(text: str) -> Iterator[str]:
    """Letters and numbers that stand together, in each part of the text."""
    for part in PART.split(text):
        yield from filter(None, map(together, *_neighbours(_stems(part))))


def _neighbours(stems: list[str]) -> tuple[list[str], list[str]]:
    return stems[:-1], stems[1:]


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words_in(text)]


def standing_of(bought: int, created_at: datetime) -> int:
    """Before what else the search shows the product, of those that it finds equally well: bought lately, then new."""
    aware = created_at if created_at.tzinfo else created_at.replace(tzinfo=UTC)
    return bought * BUCKET + (aware - EPOCH) // timedelta(milliseconds=1)


STANDING: dict[str, Any] = {
    "$add": [{"$multiply": [{"$ifNull": ["$bought", 0]}, {"$literal": BUCKET}]}, {"$toLong": "$created_at"}]
}
"""`standing_of` for a pipeline update: whoever changes `bought` sets it anew in the same one."""


def pictures_of(images: Iterable[Mapping[str, Any]]) -> list[str]:
    """Names of the uploaded pictures among the images, wherever they are served from."""
    found = (PICTURE.search(image["url"]) for image in images)
    return list(dict.fromkeys(match["name"] for match in found if match))


def sort_name(name: str) -> str:
    """The name as it is ordered by: «Ёлка» between «Ель» and «Жук», «apple» beside «Apple»."""
    return folded(name)


def derived_fields(document: Mapping[str, Any]) -> "DerivedFields":
    """All derived fields of a product, as they are stored. Its prices may be Decimal or Decimal128."""
    prices = document["prices"]
    base, sale = _decimal(prices["base"]), prices.get("sale")
    price = effective_price(base, None if sale is None else _decimal(sale))
    return {
        "price": Decimal128(price),
        "discount": discount_percent(base, price),
        "sort_name": sort_name(document["name"]),
        "available_in": available_geozones(document.get("stock") or ()),
        "shelf": shelf_of(document.get("stock") or (), document.get("low_at", DEFAULT_LOW_AT)),
        "facets": facets_of(document.get("attributes") or {}),
        "terms": terms_of(
            document["_id"],
            document["category"],
            document["name"],
            document.get("description") or "",
            document.get("attributes") or {},
        ),
        "standing": standing_of(document.get("bought", 0), document["created_at"]),
        "missing": missing_parts(document),
        "pictures": pictures_of(document.get("images") or ()),
    }


def _decimal(value: Decimal | Decimal128) -> Decimal:
    return value.to_decimal() if isinstance(value, Decimal128) else value
