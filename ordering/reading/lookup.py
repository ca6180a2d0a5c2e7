"""Any order by what a person says on the phone: its number, e-mail, telephone or the last digits of it with a name,
customer's id or name, a product of it, the reference of a payment.

Archived or not, in one list by time.
"""

from dataclasses import replace

from django.conf import settings

from gateway.cassandra.errors import CassandraError
from gateway.mongo.client import Expression
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import Read, run_async
from gateway.paging import Page, Placed, Position, Slice
from ordering.cassandra.lookup import Walk, archived_positions
from ordering.cassandra.orders import copied_orders
from ordering.documents import OrderDocument
from ordering.reading.history import orders_at, position_of
from ordering.reading.listing import EVERYTHING, Narrowing
from ordering.reading.lookup_keys import keys_sought

# As long as an e-mail address may be.
MAX_SOUGHT = 254

BY_KEYS = "keys_1_created_at_-1__id_-1"


async def look_up(text: str, part: Slice, within: Narrowing = EVERYTHING) -> Page[OrderDocument]:
    """Forward only. An old order that never ended is not archived: the two stores overlap in time.

    Narrowed before it is cut into pages: what is within is found, however many others the text means.
    """
    # In this order: what is archived between the two reads was found by the first. Its keys are in Cassandra before it
    # leaves MongoDB, so that the other way round it could be found by neither.
    page = await run_async(lookup(text, part, within))
    if not settings.CASSANDRA_CONTACT_POINTS or within.queue:
        return page
    try:
        return await _with_archived(page, text, part, within)
    except CassandraError:
        return replace(page, complete=False)


def lookup(text: str, part: Slice, within: Narrowing = EVERYTHING) -> Read[Page[OrderDocument]]:
    """Those in MongoDB, newest first, each once, whatever it was found by. Asks every shard, by its index of keys."""
    points = [_point(walk) for walk in walks_for(text)]
    return orders_at(points, part, BY_KEYS, policy=ORDER_STATUS, also=within.where)


def walks_for(text: str) -> list[Walk]:
    """One for each thing that the text may mean."""
    sought = keys_sought(text)
    walks = [Walk(key, []) for key in sought.any_of]
    for words in sought.all_of:
        # The longest key walks, since it is the rarest as a rule.
        longest = max(words, key=len)
        walks.append(Walk(longest, [word for word in words if word != longest]))
    return walks


async def _with_archived(page: Page[OrderDocument], text: str, part: Slice, within: Narrowing) -> Page[OrderDocument]:
    orders = {placed.position: placed.document for placed in page.placed}
    if within == EVERYTHING:
        positions = {*orders, *await archived_positions(walks_for(text), part)}
    else:
        orders |= await _archived_within(text, part, within)
        positions = set(orders)
    shown = sorted(positions, reverse=True)[: part.size]
    archived = await copied_orders(position.id for position in shown if position not in orders)
    orders |= {position_of(copy.order): copy.order for copy in archived.values()}
    found = [Placed(orders[position], position) for position in shown if position in orders]
    return replace(page, placed=found, has_next=page.has_next or len(positions) > part.size)


async def _archived_within(text: str, part: Slice, within: Narrowing) -> dict[Position, OrderDocument]:
    """Archived orders that the narrowing admits: all that there are, or more than asked. Their keys do not say it."""
    admitted: dict[Position, OrderDocument] = {}
    step = part
    while True:
        positions = await archived_positions(walks_for(text), step)
        copies = await copied_orders(position.id for position in positions)
        orders = [copy.order for copy in copies.values() if within.admits(copy.order)]
        admitted |= {position_of(order): order for order in orders}
        if len(admitted) > part.size or len(positions) <= step.size:
            return admitted
        step = replace(step, beyond=positions[-1])


def _point(walk: Walk) -> Expression:
    if not walk.others:
        return {"keys": walk.key}
    # Checked in a form that no index tempts.
    return {"keys": walk.key, "$expr": {"$setIsSubset": [{"$literal": walk.others}, "$keys"]}}
