"""The events of orders that came from Cassandra: those of all orders of an answer at once."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from strawberry.dataloader import DataLoader

from gateway.cassandra.errors import CassandraError
from gateway.graphql.context import RequestContext
from gateway.mongo.outage import NotServed
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import run_steps_async
from ordering.cassandra.orders import timelines_of
from ordering.documents import OrderEvent
from ordering.graphql.access import NOT_NOW
from ordering.reading.orders import OrderKey, orders_by_key

Loader = DataLoader[OrderKey, list[OrderEvent]]

_loaders: WeakKeyDictionary[RequestContext, Loader] = WeakKeyDictionary()


def timeline_loader(context: RequestContext) -> Loader:
    """The request's own loader of events, which ends with it."""
    if context not in _loaders:
        _loaders[context] = DataLoader(load_fn=_load)
    return _loaders[context]


async def _load(keys: Sequence[OrderKey]) -> list[list[OrderEvent] | BaseException]:
    try:
        timelines = await timelines_of(key.id for key in keys)
    except CassandraError:
        # Gone since the orders were read. MongoDB has those that are not archived.
        found = await run_steps_async(orders_by_key(keys, ORDER_STATUS))
        return [found[key.id]["events"] if key.id in found else NotServed(NOT_NOW) for key in keys]
    return [timelines[key.id] for key in keys]
