"""Orders as they stand in MongoDB and come back from Cassandra: the fields of ordering/models.py, typed."""

from datetime import datetime
from typing import NotRequired, TypedDict

from bson import Decimal128

from gateway.sync.documents import SyncedDocument


class Contact(TypedDict):
    name: str
    email: str
    phone: str


class Address(TypedDict):
    city: str
    street: str
    postcode: str
    comment: str


class OrderItem(TypedDict):
    product_id: str
    category: str
    name: str
    price: Decimal128
    quantity: int
    refunded: int


class OrderEvent(TypedDict):
    id: str
    at: datetime
    type: str
    status: str
    actor: str
    note: str
    entry: str | None


class EntryPart(TypedDict):
    entry: str
    amount: Decimal128


class RefundedLine(TypedDict):
    product_id: str
    quantity: int


class LedgerEntry(TypedDict):
    """An entry of the ledger; ordering/ledger/fields.py turns it into an `Entry` and back."""

    id: str
    at: datetime
    kind: str
    state: str
    amount: Decimal128
    reference: str
    actor: str
    source: str
    parts: list[EntryPart]
    lines: list[RefundedLine]
    restocked: bool


class EarlierPayment(TypedDict):
    """A payment as the release before the ledger kept it."""

    at: datetime
    amount: Decimal128
    reference: str
    source: str
    to_refund: Decimal128


class EarlierRefund(TypedDict):
    """A refund as the release before the ledger kept it."""

    at: datetime
    amount: Decimal128
    reference: str
    lines: list[RefundedLine]
    restocked: bool


class OwedPieces(TypedDict):
    product_id: str
    category: str
    quantity: int


class StockDebt(TypedDict):
    """A change of stock that a move of the order owes."""

    id: str
    at: datetime
    change: str
    lines: list[OwedPieces]


class MailDebt(TypedDict):
    """An event that the buyer is still to be told of; `id` is the event's."""

    id: str
    at: datetime


class OrderDocument(SyncedDocument):
    _id: str
    owner: str
    user_id: str | None
    past_owners: list[str]
    cart_id: str
    number: str
    status: str
    items: list[OrderItem]
    total: Decimal128
    currency: str
    geozone: str
    language: str
    contact: Contact
    shipping_address: Address
    money: NotRequired[list[LedgerEntry] | None]
    payments: NotRequired[list[EarlierPayment] | None]
    refunds: NotRequired[list[EarlierRefund] | None]
    to_refund: bool
    retaken: str | None
    events: list[OrderEvent]
    mail_due: list[MailDebt]
    stock_due: list[StockDebt]
    reserved_until: datetime | None
    client_key: str | None
    request: str
    keys: list[str]
    updated_at: datetime
    period_bucket: NotRequired[int | None]
