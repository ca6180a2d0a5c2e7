"""Cards and stock from Cassandra, while MongoDB is away: the questions and answers of catalog/products/cards.py."""

import asyncio
from collections.abc import Iterable, Sequence

from catalog.cassandra.rows import product_of, stock_of
from catalog.cassandra.tables import INVENTORY_BY_PRODUCT_GEO, PRODUCT_BY_ID
from catalog.documents import ProductDocument
from catalog.products.cards import ProductKey, ProductStock
from gateway.cassandra.reads import first_async, read_async


async def copied_cards(keys: Sequence[ProductKey]) -> list[ProductDocument | None]:
    """The cards in the order of the keys, whatever category they are in by now; None for what is not there."""
    found = await copied_by_id(key.id for key in keys)
    return [found.get(key.id) for key in keys]


async def copied_card_by_id(product_id: str) -> ProductDocument | None:
    row = await first_async(PRODUCT_BY_ID.select("product_id = ?", product_id))
    return product_of(row) if row else None


async def copied_by_id(product_ids: Iterable[str]) -> dict[str, ProductDocument]:
    """Cards by product id, whatever the category; those not there are absent. All are asked for at once."""
    found = await asyncio.gather(*(copied_card_by_id(product_id) for product_id in dict.fromkeys(product_ids)))
    return {card["_id"]: card for card in found if card}


async def copied_stock(key: ProductKey) -> ProductStock | None:
    """The product's stock, from the rows of the stock or the card, whichever is newer; None when it is not there."""
    card, levels = await asyncio.gather(
        copied_card_by_id(key.id), read_async(INVENTORY_BY_PRODUCT_GEO.select("product_id = ?", key.id))
    )
    if card is None:
        return None
    newer = [level for level in levels if level["version"] >= card["version"]]
    return ProductStock(card["category"], stock_of(newer) if newer else card["stock"] or [])
