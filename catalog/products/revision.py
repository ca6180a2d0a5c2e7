"""What a draft makes of a product: the state that is wanted, the update that leads there, what the audit tells of it.

Nothing here reads or writes: for one product as for a batch of them.
"""

from typing import Any, TypedDict

from bson import Decimal128

from catalog.documents import Image, Prices, ProductDocument, StockLevel
from catalog.errors import BelowReserved
from catalog.products.derived import BY_STOCK, STANDING, derived_fields
from catalog.products.drafts import ProductDraft
from catalog.stock.adjust import level_in, with_quantities
from gateway.domain.errors import DomainError
from gateway.mongo.client import Pipeline
from gateway.sync.marks import CHANGED


class Fields(TypedDict):
    """What a draft says of a product, its category and stock aside."""

    name: str
    description: str
    prices: Prices
    attributes: dict[str, str]
    images: list[Image]
    withdrawn: bool


def revised(draft: ProductDraft, before: ProductDocument) -> ProductDocument:
    """The product as the draft wants it; its derived fields are still those of before."""
    return {
        **before,
        "category": draft.category,
        **fields_of(draft, before),
        "stock": restocked(draft, before),
    }


def fields_of(draft: ProductDraft, before: ProductDocument | None) -> Fields:
    """What the draft says, as stored; `before`, if the product exists, answers where it says nothing."""
    sale = draft.sale_price
    images: list[Image] = [{"url": image.url, "alt": image.alt} for image in draft.images or ()]
    if draft.images is None and before is not None:
        images = before.get("images", [])
    was_withdrawn = before is not None and before.get("withdrawn", False)
    return {
        "name": draft.name,
        "description": draft.description,
        "prices": {"base": Decimal128(draft.base_price), "sale": None if sale is None else Decimal128(sale)},
        "attributes": {attribute.name: attribute.value for attribute in draft.attributes},
        "images": images,
        "withdrawn": was_withdrawn if draft.withdrawn is None else draft.withdrawn,
    }


def restocked(draft: ProductDraft, before: ProductDocument | None) -> list[StockLevel]:
    """The stock with the quantities of the draft, and what is reserved kept."""
    levels = {level["geozone"]: level for level in (before.get("stock") if before else ()) or ()}
    for geozone, quantity in draft.stock or ():
        reserved = level_in(before or {}, geozone)[1]
        levels[geozone] = {"geozone": geozone, "quantity": quantity, "reserved": reserved}
    return list(levels.values())


def update_to(draft: ProductDraft, wanted: ProductDocument, *, editor: str, low_at: int | None = None) -> Pipeline:
    """The update to what is wanted. It names what it sets, so that nothing else is touched.

    Availability follows from the stock that is there when it runs. `low_at`: the threshold of another category, into
    which the product moves.
    """
    named = {**fields_of(draft, wanted), "category": draft.category, **derived_fields(wanted), "edited_by": editor}
    return [
        {
            "$set": {
                **{field: {"$literal": value} for field, value in named.items()},
                "stock": with_quantities(dict(draft.stock or ())),
                **CHANGED,
                "updated_at": "$$NOW",
                "edited_at": "$$NOW",
                **({} if low_at is None else {"low_at": low_at}),
            }
        },
        {"$set": {**BY_STOCK, "standing": STANDING}},
    ]


def below_reserved(draft: ProductDraft, before: ProductDocument) -> list[DomainError]:
    """An error for each quantity of the draft that is less than what checkouts and orders hold."""
    return [
        BelowReserved("stock", index, "quantity", reserved=reserved, quantity=quantity)
        for index, (geozone, quantity) in enumerate(draft.stock or ())
        if quantity < (reserved := level_in(before, geozone)[1])
    ]


def edited(document: ProductDocument) -> dict[str, Any]:
    """All that merchandisers edit, stock apart."""
    return {
        "name": document["name"],
        "category": document["category"],
        "description": document.get("description", ""),
        "base_price": document["prices"]["base"],
        "sale_price": document["prices"].get("sale"),
        "attributes": document.get("attributes") or {},
        "images": document.get("images") or [],
        "withdrawn": document.get("withdrawn", False),
    }


def audited(document: ProductDocument) -> dict[str, Any]:
    """The product in the words of the audit."""
    quantities = {f"stock.{level['geozone']}": level["quantity"] for level in document.get("stock") or ()}
    return {**edited(document), **quantities}
