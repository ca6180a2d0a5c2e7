"""Discounts begin and end when their time has come, each once: whoever does it, however many at once, whoever dies.

The discount's state moves in the transaction that changes the price. Of two who turn the same discount one conflicts,
is run again and finds nothing to do.
"""

from collections.abc import Callable
from datetime import UTC, datetime

import structlog
from bson import Decimal128

from catalog.changes.batch import Outcome, Wanted, change_product
from catalog.changes.values import money_value
from catalog.discounts.plans import (
    LIVE,
    Missed,
    State,
    audited,
    discounts_of,
    is_over,
    plans,
    price_under,
    product_now,
    save_plan,
)
from catalog.documents import Discount
from catalog.errors import DiscountOver
from gateway.audit.trail import Action, Actor, Source, record
from gateway.mongo.transactions import in_transaction

log = structlog.get_logger(__name__)

# Ten seconds' work; the next run, half a minute later, goes on.
BATCH = 1_000
PROGRAM = "discounts"
BEGINS = "скидка по расписанию: начало"
ENDS = "скидка по расписанию: конец"
NOT_BEGUN = {
    Missed.PRICE: "скидка не началась: цена больше не подходит",
    Missed.LATE: "скидка не началась: её время прошло",
}
PRICE_LEFT = "скидка кончилась, но цену за это время изменили: она оставлена"
CANCELLED = "скидка отменена"


def turn_discounts(now: datetime | None = None) -> int:
    """Begin and end what is due, oldest first; returns how many turns there were."""
    moment = now or datetime.now(UTC)
    due = plans().find({"due": {"$lte": moment}}, {"_id": 1}).sort("due", 1).limit(BATCH)
    return sum(turn_discounts_of(plan["_id"], moment) for plan in list(due))


def turn_discounts_of(product_id: str, now: datetime) -> int:
    """The same for one product."""
    return in_transaction(lambda: _turn(product_id, now))


def cancel_discount(product_id: str, discount_id: str, *, actor: Actor, reason: str = "") -> Discount:
    """Cancel a discount that is planned, or end one that runs: the price from before comes back, unless it was changed.

    Raises DiscountOver. Sent twice, the second finds it over.
    """
    return in_transaction(lambda: _cancel(product_id, discount_id, actor, reason))


def _turn(product_id: str, now: datetime) -> int:
    discounts = discounts_of(product_id)
    turned = 0
    # What ends makes room for what begins at the same moment: they stand in the order of their times.
    for discount in discounts:
        actor = Actor("", PROGRAM, Source.SYSTEM, step=discount["id"])
        if discount["state"] == State.PLANNED.value and is_over(discount["starts_at"], now):
            _begin(product_id, discount, actor, now)
            turned += 1
        elif discount["state"] == State.RUNNING.value and is_over(discount["ends_at"], now):
            _end(product_id, discount, actor, now, ENDS)
            discount["state"] = State.ENDED.value
            turned += 1
    if turned:
        save_plan(product_id, discounts)
    return turned


def _begin(product_id: str, discount: Discount, actor: Actor, now: datetime) -> None:
    found = product_now(product_id)
    if found is None or is_over(discount["ends_at"], now):
        _miss(product_id, discount, actor, now, Missed.LATE)
        return
    key, product = found
    price = price_under(discount, product["prices"]["base"].to_decimal())
    wanted = Wanted(values={"sale_price": money_value(price)})
    outcome = change_product(key, wanted, actor=actor, reason=BEGINS)
    if outcome.refusals:
        _miss(product_id, discount, actor, now, Missed.PRICE)
        return
    discount["state"] = State.RUNNING.value
    discount["applied"], discount["before"] = Decimal128(price), product["prices"].get("sale")
    log.info("discount_begun", product=product_id, discount=discount["id"])


def _miss(product_id: str, discount: Discount, actor: Actor, now: datetime, why: Missed) -> None:
    discount["state"], discount["settled_at"], discount["missed_because"] = State.MISSED.value, now, why.value
    told = audited(discount)
    record(Action.DISCOUNT_LEFT, f"product:{product_id}", actor=actor, changes=told, reason=NOT_BEGUN[why])
    log.warning("discount_missed", product=product_id, discount=discount["id"], reason=why.value)


def _end(product_id: str, discount: Discount, actor: Actor, now: datetime, reason: str) -> None:
    """Bring the price from before back if the discount's own still stands; else leave it, and say so."""
    discount["settled_at"] = now
    found = product_now(product_id)
    if found is None:
        return
    applied, before = money_value(discount["applied"]), money_value(discount.get("before"))

    def restore(sale: str | None) -> Outcome:
        wanted = Wanted(values={"sale_price": sale}, seen={"sale_price": applied})
        return change_product(found[0], wanted, actor=actor, reason=reason)

    outcome = _first_allowed(restore, before)
    if outcome.conflicts:
        discount["price_was_left"] = True
        changes = {"sale_price": outcome.conflicts["sale_price"]}
        record(Action.DISCOUNT_LEFT, f"product:{product_id}", actor=actor, changes=changes, reason=PRICE_LEFT)
    log.info("discount_ended", product=product_id, discount=discount["id"], price_was_left=bool(outcome.conflicts))


def _first_allowed(restore: Callable[[str | None], Outcome], before: str | None) -> Outcome:
    """The base price may have fallen below the sale price of before: then there is no sale any more."""
    outcome = restore(before)
    return restore(None) if outcome.refusals and before is not None else outcome


def _cancel(product_id: str, discount_id: str, actor: Actor, reason: str) -> Discount:
    discounts = discounts_of(product_id)
    discount = next((each for each in discounts if each["id"] == discount_id and each["state"] in LIVE), None)
    if discount is None:
        raise DiscountOver
    now = datetime.now(UTC)
    if discount["state"] == State.RUNNING.value:
        _end(product_id, discount, actor, now, reason or CANCELLED)
    discount["state"], discount["settled_at"] = State.CANCELLED.value, now
    save_plan(product_id, discounts)
    told = {field: (after, before) for field, (before, after) in audited(discount).items()}
    record(Action.DISCOUNT_CANCELLED, f"product:{product_id}", actor=actor, changes=told, reason=reason)
    return discount
