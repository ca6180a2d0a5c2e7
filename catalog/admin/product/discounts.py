"""The discounts of a product that begin and end by themselves, as its page shows them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from catalog.admin.product.dialog import product_page
from catalog.admin.product.discount_dialogs import CancelDiscount, PlanDiscount
from catalog.discounts.plans import LIVE, Missed, State, discounts_of, price_under
from catalog.documents import Discount, ProductDocument
from gateway.audit.lines import program_name
from gateway.audit.people import names_of
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.times import time_text, zone_text

WORDS = {
    "about": Text(
        "Скидка начнётся и кончится сама, не позже чем через полминуты после срока; потом вернётся прежняя цена.",
        "A discount begins and ends by itself, within half a minute; then the price from before comes back.",
    ),
    "plan": Text("Запланировать скидку", "Plan a discount"),
    "cancel": Text("Отменить", "Cancel"),
    "end": Text("Закончить сейчас", "End it now"),
    "what": Text("Скидка", "Discount"),
    "from": Text("С", "From"),
    "until": Text("До", "Until"),
    "state": Text("Состояние", "State"),
    "who": Text("Кто запланировал", "Planned by"),
    "none": Text("Скидок по расписанию нет и не было.", "There are no planned discounts, and there were none."),
}
STATES = {
    State.PLANNED: (Text("ждёт", "planned"), "info"),
    State.RUNNING: (Text("идёт", "running"), "success"),
    State.ENDED: (Text("кончилась", "ended"), ""),
    State.CANCELLED: (Text("отменена", "cancelled"), ""),
    State.MISSED: (Text("не состоялась", "missed"), "warning"),
}
WHY_MISSED = {
    Missed.LATE.value: Text(
        "Её время прошло, пока никто не работал.", "Its time went by while nobody was there to begin it."
    ),
    Missed.PRICE.value: Text(
        "Обычная цена стала не выше цены со скидкой.", "The base price had fallen to the sale price, or below."
    ),
}
LEFT = Text(
    "Цену за это время изменили: она оставлена как есть.", "Somebody had changed the price meanwhile: it was left."
)
BACK_TO = Text("потом вернётся {price}", "then back to {price}")
NO_SALE = Text("цена без скидки", "the price without a discount")
PERCENT = Text("−{percent} %", "−{percent}%")


class Shown(NamedTuple):
    """A discount as its row shows it."""

    price: str
    """What the product costs under it."""
    percent: str
    """Empty: a price was given."""
    starts: str
    ends: str
    state: str
    kind: str
    """Of the label of the state."""
    note: str
    who: str
    cancel_url: str
    """Empty: it is over, or the person may not."""
    is_running: bool


def discounts_page(product: ProductDocument, user: Any) -> dict[str, Any]:
    """The context of the page: those to come first, then those that were, the latest first."""
    discounts = discounts_of(product["_id"])
    live = [each for each in discounts if each["state"] in LIVE]
    over = [each for each in discounts if each["state"] not in LIVE][::-1]
    names = run(names_of(each.get("planned_by_id", "") for each in discounts))
    may_plan, may_cancel = PlanDiscount.is_allowed(user), CancelDiscount.is_allowed(user)
    return {
        "words": {name: said(text) for name, text in WORDS.items()},
        "zone": zone_text(),
        "discounts": [_shown(each, product, names, may_cancel=may_cancel) for each in (*live, *over)],
        "plan_url": product_page(PlanDiscount.name, product["_id"]) if may_plan else "",
    }


def _shown(discount: Discount, product: ProductDocument, names: Mapping[str, str], *, may_cancel: bool) -> Shown:
    state = State(discount["state"])
    text, kind = STATES[state]
    is_live = discount["state"] in LIVE
    address = f"{product_page(CancelDiscount.name, product['_id'])}?discount={discount['id']}"
    return Shown(
        price=money_text(_price(discount, product["prices"]["base"].to_decimal())),
        percent=said(PERCENT, percent=discount["percent"]) if discount["percent"] else "",
        starts=time_text(discount["starts_at"]),
        ends=time_text(discount["ends_at"]),
        state=said(text),
        kind=kind,
        note=_note(discount, state),
        who=names.get(discount.get("planned_by_id", "")) or program_name(discount["planned_by"]),
        cancel_url=address if is_live and may_cancel else "",
        is_running=state is State.RUNNING,
    )


def _price(discount: Discount, base: Decimal) -> Decimal:
    """One that has begun has given the product a price; one to come follows the base price."""
    applied = discount.get("applied")
    return applied.to_decimal() if applied else price_under(discount, base)


def _note(discount: Discount, state: State) -> str:
    if state is State.MISSED:
        why = WHY_MISSED.get(discount.get("missed_because", ""))
        return said(why) if why else ""
    if state is State.RUNNING:
        before = discount.get("before")
        return said(BACK_TO, price=money_text(before.to_decimal()) if before else said(NO_SALE))
    return said(LEFT) if discount.get("price_was_left") else ""
