"""The products of order lines: those of all lines of an answer by one command."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from strawberry.dataloader import DataLoader

from catalog.cassandra.cards import copied_by_id
from catalog.documents import ProductDocument
from catalog.products.cards import ProductKey, cards_wherever
from catalog.structure.category_tree import is_shown
from gateway.fallback import served
from gateway.graphql.context import RequestContext
from gateway.mongo.reads import run_steps_async

Loader = DataLoader[ProductKey, ProductDocument | None]

_loaders: WeakKeyDictionary[RequestContext, Loader] = WeakKeyDictionary()


def product_loader(context: RequestContext) -> Loader:
    """The request's own loader of products, which ends with it."""
    if context not in _loaders:
        _loaders[context] = DataLoader(load_fn=_load)
    return _loaders[context]


async def _load(keys: Sequence[ProductKey]) -> list[ProductDocument | None]:
    found = await served(lambda: run_steps_async(cards_wherever(keys)), lambda: copied_by_id(key.id for key in keys))
    shown = {id_: product for id_, product in found.items() if await is_shown(product["category"])}
    return [shown.get(key.id) for key in keys]
