"""Discounts of a product are planned, listed and cancelled. All of one product are one document: none can overlap."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from typing import NamedTuple

from bson import Decimal128
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from catalog.documents import DirectoryEntry, Discount, DiscountPlanDocument, ProductDocument
from catalog.errors import (
    BadDiscountPercent,
    BadPeriod,
    BadPrice,
    DiscountsOverlap,
    PeriodOver,
    PeriodTooFar,
    PriceOrPercent,
    SaleNotBelowBase,
    TooMany,
    UnknownProduct,
)
from catalog.models import DiscountPlan, ProductDirectory
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.products.drafts import CENT, MAX_PRICE
from gateway.audit.trail import Action, Actor, Changes, record
from gateway.domain.errors import DomainError, Refused
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read, run
from gateway.mongo.transactions import TryAgain, in_transaction

# Longer plans are forgotten by those who made them.
FURTHEST = timedelta(days=366)
# Whoever names a beginning further back has mistaken the day; within it, the discount begins at once.
EARLIEST = timedelta(days=1)
# A product's discounts to come: a year of sales.
MAX_PLANNED = 30
# What was, for whoever asks; the audit has all of it.
MAX_REMEMBERED = 20


class State(Enum):
    PLANNED = "planned"
    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"
    MISSED = "missed"
    """Its time went by without it: nobody worked, or the price would not do."""


class Missed(Enum):
    """Why a discount has not begun."""

    LATE = "late"
    """Its time had gone by."""
    PRICE = "price"
    """The base price had fallen to it, or below."""


LIVE = (State.PLANNED.value, State.RUNNING.value)


class NewDiscount(NamedTuple):
    starts_at: datetime
    ends_at: datetime
    sale_price: Decimal | None = None
    percent: int | None = None


def plan_discount(product_id: str, wanted: NewDiscount, *, actor: Actor, reason: str = "") -> Discount:
    """Plan a discount; one that begins in the past begins with the next turn, within half a minute.

    Plan and audit entry are written together. Of two who plan for the same time, one is refused.
    """
    now = datetime.now(UTC)
    if errors := list(_errors(wanted, now)):
        raise Refused(errors)
    discount: Discount = {
        "id": str(uuid7()),
        "state": State.PLANNED.value,
        "sale": None if wanted.sale_price is None else Decimal128(wanted.sale_price.quantize(CENT)),
        "percent": wanted.percent,
        "starts_at": wanted.starts_at,
        "ends_at": wanted.ends_at,
        "planned_by": actor.name,
        "planned_by_id": actor.id,
        "planned_at": now,
    }
    in_transaction(lambda: _plan(product_id, discount, actor, reason))
    return discount


def discounts_of(product_id: str) -> list[Discount]:
    """The discounts of the product, those to come and those that were, oldest first."""
    plan: Read[list[Discount]] = Read(
        collection=DiscountPlan._meta.db_table,
        policy=STAFF_LIST,
        where={"_id": product_id},
        result=lambda plans: plans[0]["discounts"] if plans else [],
    )
    return run(plan)


def price_under(discount: Discount, base: Decimal) -> Decimal:
    """What the product costs under the discount."""
    if discount["sale"] is not None:
        return discount["sale"].to_decimal()
    return (base * (100 - (discount["percent"] or 0)) / 100).quantize(CENT, ROUND_HALF_UP)


def audited(discount: Discount) -> Changes:
    """The discount in the words of the audit."""
    told = {
        "discount_price": discount["sale"],
        "discount_percent": discount["percent"],
        "discount_from": discount["starts_at"],
        "discount_until": discount["ends_at"],
    }
    return {field: (None, value) for field, value in told.items() if value is not None}


def save_plan(product_id: str, discounts: Sequence[Discount]) -> None:
    """In the running transaction: these are the product's discounts from now on."""
    live = [each for each in discounts if each["state"] in LIVE]
    over = [each for each in discounts if each["state"] not in LIVE][-MAX_REMEMBERED:]
    kept = sorted([*over, *live], key=lambda each: _aware(each["starts_at"]))
    dues = [each["starts_at"] if each["state"] == State.PLANNED.value else each["ends_at"] for each in live]
    due = {"due": min(dues, key=_aware)} if dues else {}
    plan: DiscountPlanDocument = {"_id": product_id, "discounts": kept, **due}  # type: ignore[typeddict-item]
    try:
        plans().replace_one({"_id": product_id}, plan, upsert=True, session=orm_connection().session)
    except DuplicateKeyError as error:
        raise TryAgain(f"somebody plans the first discount of {product_id} at this moment") from error


def product_now(product_id: str) -> tuple[ProductKey, ProductDocument] | None:
    """In the running transaction: the product and where it is; None if there is none."""
    session = orm_connection().session
    entry = collection_of(ProductDirectory._meta.db_table, DirectoryEntry).find_one(
        {"_id": product_id}, session=session
    )
    if entry is None:
        return None
    key = ProductKey(entry["category"], product_id)
    found = collection_of(PRODUCTS, ProductDocument).find_one(
        {"category": key.category, "_id": key.id}, {"prices": 1}, session=session
    )
    return (key, found) if found else None


def plans() -> Collection[DiscountPlanDocument]:
    return collection_of(DiscountPlan._meta.db_table, DiscountPlanDocument)


def is_over(moment: datetime, now: datetime) -> bool:
    """Whether the moment, as documents have it, has come."""
    return _aware(moment) <= now


def _plan(product_id: str, discount: Discount, actor: Actor, reason: str) -> None:
    found = product_now(product_id)
    if found is None:
        raise UnknownProduct("product")
    base = found[1]["prices"]["base"].to_decimal()
    if not CENT <= price_under(discount, base) < base:
        raise SaleNotBelowBase("percent" if discount["sale"] is None else "sale_price")
    others = discounts_of(product_id)
    live = [each for each in others if each["state"] in LIVE]
    if len(live) >= MAX_PLANNED:
        raise TooMany(limit=MAX_PLANNED)
    for other in live:
        if _aware(other["starts_at"]) < discount["ends_at"] and discount["starts_at"] < _aware(other["ends_at"]):
            raise Overlap(other)
    save_plan(product_id, [*others, discount])
    record(Action.DISCOUNT_PLANNED, f"product:{product_id}", actor=actor, changes=audited(discount), reason=reason)


class Overlap(DiscountsOverlap):
    """Another discount of the product, `other`, has its time."""

    def __init__(self, other: Discount) -> None:
        starts, ends = _aware(other["starts_at"]), _aware(other["ends_at"])
        super().__init__("starts_at", period=f"{starts:%d.%m.%Y %H:%M} – {ends:%d.%m.%Y %H:%M} UTC")
        self.other = other


def _errors(wanted: NewDiscount, now: datetime) -> Iterator[DomainError]:
    if (wanted.sale_price is None) == (wanted.percent is None):
        yield PriceOrPercent("percent")
    elif wanted.percent is not None and not 1 <= wanted.percent <= 99:
        yield BadDiscountPercent("percent")
    elif wanted.sale_price is not None and not CENT <= wanted.sale_price < MAX_PRICE:
        yield BadPrice("sale_price")
    if wanted.starts_at < now - EARLIEST:
        yield PeriodOver("starts_at")
    if wanted.ends_at <= wanted.starts_at:
        yield BadPeriod("ends_at")
    elif wanted.ends_at <= now:
        yield PeriodOver("ends_at")
    elif wanted.ends_at > now + FURTHEST:
        yield PeriodTooFar("ends_at", days=FURTHEST.days)


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
