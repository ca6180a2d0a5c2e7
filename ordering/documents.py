"""Orders as they stand in MongoDB and come back from Cassandra, and the documents beside them: ordering/models.py,
typed."""

from datetime import datetime
from typing import NotRequired, TypedDict

from bson import Decimal128

from gateway.domain.texts import Language
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
    entry: NotRequired[str | None]
    """Id of the ledger's entry that it tells of; events of an earlier release have none."""


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
    holder: NotRequired[str]
    change: str
    lines: list[OwedPieces]
    geozone: NotRequired[str]
    """Where, when that is not the order's geozone any more."""


class MailDebt(TypedDict):
    """A letter that is still to be sent; of the first about an event `id` is the event's."""

    id: str
    at: datetime
    """When somebody may take it."""
    tries: NotRequired[int]
    holder: NotRequired[str]
    event: NotRequired[str]
    """Of a letter that staff send again: the event that it tells of."""
    to: NotRequired[str | None]
    """Of such a letter: another address than the contact's."""


class OrderLetter(TypedDict):
    """What became of a letter; a resent one is another."""

    id: str
    event: str
    at: datetime
    """Since when it is in this state."""
    to: str
    state: str
    """One of `ordering.mail.delivery.LetterState`."""
    by: NotRequired[str]
    """Who of the staff had it sent again."""


class OrderNote(TypedDict):
    """What staff tell each other of the order."""

    id: str
    at: datetime
    actor: str
    text: str
    mentions: list[str]
    """E-mails of colleagues."""
    key: str | None
    """Repeated under the same key it is the same note."""


class Tracking(TypedDict):
    carrier: str
    number: str
    url: str | None


class OrderDocument(SyncedDocument):
    """A whole order in MongoDB. What Cassandra gives back lacks its events, its debts and the marks of the sync."""

    _id: str
    owner: str
    user_id: str | None
    past_owners: NotRequired[list[str] | None]
    cart_id: str
    number: str
    status: str
    items: list[OrderItem]
    total: Decimal128
    currency: str
    geozone: str
    past_geozones: NotRequired[list[str]]
    """Where it was before it was moved. Not copied: it serves the copying."""
    language: NotRequired[Language]
    contact: Contact
    shipping_address: Address
    money: NotRequired[list[LedgerEntry]]
    payments: NotRequired[list[EarlierPayment]]
    refunds: NotRequired[list[EarlierRefund]]
    to_refund: bool
    retaken: NotRequired[str | None]
    moved_under: NotRequired[list[str] | None]
    tracking: NotRequired[Tracking | None]
    notes: NotRequired[list[OrderNote] | None]
    letters: NotRequired[list[OrderLetter]]
    mail_given_up: NotRequired[bool]
    events: NotRequired[list[OrderEvent]]
    mail_due: NotRequired[list[MailDebt]]
    stock_due: NotRequired[list[StockDebt]]
    reserved_until: datetime | None
    client_key: str | None
    request: str
    keys: list[str]
    updated_at: datetime
    period_bucket: NotRequired[int | None]


class OrderNumberDocument(TypedDict):
    _id: str


class StrayMoneyDocument(TypedDict):
    """Money that the payment system tells of and that fits no order."""

    _id: str
    at: datetime
    type: str
    reference: str
    amount: Decimal128
    currency: str
    order: str
    reason: str
    settled_at: datetime | None
    settled_by: str
    settled_reference: str


class HeldPieces(TypedDict):
    """The product's field and how many, as `$objectToArray` has them."""

    k: str
    v: int


class HeldOrder(TypedDict):
    """An unpaid order, or a checkout that may become one."""

    order_id: str
    at: datetime
    until: datetime
    pieces: list[HeldPieces]


class UnpaidHoldingsDocument(TypedDict):
    """What one buyer, or one address, holds unpaid."""

    _id: str
    held: list[HeldOrder]
    pieces: dict[str, int]
    """How many of each product, over all of the orders."""
    expires_at: datetime


class SentLetter(TypedDict):
    id: str
    at: datetime


class MailboxDocument(TypedDict):
    """What was sent to one address lately."""

    _id: str
    sent: list[SentLetter]
    expires_at: datetime


class SalesQuarterDocument(TypedDict):
    """What was sold in a quarter of an hour in one geozone, as summed."""

    _id: str
    begins: datetime
    geozone: str
    orders: int
    pieces: int
    total: Decimal128
    paid: Decimal128
    refunded: Decimal128
    computed_at: datetime


class SalesProgressDocument(TypedDict):
    """How far the orders are summed. What has not happened yet is absent."""

    _id: str
    seen_until: NotRequired[datetime]
    failed_at: NotRequired[datetime]
