"""Product number n of the demo shop: the same document for the same seed, whoever makes it and among however many."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from math import exp, log
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from bson import Decimal128

from catalog.demo.kinds import Brand, Kind, agreed
from catalog.demo.texts import Phrases, describe, phrases_of
from catalog.demo.tree import CUMULATIVE_WEIGHTS, KINDS
from catalog.products.derived import DEFAULT_LOW_AT, derived_fields

if TYPE_CHECKING:
    from catalog.documents import Image, ProductDocument, StockLevel

ID_PREFIX = "PROD-"
ID_DIGITS = 8

# Fixed, or two runs on different days would differ. Naive UTC, as the ORM backend stores it.
LAST_CREATED = datetime(2026, 10, 31)  # noqa: DTZ001
CREATED_WITHIN_SECONDS = 2 * 365 * 24 * 3600

# How often a product is kept in a geozone at all. One that is listed may still be sold out there.
LISTED_IN = {"msk": 0.95, "spb": 0.85, "ekb": 0.7, "kzn": 0.65, "nsk": 0.6}
SOLD_OUT = 0.15

DISCOUNTED = 1 / 3
KOPECKS = ("00", "00", "00", "00", "90", "90", "99")
WARRANTIES = ("1 год", "1 год", "2 года", "3 года")

# One number per product and seed: products of different seeds share nothing.
_SEED_STRIDE = 10**ID_DIGITS


class Prices(NamedTuple):
    base: Decimal
    sale: Decimal | None


def product_id(number: int) -> str:
    return f"{ID_PREFIX}{number:0{ID_DIGITS}}"


def category_of(number: int, seed: int) -> str:
    """What `product(number, seed)["category"]` will be, without making the product."""
    return _kind(_random(number, seed)).slug


def product(number: int, seed: int, thresholds: Mapping[str, int] = MappingProxyType({})) -> "ProductDocument":
    """The product as stored, but for what is owed to Cassandra; `thresholds` are those of categories that have one."""
    rng = _random(number, seed)
    kind = _kind(rng)
    brand = rng.choice(kind.brands)
    attributes, level = _attributes(kind, brand, rng)
    model = rng.choice(brand.models).fill(attributes, rng)
    words = {**attributes, "brand": brand.name, "model": model, "цвет": _colour(kind, attributes)}
    name = f"{kind.noun} {brand.name} {model}, {kind.detail.format_map(words)}"
    prices = _prices(kind, brand, level, rng)
    created_at = LAST_CREATED - timedelta(seconds=int(rng.random() * CREATED_WITHIN_SECONDS))
    identifier = product_id(number)
    description = describe(_phrases(kind.slug), words, rng)
    stock = _stock(prices.base, rng)
    updated_at = created_at + (LAST_CREATED - created_at) * rng.random() // 1000 * 1000
    images: list[Image] = [{"url": f"/images/{identifier}.svg", "alt": name}]
    told = {
        "_id": identifier,
        "category": kind.slug,
        "name": name,
        "description": description,
        "attributes": attributes,
        "images": images,
        "created_at": created_at,
    }
    low_at = thresholds.get(kind.slug, DEFAULT_LOW_AT)
    derived = derived_fields({**told, "prices": prices._asdict(), "stock": stock, "low_at": low_at})
    return {
        "_id": identifier,
        "category": kind.slug,
        "name": name,
        "description": description,
        "prices": {"base": _money(prices.base), "sale": None if prices.sale is None else _money(prices.sale)},
        "stock": stock,
        "attributes": attributes,
        "images": images,
        "withdrawn": False,
        "low_at": low_at,
        "created_at": created_at,
        "updated_at": updated_at,
        "edited_at": updated_at,
        "edited_by": "",
        "version": 1,
        "synced_version": 0,
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


def _random(number: int, seed: int) -> Random:
    return Random(seed * _SEED_STRIDE + number)  # noqa: S311 - made-up goods, not secrets


def _kind(rng: Random) -> Kind:
    return rng.choices(KINDS, cum_weights=CUMULATIVE_WEIGHTS)[0]


# A shop has few distinct prices, and the conversion costs as much as a description.
@lru_cache(maxsize=50_000)
def _money(amount: Decimal) -> Decimal128:
    return Decimal128(amount)


def _colour(kind: Kind, attributes: dict[str, str]) -> str:
    return agreed(attributes["Цвет"], kind.gender) if "Цвет" in attributes else ""


@cache
def _phrases(slug: str) -> Phrases:
    return phrases_of(next(kind for kind in KINDS if kind.slug == slug))


def _attributes(kind: Kind, brand: Brand, rng: Random) -> tuple[dict[str, str], float]:
    """The attributes, and how far they stand from the plainest (0) to the best (1) that there are."""
    attributes = {"Бренд": brand.name}
    level = rng.random()
    reached = total = 0.0
    for trait in kind.traits:
        place = rng.random()
        if trait.weight:
            # What makes a product dear comes together: a large television has a fine picture too.
            place = 0.7 * level + 0.3 * place
            reached += trait.weight * place
            total += trait.weight
        attributes[trait.name] = trait.values[int(place * len(trait.values))]
    attributes["Гарантия"] = rng.choice(WARRANTIES)
    return attributes, reached / total if total else level


def _prices(kind: Kind, brand: Brand, level: float, rng: Random) -> Prices:
    place = 0.8 * level + 0.2 * rng.random()
    base = _as_in_shops(brand.factor * exp(log(kind.cheap) + place * log(kind.dear / kind.cheap)), rng)
    if rng.random() >= DISCOUNTED:
        return Prices(base, None)
    sale = _as_in_shops(float(base) * rng.uniform(0.6, 0.95), rng)
    return Prices(base, sale if sale < base else None)


def _as_in_shops(roubles: float, rng: Random) -> Decimal:
    """A price near this amount that ends with a nine: 349.90, 2 490.00, 64 999.00."""
    nine = 10 if roubles < 1_000 else 100 if roubles < 20_000 else 1_000
    below = 1 if nine == 10 or rng.random() < 0.4 else 10
    whole = max(1, round(roubles / nine)) * nine - below
    return Decimal(f"{whole}.{rng.choice(KOPECKS)}")


def _stock(price: Decimal, rng: Random) -> list["StockLevel"]:
    """Stock by geozone: many pieces of a cheap product, few of a dear one."""
    usual = 120 if price < 2_000 else 40 if price < 20_000 else 10
    return [
        {
            "geozone": geozone,
            "quantity": 0 if rng.random() < SOLD_OUT else 1 + int(rng.expovariate(1 / usual)),
            "reserved": 0,
        }
        for geozone, listed in LISTED_IN.items()
        if rng.random() < listed
    ]
