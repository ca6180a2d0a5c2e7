"""Relay's Node: anything with a global id, found again by it.

A domain registers each of its types once: `NODES.register("Cart", 2, load)`.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, NamedTuple

import strawberry
from strawberry.types import Info

from gateway.domain.texts import Text
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.ids import parsed_id

MAX_NODES = 100
TOO_MANY = Text("Не больше {maximum} id за раз, а не {value}.", "At most {maximum} ids at once, not {value}.")

Key = tuple[str, ...]
Load = Callable[[Sequence[Key], Info[RequestContext, None]], Awaitable[Sequence["Node | None"]]]
"""Takes distinct keys and returns their things in the same order; None: not there, or not the caller's to see."""


@strawberry.interface(
    description=("Anything with a global id: Query.node finds it again, and client caches keep it under that id.")
)
class Node:
    @strawberry.field(description="Opaque and unique among all types. Keep it, and do not read it.")
    def id(self) -> strawberry.ID:
        raise NotImplementedError


class _Registered(NamedTuple):
    key_length: int
    load: Load


class NodeTypes:
    def __init__(self) -> None:
        self._types: dict[str, _Registered] = {}

    def register(self, type_name: str, key_length: int, load: Load) -> None:
        self._types[type_name] = _Registered(key_length, load)

    async def find(self, ids: Sequence[str], info: Info[RequestContext, None]) -> list["Node | None"]:
        """The things with these ids, by one load per type; None for an id that is unknown, damaged or crafted."""
        parsed = [self._known(text) for text in ids]
        found: dict[tuple[str, Key], Node | None] = {}
        for type_name in dict.fromkeys(known[0] for known in parsed if known):
            keys = list(dict.fromkeys(known[1] for known in parsed if known and known[0] == type_name))
            things = await self._types[type_name].load(keys, info)
            found |= {(type_name, key): thing for key, thing in zip(keys, things, strict=True)}
        return [found.get(known) if known else None for known in parsed]

    def _known(self, text: str) -> tuple[str, Key] | None:
        parsed = parsed_id(text)
        if parsed is None:
            return None
        registered = self._types.get(parsed[0])
        return parsed if registered and registered.key_length == len(parsed[1]) else None


NODES = NodeTypes()


@strawberry.type
class NodeQuery:
    @strawberry.field(
        description=(
            "Anything by its global id: a product, a category, one's own cart, order or account. Null "
            "when it is not there, or not the caller's."
        )
    )
    async def node(
        self,
        info: Info[RequestContext, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="The `id` of any object.")],  # noqa: A002
    ) -> Node | None:
        (found,) = await NODES.find([id], info)
        return found

    @strawberry.field(
        description="Many by their global ids, in the order asked; null in place of each that is not there."
    )
    async def nodes(
        self,
        info: Info[RequestContext, None],
        ids: Annotated[list[strawberry.ID], strawberry.argument(description="At most 100 ids.")],
    ) -> list[Node | None]:
        if len(ids) > MAX_NODES:
            raise BadInput(TOO_MANY, maximum=MAX_NODES, value=len(ids))
        return await NODES.find(ids, info)
