"""Finding the viewer's own account by its global id."""

from collections.abc import Sequence

from strawberry.types import Info

from gateway.graphql.context import RequestContext
from gateway.graphql.relay.node import NODES, Key
from gateway.viewer.types import User, own_user


def register_nodes() -> None:
    NODES.register("User", 1, _users)


async def _users(keys: Sequence[Key], info: Info[RequestContext, None]) -> list[User | None]:
    own = await own_user(info.context)
    return [own if own and str(own.account.pk) == key[0] else None for key in keys]
