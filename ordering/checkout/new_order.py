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
from ordering.models import Order, OrderStatus
from ordering.reading.lookup_keys import keys_of

ORDERS = Order._meta.db_table


def new_order(order_id: str, number: str, cart: CartDocument, wanted: Purchase, offer: Offered) -> OrderDocument:
    now = _milliseconds(datetime.now(UTC))
    user_id = user_id_of(cart["owner"])
    contact = wanted.contact
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
        "contact": {"name": contact.name, "email": contact.email, "phone": contact.phone},
        "shipping_address": {
            "city": wanted.shipping_address.city,
            "street": wanted.shipping_address.street,
            "postcode": wanted.shipping_address.postcode,
            "comment": wanted.shipping_address.comment,
        },
        "money": [],
        "to_refund": False,
        "retaken": None,
        "events": [created],
        "mail_due": [{"id": created["id"], "at": now}],
        "reserved_until": now + timedelta(minutes=settings.ORDER_RESERVATION_MINUTES),
        "client_key": wanted.client_key,
        "request": wanted.fingerprint,
        "keys": keys_of(number=number, email=contact.email, phone=contact.phone, name=contact.name, user_id=user_id),
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
