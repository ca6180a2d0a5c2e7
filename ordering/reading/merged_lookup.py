"""Any order that support asks for, archived or not, in one list by time."""

from dataclasses import replace

from django.conf import settings

from gateway.cassandra.errors import CassandraError
from gateway.mongo.reads import run_async
from ordering.cassandra.lookup import archived_positions
from ordering.cassandra.orders import copied_orders
from ordering.reading.history import Page, Slice, position_of
from ordering.reading.lookup import lookup


async def look_up(text: str, part: Slice) -> Page:
    """Forward only. An old order that never ended is not archived: the two stores overlap in time."""
    # In this order: what is archived between the two reads was found by the first. Its keys are in Cassandra before it
    # leaves MongoDB, so that the other way round it could be found by neither.
    page = await run_async(lookup(text, part))
    if not settings.CASSANDRA_CONTACT_POINTS:
        return page
    try:
        return await _with_archived(page, text, part)
    except CassandraError:
        return replace(page, complete=False)


async def _with_archived(page: Page, text: str, part: Slice) -> Page:
    orders = {position_of(order): order for order in page.orders}
    positions = sorted({*orders, *await archived_positions(text, part)}, reverse=True)
    shown = positions[: part.size]
    archived = await copied_orders(position.id for position in shown if position not in orders)
    orders |= {position_of(copy.order): copy.order for copy in archived.values()}
    found = [orders[position] for position in shown if position in orders]
    return replace(page, orders=found, has_next=page.has_next or len(positions) > part.size)
