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
from gateway.graphql.money import Money, rubles
from gateway.graphql.relay.connections import PageInfo, page_info_of
from gateway.graphql.relay.cursors import TIME, cursor
from gateway.graphql.relay.ids import global_id
from gateway.graphql.relay.node import Node
from gateway.graphql.staff import may
from gateway.mongo.outage import MongoUnavailable
from gateway.paging import Page, Position
from ordering import documents
from ordering.documents import OrderDocument
from ordering.events import BUYER, PAYMENT_SYSTEM, STAFF, SYSTEM, EventType, note_for_the_buyer
from ordering.graphql.access import CHANGE, SEE
from ordering.graphql.products import product_loader
from ordering.graphql.timelines import timeline_loader
from ordering.ledger import ledger
from ordering.ledger.amounts import paid, payable, refunded
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Entry, Kind, Ledger, State
from ordering.lifecycle.tracking import shown_tracking
from ordering.lifecycle.transitions import Who, is_legal
from ordering.models import OrderStatus as Status
from ordering.reading.orders import OrderKey
from ordering.webhook.payment_page import payment_page

OrderStatus = strawberry.enum(Status, name="OrderStatus")

# The only order there is; a cursor names it, so that it is not taken for one of products.
NEWEST = "ORDERS"

PROGRAMS_AND_BUYERS = {BUYER, SYSTEM, PAYMENT_SYSTEM}

MoneyEntryKind = strawberry.enum(Kind, name="MoneyEntryKind")
MoneyEntryState = strawberry.enum(State, name="MoneyEntryState")


@strawberry.type
class Contact:
    name: str
    email: str
    phone: str


@strawberry.type
class Address:
    city: str
    street: str
    postcode: str
    comment: str


@strawberry.type
class Tracking:
    carrier: str
    number: str
    url: str | None


@strawberry.type(description="What staff tell each other of an order.")
class OrderNote:
    note: strawberry.Private[documents.OrderNote]

    @strawberry.field
    def id(self) -> strawberry.ID:
        return strawberry.ID(self.note["id"])

    @strawberry.field
    def at(self) -> datetime:
        return self.note["at"]

    @strawberry.field(description="By e-mail.")
    def actor(self) -> str:
        return self.note["actor"]

    @strawberry.field
    def text(self) -> str:
        return self.note["text"]

    @strawberry.field(description="E-mails of the colleagues who are mentioned.")
    def mentions(self) -> list[str]:
        return self.note["mentions"]


@strawberry.type
class OrderLine:
    item: strawberry.Private[documents.OrderItem]

    @strawberry.field
    def product_id(self) -> str:
        return self.item["product_id"]

    @strawberry.field(description="As it was called when it was bought.")
    def name(self) -> str:
        return self.item["name"]

    @strawberry.field
    def quantity(self) -> int:
        return self.item["quantity"]

    @strawberry.field
    def unit_price(self) -> Money:
        return rubles(exact(self.item["price"]))

    @strawberry.field
    def line_total(self) -> Money:
        return rubles(exact(self.item["price"]) * self.item["quantity"])

    @strawberry.field(description="Null when withdrawn.")
    async def product(self, info: Info[RequestContext, None]) -> Product | None:
        key = ProductKey(self.item["category"], self.item["product_id"])
        found = await product_loader(info.context).load(key)
        return Product(document=found) if found else None


@strawberry.type
class OrderEvent:
    event: strawberry.Private[documents.OrderEvent]

    @strawberry.field
    def id(self) -> strawberry.ID:
        return strawberry.ID(self.event["id"])

    @strawberry.field
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
        return await _actor_seen(self.event["actor"], info.context)

    @strawberry.field(description="What staff and the payment system note is for staff; empty for buyers.")
    async def note(self, info: Info[RequestContext, None]) -> str:
        written, shown = self.event["note"], note_for_the_buyer(self.event)
        return written if written != shown and await _sees_all(info.context) else shown


@strawberry.type(description="One movement of an order's money, or one that is owed.")
class MoneyEntry:
    entry: strawberry.Private[Entry]

    @strawberry.field
    def id(self) -> strawberry.ID:
        return strawberry.ID(self.entry.id)

    @strawberry.field
    def at(self) -> datetime:
        return self.entry.at

    @strawberry.field
    def kind(self) -> Kind:
        return self.entry.kind

    @strawberry.field
    def state(self) -> State:
        return self.entry.state

    @strawberry.field
    def amount(self) -> Money:
        return rubles(self.entry.amount)

    @strawberry.field(description="Staff only; empty for buyers.")
    async def reference(self, info: Info[RequestContext, None]) -> str:
        return self.entry.reference if await _sees_all(info.context) else ""

    @strawberry.field(description="buyer, system, payments or staff; staff see by e-mail who of them it was.")
    async def actor(self, info: Info[RequestContext, None]) -> str:
        return await _actor_seen(self.entry.actor, info.context)


@strawberry.type(description="Everything here follows from the entries.")
class OrderMoney:
    ledger: strawberry.Private[Ledger]

    @strawberry.field(description="What the order has taken; what came too late or too much is not part of it.")
    def paid(self) -> Money:
        return rubles(ledger.paid(self.ledger))

    @strawberry.field(description="What has gone back of that, by refunds and by chargebacks.")
    def refunded(self) -> Money:
        return rubles(ledger.refunded(self.ledger))

    @strawberry.field(description="What the shop still owes the buyer.")
    def due_back(self) -> Money:
        return rubles(ledger.due_back(self.ledger))

    @strawberry.field(description="Oldest first.")
    def entries(self) -> list[MoneyEntry]:
        return [MoneyEntry(entry=entry) for entry in self.ledger]


@strawberry.type
class PaymentDue:
    due: Money = strawberry.field(
        description="What is left to pay. Zero once it is paid, and when the order is closed or has expired."
    )
    url: str | None = strawberry.field(
        description="Where to send the buyer; null when nothing is due or no payment page is configured."
    )


@strawberry.type
class Order(Node):
    document: strawberry.Private[OrderDocument]
    redacted: strawberry.Private[bool] = False
    """Shown to whoever has a letter about it, which may have been passed on."""

    @strawberry.field
    def id(self) -> strawberry.ID:
        return global_id("Order", self.document["owner"], self.document["_id"])

    @strawberry.field(description="What a person reads out on the phone.")
    def number(self) -> str:
        return self.document["number"]

    @strawberry.field
    def status(self) -> Status:
        return Status(self.document["status"])

    @strawberry.field
    def lines(self) -> list[OrderLine]:
        return [OrderLine(item=item) for item in self.document["items"]]

    @strawberry.field
    def total(self) -> Money:
        return rubles(exact(self.document["total"]))

    @strawberry.field(description="What the order has taken; what came too late or too much is not part of it.")
    def amount_paid(self) -> Money:
        return rubles(paid(self.document))

    @strawberry.field(description="What has gone back of that, by refunds and by chargebacks.")
    def amount_refunded(self) -> Money:
        return rubles(refunded(self.document))

    @strawberry.field
    def money(self) -> OrderMoney:
        return OrderMoney(ledger=ledger_of(self.document))

    @strawberry.field(description="What the buyer is still to pay, and where.")
    def payment(self, info: Info[RequestContext, None]) -> PaymentDue:
        due = payable(self.document)
        return PaymentDue(due=rubles(due), url=payment_page(self.document, due, origin=info.context.origin))

    @strawberry.field
    def geozone(self) -> str:
        return self.document["geozone"]

    @strawberry.field(description="E-mail and phone are masked for staff who may not see contacts.")
    async def contact(self, info: Info[RequestContext, None]) -> Contact:
        written = self.document["contact"]
        if self.redacted:
            name, email, phone = written["name"], written["email"], written["phone"]
            return Contact(name=masked_name(name), email=masked_email(email), phone=masked_phone(phone))
        clear = await self._is_own(info.context) or await _has(info.context, SEE_CONTACTS)
        return Contact(
            name=written["name"],
            email=shown_email(written["email"], clear=clear),
            phone=shown_phone(written["phone"], clear=clear),
        )

    @strawberry.field
    def shipping_address(self) -> Address:
        written = self.document["shipping_address"]
        if self.redacted:
            return Address(city=written["city"], street=HIDDEN, postcode="", comment="")
        return Address(**written)

    @strawberry.field
    def created_at(self) -> datetime:
        return self.document["created_at"]

    @strawberry.field
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
        return [OrderNote(note=note) for note in written] if written and await _sees_all(info.context) else []

    @strawberry.field(description="Oldest first.")
    async def timeline(self, info: Info[RequestContext, None]) -> list[OrderEvent]:
        events = self.document.get("events")
        if events is None:
            key = OrderKey(self.document["owner"], self.document["_id"])
            events = await timeline_loader(info.context).load(key)
        return [OrderEvent(event=event) for event in events]

    async def _is_own(self, context: RequestContext) -> bool:
        return self.document["owner"] == await context.owner()


@strawberry.type
class OrderEdge:
    cursor: str
    node: Order


@strawberry.type
class OrderConnection:
    page: strawberry.Private[Page[OrderDocument]]

    @strawberry.field
    def edges(self) -> list[OrderEdge]:
        return [
            OrderEdge(cursor=cursor_of(placed.position), node=Order(document=placed.document))
            for placed in self.page.placed
        ]

    @strawberry.field
    def nodes(self) -> list[Order]:
        return [Order(document=order) for order in self.page.documents]

    @strawberry.field
    def page_info(self) -> PageInfo:
        return page_info_of(self.page, cursor_of)


async def _sees_all(context: RequestContext) -> bool:
    """Whether whoever asks is staff who may see any order, with what is noted and referred to in it."""
    return await _has(context, SEE)


async def _has(context: RequestContext, permission: str) -> bool:
    try:
        return await may(context, permission)
    except MongoUnavailable:
        # Then only their own orders are shown to anybody.
        return False


async def _actor_seen(actor: str, context: RequestContext) -> str:
    return actor if actor in PROGRAMS_AND_BUYERS or await _sees_all(context) else STAFF


def cursor_of(position: Position) -> str:
    return cursor(NEWEST, TIME, *position)
