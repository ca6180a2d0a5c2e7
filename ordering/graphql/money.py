"""GraphQL types of an order's money: what has moved, what is owed either way, and where the buyer pays."""

from datetime import datetime

import strawberry
from strawberry.types import Info

from gateway.graphql.context import RequestContext
from gateway.graphql.enums import described_enum
from gateway.graphql.money import Money, rubles
from ordering.graphql.access import actor_seen, sees_all
from ordering.ledger import ledger
from ordering.ledger.ledger import Entry, Kind, Ledger, State

MoneyEntryKind = described_enum(
    Kind,
    "MoneyEntryKind",
    "Kinds of movements of an order's money.",
    {
        Kind.PAYMENT: "Money came from the buyer.",
        Kind.REFUND: "Money went back for goods, or as a courtesy.",
        Kind.EXCESS: "The part of a payment that the order could not take: too much, or too late.",
        Kind.REPAYMENT: "Money went out for an EXCESS or REFUND that was due.",
        Kind.CHARGEBACK: "The buyer's bank took money back.",
    },
)
MoneyEntryState = described_enum(
    State,
    "MoneyEntryState",
    "Whether the money of an entry has moved.",
    {
        State.DUE: "The shop still owes it to the buyer.",
        State.DONE: "It has moved.",
        State.FAILED: "It did not arrive, or was reversed, and counts for nothing.",
    },
)


@strawberry.type(description="One movement of an order's money, or one that is owed.")
class MoneyEntry:
    entry: strawberry.Private[Entry]

    @strawberry.field(description="What orderSettleRefund takes as entry.")
    def id(self) -> strawberry.ID:
        return strawberry.ID(self.entry.id)

    @strawberry.field(description="When the shop learnt of it, in UTC.")
    def at(self) -> datetime:
        return self.entry.at

    @strawberry.field(description="What kind of movement it is.")
    def kind(self) -> Kind:
        return self.entry.kind

    @strawberry.field(description="Whether the money has moved.")
    def state(self) -> State:
        return self.entry.state

    @strawberry.field(description="How much; never negative, the kind tells the direction.")
    def amount(self) -> Money:
        return rubles(self.entry.amount)

    @strawberry.field(description="Staff only; empty for buyers.")
    async def reference(self, info: Info[RequestContext, None]) -> str:
        return self.entry.reference if await sees_all(info.context) else ""

    @strawberry.field(description="buyer, system, payments or staff; staff see by e-mail who of them it was.")
    async def actor(self, info: Info[RequestContext, None]) -> str:
        return await actor_seen(self.entry.actor, info.context)


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


@strawberry.type(description="What is to be paid, and where.")
class PaymentDue:
    due: Money = strawberry.field(
        description="What is left to pay. Zero once it is paid, and when the order is closed or has expired."
    )
    url: str | None = strawberry.field(
        description="Where to send the buyer; null when nothing is due or no payment page is configured."
    )
