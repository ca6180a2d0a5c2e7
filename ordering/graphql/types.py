"""GraphQL types of the orders: each holds a raw document or a part of it, each resolver is a function of it."""

from datetime import datetime

import strawberry
from strawberry.types import Info

from catalog.graphql.types import Product
from catalog.products.cards import ProductKey
from gateway.accounts.masking import (
    HIDDEN,
    SEE_CONTACTS,
    masked_email,
    masked_name,
    masked_phone,
    shown_email,
    shown_phone,
)
from gateway.domain.money import exact
from gateway.graphql.context import RequestContext
from gateway.graphql.enums import described_enum
from gateway.graphql.money import Money, rubles
from gateway.graphql.relay.connections import PageInfo, page_info_of
from gateway.graphql.relay.cursors import TIME, cursor
from gateway.graphql.relay.ids import global_id
from gateway.graphql.relay.node import Node
from gateway.graphql.staff import may
from gateway.paging import Page, Position
from ordering import documents
from ordering.documents import OrderDocument
from ordering.events import EventType, note_for_the_buyer
from ordering.graphql.access import CHANGE, actor_seen, has_right, sees_all
from ordering.graphql.money import OrderMoney, PaymentDue
from ordering.graphql.products import product_loader
from ordering.graphql.timelines import timeline_loader
from ordering.ledger.amounts import paid, payable, refunded
from ordering.ledger.fields import ledger_of
from ordering.lifecycle.tracking import shown_tracking
from ordering.lifecycle.transitions import Who, is_legal
from ordering.models import OrderStatus as Status
from ordering.reading.orders import OrderKey
from ordering.webhook.payment_page import payment_page

OrderStatus = described_enum(
    Status,
    "OrderStatus",
    "The life of an order: NEW, PAID, PROCESSING, SHIPPED, DELIVERED; or it ends before.",
    {
        Status.NEW: "Not paid yet; its stock is held until reservedUntil.",
        Status.PAID: "Paid, and waiting to be packed.",
        Status.PROCESSING: "Being packed.",
        Status.SHIPPED: "On its way.",
        Status.DELIVERED: "The buyer has it.",
        Status.CANCELLED: "Called off before it was paid.",
        Status.EXPIRED: "Not paid in time; its stock is on sale again.",
        Status.REFUNDED: "All of it was refunded.",
    },
)

# The only order there is; a cursor names it, so that it is not taken for one of products.
NEWEST = "ORDERS"


@strawberry.type(description="Whom the shop writes to and calls about an order.")
class Contact:
    name: str = strawberry.field(description="As the buyer gave it.")
    email: str = strawberry.field(
        description='E-mail address, e.g. "ivan@example.com"; letters about the order go there.'
    )
    phone: str = strawberry.field(description='Telephone number as the buyer wrote it, e.g. "+7 999 123-45-67".')


@strawberry.type(description="Where an order is delivered.")
class Address:
    city: str = strawberry.field(description="Town or city.")
    street: str = strawberry.field(description='Street, house and flat in one line, e.g. "Тверская, 1, кв. 5".')
    postcode: str = strawberry.field(description='Postal code, e.g. "101000"; empty when the buyer gave none.')
    comment: str = strawberry.field(description="What the courier should know; empty when there is nothing.")


@strawberry.type(description="How to follow a parcel.")
class Tracking:
    carrier: str = strawberry.field(description='Name of the carrier, e.g. "СДЭК".')
    number: str = strawberry.field(description="The carrier's number of the parcel.")
    url: str | None = strawberry.field(
        description="The carrier's page about it; null for carriers that the shop does not know."
    )


@strawberry.type(description="What staff tell each other of an order.")
class OrderNote:
    note: strawberry.Private[documents.OrderNote]

    @strawberry.field(description="Unique among the notes of the order.")
    def id(self) -> strawberry.ID:
        return strawberry.ID(self.note["id"])

    @strawberry.field(description="When it was written, in UTC.")
    def at(self) -> datetime:
        return self.note["at"]

    @strawberry.field(description="By e-mail.")
    def actor(self) -> str:
        return self.note["actor"]

    @strawberry.field(description="What was written.")
    def text(self) -> str:
        return self.note["text"]

    @strawberry.field(description="E-mails of the colleagues who are mentioned.")
    def mentions(self) -> list[str]:
        return self.note["mentions"]


@strawberry.type(description="One product of an order, as it was bought.")
class OrderLine:
    item: strawberry.Private[documents.OrderItem]

    @strawberry.field(description="The product's id in the shop's product information system, e.g. \"PROD-12345\".")
    def product_id(self) -> str:
        return self.item["product_id"]

    @strawberry.field(description="As it was called when it was bought.")
    def name(self) -> str:
        return self.item["name"]

    @strawberry.field(description="How many pieces were bought; a refund does not change it.")
    def quantity(self) -> int:
        return self.item["quantity"]

    @strawberry.field(description="What one piece cost when it was bought.")
    def unit_price(self) -> Money:
        return rubles(exact(self.item["price"]))

    @strawberry.field(description="unitPrice times quantity.")
    def line_total(self) -> Money:
        return rubles(exact(self.item["price"]) * self.item["quantity"])

    @strawberry.field(description="Null when withdrawn.")
    async def product(self, info: Info[RequestContext, None]) -> Product | None:
        key = ProductKey(self.item["category"], self.item["product_id"])
        found = await product_loader(info.context).load(key)
        return Product(document=found) if found else None


@strawberry.type(description="Something that happened to an order.")
class OrderEvent:
    event: strawberry.Private[documents.OrderEvent]

    @strawberry.field(description="What orderResend takes as event.")
    def id(self) -> strawberry.ID:
        return strawberry.ID(self.event["id"])

    @strawberry.field(description="When it happened, in UTC.")
    def at(self) -> datetime:
        return self.event["at"]

    @strawberry.field(
        description="CREATED, MOVED, PAYMENT, REFUND, REFUND_FAILED, REPAYMENT, CHARGEBACK, CHARGEBACK_REVERSED or "
        "CLAIMED; more may come."
    )
    def type(self) -> str:
        return EventType(self.event["type"]).name

    @strawberry.field(description="Of the order after the event.")
    def status(self) -> Status:
        return Status(self.event["status"])

    @strawberry.field(description="buyer, system, payments or staff; staff see by e-mail who of them it was.")
    async def actor(self, info: Info[RequestContext, None]) -> str:
        return await actor_seen(self.event["actor"], info.context)

    @strawberry.field(description="What staff and the payment system note is for staff; empty for buyers.")
    async def note(self, info: Info[RequestContext, None]) -> str:
        written, shown = self.event["note"], note_for_the_buyer(self.event)
        return written if written != shown and await sees_all(info.context) else shown


@strawberry.type(
    description=(
        "What somebody has bought. It is seen by its buyer, by staff, and shortened by whoever holds "
        "the link of its letter."
    )
)
class Order(Node):
    document: strawberry.Private[OrderDocument]
    redacted: strawberry.Private[bool] = False
    """Shown to whoever has a letter about it, which may have been passed on."""

    @strawberry.field(description="Good for order(id:) and node(id:), also when it was got before signing in.")
    def id(self) -> strawberry.ID:
        return global_id("Order", self.document["owner"], self.document["_id"])

    @strawberry.field(description="What a person reads out on the phone.")
    def number(self) -> str:
        return self.document["number"]

    @strawberry.field(description="Where the order stands.")
    def status(self) -> Status:
        return Status(self.document["status"])

    @strawberry.field(description="What was bought, one line per product.")
    def lines(self) -> list[OrderLine]:
        return [OrderLine(item=item) for item in self.document["items"]]

    @strawberry.field(description="All lines at the prices of the purchase; a refund does not change it.")
    def total(self) -> Money:
        return rubles(exact(self.document["total"]))

    @strawberry.field(description="What the order has taken; what came too late or too much is not part of it.")
    def amount_paid(self) -> Money:
        return rubles(paid(self.document))

    @strawberry.field(description="What has gone back of that, by refunds and by chargebacks.")
    def amount_refunded(self) -> Money:
        return rubles(refunded(self.document))

    @strawberry.field(description="Every movement of its money, and what follows from them.")
    def money(self) -> OrderMoney:
        return OrderMoney(ledger=ledger_of(self.document))

    @strawberry.field(description="What the buyer is still to pay, and where.")
    def payment(self, info: Info[RequestContext, None]) -> PaymentDue:
        due = payable(self.document)
        return PaymentDue(due=rubles(due), url=payment_page(self.document, due, origin=info.context.origin))

    @strawberry.field(description='Code of the geozone from which the goods are taken, e.g. "msk".')
    def geozone(self) -> str:
        return self.document["geozone"]

    @strawberry.field(description="E-mail and phone are masked for staff who may not see contacts.")
    async def contact(self, info: Info[RequestContext, None]) -> Contact:
        written = self.document["contact"]
        if self.redacted:
            name, email, phone = written["name"], written["email"], written["phone"]
            return Contact(name=masked_name(name), email=masked_email(email), phone=masked_phone(phone))
        clear = await self._is_own(info.context) or await has_right(info.context, SEE_CONTACTS)
        return Contact(
            name=written["name"],
            email=shown_email(written["email"], clear=clear),
            phone=shown_phone(written["phone"], clear=clear),
        )

    @strawberry.field(description="Where it is delivered. By the link of a letter only the city is told.")
    def shipping_address(self) -> Address:
        written = self.document["shipping_address"]
        if self.redacted:
            return Address(city=written["city"], street=HIDDEN, postcode="", comment="")
        return Address(**written)

    @strawberry.field(description="When it was bought, in UTC.")
    def created_at(self) -> datetime:
        return self.document["created_at"]

    @strawberry.field(description="When it last changed, in UTC.")
    def updated_at(self) -> datetime:
        return self.document["updated_at"]

    @strawberry.field(description="Until when unpaid stock is held; null once paid or closed.")
    def reserved_until(self) -> datetime | None:
        return self.document["reserved_until"] if self.document["status"] == Status.NEW.value else None

    @strawberry.field(description="Whether whoever asks may cancel it now.")
    async def can_cancel(self, info: Info[RequestContext, None]) -> bool:
        status = self.document["status"]
        if await self._is_own(info.context):
            return is_legal(status, Status.CANCELLED, Who.BUYER)
        return is_legal(status, Status.CANCELLED, Who.STAFF) and await may(info.context, CHANGE)

    @strawberry.field(description="Null until shipped with a tracking number.")
    def tracking(self) -> Tracking | None:
        shown = shown_tracking(self.document)
        return Tracking(**shown) if shown else None

    @strawberry.field(description="Staff only, oldest first; empty for buyers.")
    async def notes(self, info: Info[RequestContext, None]) -> list[OrderNote]:
        written = self.document.get("notes") or []
        return [OrderNote(note=note) for note in written] if written and await sees_all(info.context) else []

    @strawberry.field(description="Oldest first.")
    async def timeline(self, info: Info[RequestContext, None]) -> list[OrderEvent]:
        events = self.document.get("events")
        if events is None:
            key = OrderKey(self.document["owner"], self.document["_id"])
            events = await timeline_loader(info.context).load(key)
        return [OrderEvent(event=event) for event in events]

    async def _is_own(self, context: RequestContext) -> bool:
        return self.document["owner"] == await context.owner()


@strawberry.type(description="An order in a page.")
class OrderEdge:
    cursor: str = strawberry.field(description="Where it stands in the list; give it as `after` or `before`.")
    node: Order = strawberry.field(description="The order.")


@strawberry.type(description="A page of orders, newest first.")
class OrderConnection:
    page: strawberry.Private[Page[OrderDocument]]

    @strawberry.field(
        description="The nodes with a cursor each: what Relay and Apollo's relayStylePagination join pages by."
    )
    def edges(self) -> list[OrderEdge]:
        return [
            OrderEdge(cursor=cursor_of(placed.position), node=Order(document=placed.document))
            for placed in self.page.placed
        ]

    @strawberry.field(description="The nodes alone, for frontends that page by pageInfo.")
    def nodes(self) -> list[Order]:
        return [Order(document=order) for order in self.page.documents]

    @strawberry.field(description="Whether there is more in either direction, and the cursors to go on from.")
    def page_info(self) -> PageInfo:
        return page_info_of(self.page, cursor_of)


def cursor_of(position: Position) -> str:
    return cursor(NEWEST, TIME, *position)
