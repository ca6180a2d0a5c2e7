"""The product as the shop sees it, and the answer to «why is it not visible?»."""

from typing import Any, NamedTuple

from django.contrib.admin.utils import quote
from django.urls import reverse

from catalog.pictures.addresses import thumbnail_of
from catalog.products.derived import discount_percent
from catalog.products.visibility import (
    AllReserved,
    Appearance,
    CategoryGone,
    CategoryHidden,
    CopyBehind,
    Effect,
    NoneHere,
    NoPrice,
    OlderShown,
    Reason,
    SoldOut,
    Withdrawn,
)
from catalog.structure.names import category_name, geozone_name
from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.times import time_text

# Of the picture that stands for all, and of the others below it.
LARGE, SMALL = 640, 96

WORDS = {
    "why": Text("Почему не видно?", "Why is it not visible?"),
    "as_seen": Text("Так товар выглядит в магазине", "This is how the shop shows the product"),
    "as_it_would_be": Text(
        "Покупатели этого не видят. Так товар выглядел бы в магазине",
        "Buyers do not see this. It is how the shop would show the product",
    ),
    "stock": Text("Наличие", "Availability"),
    "attributes": Text("Характеристики", "Attributes"),
    "description": Text("Описание", "Description"),
    "no_attributes": Text("Характеристик нет.", "There are no attributes."),
    "no_description": Text("Описания нет.", "There is no description."),
    "none": Text("нет", "none"),
    "category": Text("Категория", "Category"),
}
SEEN = Text("Видно, и можно купить: {geozones}.", "Visible, and for sale: {geozones}.")
SEEN_UNSOLD = Text("Видно, но купить нельзя.", "Visible, but nobody can buy it.")
UNSEEN = Text("Покупатели не видят этот товар.", "Buyers do not see this product.")
PIECES = Text("{count} шт.", "{count}")
WITHDRAWN = Text(
    "Товар снят с продажи. Верните его в форме: уберите отметку «Снят с продажи».",
    "The product is withdrawn. Put it back on sale in its form.",
)
CATEGORY_HIDDEN = Text(
    "Категория «{name}» скрыта от покупателей, со всем, что в ней.",
    'Category "{name}" is hidden from buyers, with all that is in it.',
)
CATEGORY_GONE = Text(
    "Категории «{name}» больше нет: товара нет ни в одном списке. Выберите другую.",
    'There is no category "{name}" any more: no list shows the product. Choose another one.',
)
NO_PRICE = Text("У товара нет цены.", "The product has no price.")
SOLD_OUT = Text("Остатка нет ни в одной геозоне.", "There is no stock in any geozone.")
ALL_RESERVED = Text(
    "Все {pieces} шт. зарезервированы за заказами. Освободятся, если заказ отменят или не оплатят вовремя.",
    "All {pieces} are reserved for orders. They come free when an order is cancelled or not paid in time.",
)
NONE_HERE = Text("{geozone}: остатка нет, купить нельзя.", "{geozone}: there is no stock, nobody can buy it there.")
RESERVED_HERE = Text(
    "{geozone}: купить нельзя, все {reserved} шт. зарезервированы за заказами.",
    "{geozone}: nobody can buy it there, all {reserved} are reserved for orders.",
)
OLDER_SHOWN = Text(
    "Последняя правка ещё не дошла до всех покупателей: это занимает до полуминуты.",
    "The latest edit has not reached all buyers yet: that takes up to half a minute.",
)
COPY_BEHIND = Text(
    "Копия в Cassandra отстаёт с {since}. Покупатели заметят это, только если MongoDB будет недоступна.",
    "The copy in Cassandra is behind since {since}. Buyers notice only while MongoDB is away.",
)
COPY_FAILED = Text("{behind} Ошибка: {error}", "{behind} Error: {error}")
KINDS = {
    Effect.UNSEEN: "danger",
    Effect.UNSOLD: "danger",
    Effect.UNSOLD_HERE: "warning",
    Effect.BEHIND: "info",
}


class Answer(NamedTuple):
    """A reason in words."""

    text: str
    kind: str
    """`danger`, `warning` or `info`."""
    url: str = ""
    """Where it is put right; empty: in the product's own form, or by waiting."""


class Place(NamedTuple):
    """What buyers in one geozone find."""

    name: str
    available: str
    """Empty: nothing."""


def preview_page(seen: Appearance, user: Any) -> dict[str, Any]:
    """The context of the page."""
    product = seen.product
    base, price = product["prices"]["base"].to_decimal(), product["price"].to_decimal()
    images = product.get("images") or []
    discount = discount_percent(base, price) if price else 0
    return {
        "words": {name: said(text) for name, text in WORDS.items()},
        "verdict": _verdict(seen),
        "is_seen": seen.is_shown,
        "is_sold": _is_sold(seen),
        "answers": [_answer(reason, user) for reason in seen.reasons],
        "product": product,
        "path": [node.name for node in seen.path],
        "price": money_text(price),
        "old_price": money_text(base) if discount else "",
        "discount": discount,
        "picture": thumbnail_of(images[0] if images else None, LARGE),
        "picture_text": images[0].get("alt", "") if images else "",
        "pictures": [thumbnail_of(image, SMALL) for image in images[1:]],
        "attributes": list((product.get("attributes") or {}).items()),
        "places": [
            Place(level.geozone.name, said(PIECES, count=level.available) if level.available else "")
            for level in seen.levels
        ],
    }


def _is_sold(seen: Appearance) -> bool:
    return not any(reason.effect in (Effect.UNSEEN, Effect.UNSOLD) for reason in seen.reasons)


def _verdict(seen: Appearance) -> str:
    if any(reason.effect is Effect.UNSEEN for reason in seen.reasons):
        return said(UNSEEN)
    if not _is_sold(seen):
        return said(SEEN_UNSOLD)
    return said(SEEN, geozones=", ".join(level.geozone.name for level in seen.levels if level.available))


def _answer(reason: Reason, user: Any) -> Answer:
    url = ""
    if isinstance(reason, CategoryHidden) and user.has_perm("catalog.view_category"):
        url = reverse("admin:catalog_category_change", args=[quote(reason.category)])
    return Answer(reason_words(reason), KINDS[reason.effect], url)


def reason_words(reason: Reason) -> str:
    """The reason as staff read it."""
    match reason:
        case Withdrawn():
            return said(WITHDRAWN)
        case CategoryHidden(category):
            return said(CATEGORY_HIDDEN, name=category_name(category))
        case CategoryGone(category):
            return said(CATEGORY_GONE, name=category)
        case NoPrice():
            return said(NO_PRICE)
        case SoldOut():
            return said(SOLD_OUT)
        case AllReserved(pieces):
            return said(ALL_RESERVED, pieces=pieces)
        case NoneHere(geozone, reserved):
            return said(RESERVED_HERE if reserved else NONE_HERE, geozone=geozone_name(geozone), reserved=reserved)
        case OlderShown():
            return said(OLDER_SHOWN)
        case CopyBehind(since, error):
            behind = said(COPY_BEHIND, since=time_text(since, seconds=True))
            return said(COPY_FAILED, behind=behind, error=error) if error else behind
