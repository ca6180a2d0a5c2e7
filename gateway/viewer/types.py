"""The viewer as the API shows them."""

import asyncio
from datetime import datetime

import strawberry
from strawberry.types import Info

from cart.graphql.queries import viewer_cart
from cart.graphql.types import Cart
from gateway.accounts.models import User as Account
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.records import Device
from gateway.graphql.context import RequestContext
from gateway.graphql.relay.ids import global_id
from gateway.graphql.relay.node import Node
from gateway.graphql.user_errors import MutationWarning, UserError
from ordering.graphql.queries import viewer_orders
from ordering.graphql.types import OrderConnection
from ordering.models import OrderStatus


@strawberry.type
class Session:
    id: strawberry.ID
    created_at: datetime
    last_active_at: datetime
    device: str
    ip_address: str
    current: bool

    @classmethod
    def of(cls, device: Device, *, current: bool) -> "Session":
        return cls(
            id=global_id("Session", device.session_id),
            created_at=device.created_at,
            last_active_at=device.last_active_at,
            device=device.device,
            ip_address=device.ip_address,
            current=current,
        )


@strawberry.type
class User(Node):
    """The viewer's own account. It is made for no other: who else has an account is nobody's business."""

    account: strawberry.Private[Account]

    @strawberry.field
    def id(self) -> strawberry.ID:
        return global_id("User", str(self.account.pk))

    @strawberry.field
    def email(self) -> str:
        return self.account.email

    @strawberry.field
    def name(self) -> str:
        return self.account.name

    @strawberry.field
    def phone(self) -> str:
        return self.account.phone

    @strawberry.field(description="Where this account is signed in, newest first.")
    async def sessions(self, info: Info[RequestContext, None]) -> list[Session]:
        session = await info.context.session()
        here = session.session_id if session else None
        devices = await asyncio.to_thread(devices_of, self.account)
        return [Session.of(device, current=device.session_id == here) for device in devices]


async def own_user(context: RequestContext) -> User | None:
    account = await context.user()
    return User(account=account) if isinstance(account, Account) else None


@strawberry.type
class Viewer:
    @strawberry.field(description="Null for a guest.")
    async def user(self, info: Info[RequestContext, None]) -> User | None:
        return await own_user(info.context)

    @strawberry.field(description="The active cart; null until something is put in it.")
    async def cart(self, info: Info[RequestContext, None]) -> Cart | None:
        return await viewer_cart(info.context)

    @strawberry.field(description="Newest first, complete at once after buying.")
    async def orders(
        self,
        info: Info[RequestContext, None],
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        before: str | None = None,
        status: list[OrderStatus] | None = None,
    ) -> OrderConnection:
        return await viewer_orders(info.context, first, after, last, before, status)


@strawberry.type
class AccountPayload:
    user_errors: list[UserError]
    user: User | None = strawberry.field(
        default=None, description="The account as it is now; null when nothing was done, or nobody is signed in to it."
    )


@strawberry.type
class SessionPayload:
    user_errors: list[UserError]
    warnings: list[MutationWarning]
    token: str | None = strawberry.field(
        default=None,
        description="Send it back as the cookie or as «Authorization: Bearer …». Null after logout.",
    )
    viewer: Viewer | None = None
