"""The viewer as the API shows them."""

import asyncio
from datetime import datetime
from typing import Annotated

import strawberry
from strawberry.types import Info

from cart.graphql.queries import viewer_cart
from cart.graphql.types import Cart
from gateway.accounts.documents import SavedAddressDocument
from gateway.accounts.models import User as Account
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.records import Device
from gateway.graphql.context import RequestContext
from gateway.graphql.relay.connections import AfterAsked, BeforeAsked, FirstAsked, LastAsked
from gateway.graphql.relay.ids import global_id
from gateway.graphql.relay.node import Node
from gateway.graphql.user_errors import MutationWarning, UserError
from gateway.mongo.reads import run_async
from gateway.viewer.address_book import addresses_of
from ordering.graphql.queries import viewer_orders
from ordering.graphql.types import Address, OrderConnection
from ordering.models import OrderStatus


@strawberry.type(description="A device on which an account is signed in.")
class Session:
    id: strawberry.ID = strawberry.field(description="Names the session; it is not its token.")
    created_at: datetime = strawberry.field(description="When somebody signed in there, in UTC.")
    last_active_at: datetime = strawberry.field(description="When it was last used, in UTC, to within some minutes.")
    device: str = strawberry.field(description="What the browser says of itself.")
    ip_address: str = strawberry.field(description="From where it was begun.")
    current: bool = strawberry.field(description="Whether it is the one that asks.")

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


@strawberry.type(description="An address of the customer's book, to be copied into the shippingAddress of a checkout.")
class SavedAddress:
    id: strawberry.ID = strawberry.field(description="For addressSave and addressRemove.")
    label: str = strawberry.field(description="What the customer calls it, e.g. «Дача».")
    address: Address = strawberry.field(description="Where it is.")

    @classmethod
    def of(cls, saved: SavedAddressDocument) -> "SavedAddress":
        return cls(
            id=global_id("SavedAddress", saved["id"]),
            label=saved["label"],
            address=Address(
                city=saved["city"], street=saved["street"], postcode=saved["postcode"], comment=saved["comment"]
            ),
        )


@strawberry.type(description="A customer's account, shown to the customer alone.")
class User(Node):
    """The viewer's own account. It is made for no other: who else has an account is nobody's business."""

    account: strawberry.Private[Account]

    @strawberry.field(description="Good for node(id:) by its owner.")
    def id(self) -> strawberry.ID:
        return global_id("User", str(self.account.pk))

    @strawberry.field(description="The address to sign in with.")
    def email(self) -> str:
        return self.account.email

    @strawberry.field(description="What the shop calls the customer; may be empty.")
    def name(self) -> str:
        return self.account.name

    @strawberry.field(description="Telephone number as it was given; may be empty.")
    def phone(self) -> str:
        return self.account.phone

    @strawberry.field(
        description="Whether the owner has followed the link of a letter to the address. Until then orders of guests"
        " under it stay theirs."
    )
    def email_confirmed(self) -> bool:
        return self.account.email_confirmed_at is not None

    @strawberry.field(
        description="The address that takes effect once it is confirmed by the link of the letter to it; null: none."
    )
    def new_email(self) -> str | None:
        return self.account.new_email or None

    @strawberry.field(description="The address book, at most 20, in the order in which they were saved first.")
    async def addresses(self) -> list[SavedAddress]:
        return [SavedAddress.of(saved) for saved in await run_async(addresses_of(str(self.account.pk)))]

    @strawberry.field(description="Where this account is signed in, newest first.")
    async def sessions(self, info: Info[RequestContext, None]) -> list[Session]:
        session = await info.context.session()
        here = session.session_id if session else None
        devices = await asyncio.to_thread(devices_of, self.account)
        return [Session.of(device, current=device.session_id == here) for device in devices]


async def own_user(context: RequestContext) -> User | None:
    account = await context.user()
    return User(account=account) if isinstance(account, Account) else None


@strawberry.type(description="Whoever asks.")
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
        first: FirstAsked = None,
        after: AfterAsked = None,
        last: LastAsked = None,
        before: BeforeAsked = None,
        status: Annotated[
            list[OrderStatus] | None,
            strawberry.argument(description="Only orders in one of these; left out, all. An empty list finds nothing."),
        ] = None,
    ) -> OrderConnection:
        return await viewer_orders(info.context, first, after, last, before, status)


@strawberry.type(description="What a change of one's own account has led to.")
class AccountPayload:
    user_errors: list[UserError] = strawberry.field(
        description="Why nothing was done, for the person who asked; empty when it was done."
    )
    user: User | None = strawberry.field(
        default=None, description="The account as it is now; null when nothing was done, or nobody is signed in to it."
    )


@strawberry.type(description="Who the caller is from now on.")
class SessionPayload:
    user_errors: list[UserError] = strawberry.field(
        description="Why nothing was done, for the person who asked; empty when it was done."
    )
    warnings: list[MutationWarning] = strawberry.field(
        description=(
            "What was done not quite as asked; the mutation has succeeded all the same. LINES_DROPPED "
            "names what did not fit when two carts became one."
        )
    )
    token: str | None = strawberry.field(
        default=None,
        description="Send it back as the cookie or as «Authorization: Bearer …». Null after logout.",
    )
    viewer: Viewer | None = strawberry.field(
        default=None, description="The caller as from now on, with the cart that was taken over."
    )
