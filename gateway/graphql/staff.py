"""Access to fields of staff, refused by errors of the field."""

import asyncio

from gateway.domain.errors import NotAllowed, NotSignedIn
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import Forbidden, Unauthenticated
from gateway.mongo.outage import ask
from gateway.staff.permissions import actor_with


async def may(context: RequestContext, permission: str) -> bool:
    """Whether the viewer has the permission."""
    user = await context.user()
    return await asyncio.to_thread(ask, user.has_perm, permission)


async def authorise(context: RequestContext, permission: str) -> None:
    """Raise Unauthenticated or Forbidden unless the viewer is staff with the permission."""
    user = await context.user()
    try:
        await asyncio.to_thread(ask, actor_with, user, permission)
    except NotSignedIn as error:
        raise Unauthenticated(error.text) from error
    except NotAllowed as error:
        raise Forbidden(error.text) from error
