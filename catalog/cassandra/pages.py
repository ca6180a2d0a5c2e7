"""Pages in the order of price from Cassandra, while MongoDB is away: by category and region, by the same cursors."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, NoReturn

from bson import Decimal128

from catalog.cassandra.cards import copied_by_id
from catalog.cassandra.tables import ANYWHERE, PRODUCTS_CACHE_BY_REGION
from catalog.documents import ProductDocument
from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort
from gateway.cassandra.merge import merged
from gateway.cassandra.partition_stats import buckets_of_async
from gateway.cassandra.reads import scan_async
from gateway.cassandra.statements import Row, Select
from gateway.domain.texts import Text
from gateway.mongo.outage import NotServed
from gateway.paging import EVERYTHING, Bounds, Page, Placed, Position, Slice, bounds_beyond, page_of, reading_direction

ONLY_BY_PRICE = Text(
    "Сейчас можно смотреть категории и регионы по цене; поиск, характеристики и другие сортировки временно недоступны. "
    "Повторите чуть позже.",
    "For the moment there are categories and regions in the order of price; search, attributes and other sorts are "
    "away. Try again shortly.",
)


async def copied_page(
    wanted: Wanted, sort: Sort, part: Slice, *, every_category: Sequence[str]
) -> Page[ProductDocument]:
    """Raises NotServed for what only MongoDB can find."""
    # The name of no geozone: nothing is in stock there.
    if wanted.impossible or wanted.in_stock_in == ANYWHERE:
        return page_of([], part)
    if wanted.attributes or wanted.discounted or sort not in (Sort.PRICE_ASC, Sort.PRICE_DESC):
        raise NotServed(ONLY_BY_PRICE)
    categories = every_category if wanted.categories is None else wanted.categories
    descending = reading_direction(sort.value, part) < 0
    partitions = await _partitions(wanted.in_stock_in or ANYWHERE, categories)
    bounds = _bounds(wanted, sort, part)
    # Each gives about its share and as much again, for the order is not that even.
    rows_at_once = min(part.size + 1, 2 * (part.size + 1) // max(1, len(partitions)) + 2)
    requests = [_request(partition, bounds, descending, rows_at_once) for partition in partitions]
    rows = merged([scan_async(request) for request in requests], _price_and_id, descending=descending)
    async with aclosing(rows):
        return page_of(await _shown(rows, part.size + 1), part)


async def refuse_search() -> NoReturn:
    """The copies have no words."""
    raise NotServed(ONLY_BY_PRICE)


async def _partitions(region: str, categories: Sequence[str]) -> list[tuple[str, str, int]]:
    """All regions of a category have the same buckets."""
    buckets = await asyncio.gather(
        *(buckets_of_async(PRODUCTS_CACHE_BY_REGION, ANYWHERE, category) for category in categories)
    )
    return [
        (region, category, bucket) for category, numbers in zip(categories, buckets, strict=True) for bucket in numbers
    ]


async def _shown(rows: AsyncIterator[Row], number: int) -> list[Placed[ProductDocument]]:
    """This many products with their cards; one that was withdrawn while we read is made up for by the next."""
    shown: list[Placed[ProductDocument]] = []
    while len(shown) < number:
        taken = await _taken(rows, number - len(shown))
        if not taken:
            break
        cards = await copied_by_id(row["product_id"] for row in taken)
        shown += [
            Placed(cards[row["product_id"]], Position(Decimal128(row["price"]), row["product_id"]))
            for row in taken
            if row["product_id"] in cards
        ]
    return shown


async def _taken(rows: AsyncIterator[Row], number: int) -> list[Row]:
    taken: list[Row] = []
    while len(taken) < number and (row := await anext(rows, None)) is not None:
        taken.append(row)
    return taken


def _request(partition: tuple[str, str, int], bounds: Bounds, descending: bool, rows_at_once: int) -> Select:
    where = f"region = ? AND category = ? AND bucket = ?{bounds.cql}"
    if descending:
        where += " ORDER BY price DESC, product_id DESC"
    return PRODUCTS_CACHE_BY_REGION.select(
        where, *partition, *bounds.values, columns=("price", "product_id"), page_size=rows_at_once
    )


def _bounds(wanted: Wanted, sort: Sort, part: Slice) -> Bounds:
    """From the prices wanted and the position beyond which the page begins: one bound per side, as CQL has it."""
    lowest, highest = wanted.price_min, wanted.price_max
    beyond = EVERYTHING
    if part.beyond is not None:
        price = part.beyond.value.to_decimal()
        following = bounds_beyond(
            sort.value, replace(part, beyond=Position(price, part.beyond.id)), id_column="product_id"
        )
        if reading_direction(sort.value, part) < 0:
            if highest is None or price <= highest:
                beyond, highest = following, None
        elif lowest is None or price >= lowest:
            beyond, lowest = following, None
    sides = {" AND (price) >= (?)": lowest, " AND (price) <= (?)": highest}
    given = {cql: price for cql, price in sides.items() if price is not None}
    return Bounds(beyond.cql + "".join(given), (*beyond.values, *given.values()))


def _price_and_id(row: Row) -> tuple[Any, str]:
    return row["price"], row["product_id"]
