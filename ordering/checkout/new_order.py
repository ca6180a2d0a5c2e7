"""The document of a new order, as checkout inserts it."""

from datetime import UTC, datetime, timedelta

from bson import Decimal128
from django.conf import settings

from cart.documents import CartDocument
from gateway.accounts.owners import user_id_of
from gateway.domain.money import CURRENCY
from gateway.sync.marks import new_marks
from ordering.checkout.pricing import Offered
from ordering.checkout.request import Purchase
from ordering.documents import OrderDocument
from ordering.events import BUYER, EventType, event
from ordering.mail.record import LetterState
from ordering.models import Order, OrderStatus
from ordering.reading.lookup_keys import keys_of

ORDERS = Order._meta.db_table


def new_order(order_id: str, number: str, cart: CartDocument, wanted: Purchase, offer: Offered) -> OrderDocument:
    now = _milliseconds(datetime.now(UTC))
    user_id = user_id_of(cart["owner"])
    contact = wanted.contact.document()
    marks = new_marks(now)
    created = event(EventType.CREATED, OrderStatus.NEW, at=now, actor=BUYER)
    return {
        "_id": order_id,
        "owner": cart["owner"],
        "user_id": user_id,
        "past_owners": [],
        "cart_id": str(cart["_id"]),
        "number": number,
        "status": OrderStatus.NEW.value,
        "items": [
            {
                "product_id": line.pieces.product_id,
                "category": line.pieces.category,
                "name": line.name,
                "price": Decimal128(line.price),
                "quantity": line.pieces.quantity,
                "refunded": 0,
            }
            for line in offer.lines
        ],
        "total": Decimal128(offer.total),
        "currency": CURRENCY,
        "geozone": wanted.geozone,
        "language": wanted.language,
        "contact": contact,
        "shipping_address": wanted.shipping_address.document(),
        "money": [],
        "to_refund": False,
        "retaken": None,
        "events": [created],
        "mail_due": [{"id": created["id"], "at": now}],
        "letters": [
            {
                "id": created["id"],
                "event": created["id"],
                "at": now,
                "to": contact["email"],
                "state": LetterState.DUE.value,
            }
        ],
        "reserved_until": now + timedelta(minutes=settings.ORDER_RESERVATION_MINUTES),
        "client_key": wanted.client_key,
        "request": wanted.fingerprint,
        "keys": keys_of(
            number=number,
            contact=contact,
            user_id=user_id,
            product_ids=[line.pieces.product_id for line in offer.lines],
        ),
        "stock_due": [],
        "created_at": now,
        "updated_at": now,
        "version": marks["version"],
        "synced_version": marks["synced_version"],
        "unsynced": marks["unsynced"],
    }


def _milliseconds(moment: datetime) -> datetime:
    """The moment as MongoDB keeps it, so that the answer after buying is the one of every later read."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
