"""Which order the payment system means, and what it tells recorded there: in the ledger of the order, living or
archived, or among the money that fits no order."""

import re

from gateway.cassandra.errors import CassandraNotConfigured
from gateway.domain.input import normal_key
from ordering.archive.restore import revive_order
from ordering.cassandra.lookup import archived_id
from ordering.cassandra.orders import archived_copy
from ordering.documents import OrderDocument
from ordering.errors import OtherCurrency
from ordering.events import BY_PAYMENT_SYSTEM
from ordering.ledger.fields import WEBHOOK, ledger_of
from ordering.models import StrayReason
from ordering.numbers import number_in
from ordering.payments.movements import Movement, MovementKind, is_known, record_movement
from ordering.payments.payments import IncomingMoney, is_recorded, receive_payment
from ordering.payments.stray_money import Stray, record_stray
from ordering.reading.orders import find_order, find_order_by_number
from ordering.webhook.events import MoneyEvent
from ordering.webhook.signature import PAYMENT_SUCCEEDED

_ORDER_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def record_event(event: MoneyEvent) -> OrderDocument | None:
    """Record the event in its order, once; returns the order, or None when it fits none and is kept for staff.

    Raises OrderBusy, ReferenceReused, TooEarly, OtherCurrency; CassandraError while nobody can tell whether the order
    is archived.
    """
    order = _living(event.order)
    if order is None:
        order, reason = _from_the_archive(event)
        # It may have come to life between the two looks.
        order = order or _living(event.order)
        if order is None:
            record_stray(_stray(event), reason)
            return None
    if event.currency != order["currency"]:
        raise OtherCurrency("currency", currency=order["currency"])
    return order if _is_recorded(order, event) else _record(order, event)


def _living(name: str) -> OrderDocument | None:
    # First the id: ten of its digits may happen to make a number.
    if _ORDER_ID.fullmatch(name):
        return find_order(name)
    number = number_in(name)
    return find_order_by_number(number) if number else None


def _from_the_archive(event: MoneyEvent) -> tuple[OrderDocument | None, StrayReason]:
    """The archived order if it has the event already, else the same order living again; or why there is none."""
    try:
        order_id = _archived_id(event.order)
        archived = archived_copy(order_id) if order_id else None
    except CassandraNotConfigured:
        return None, StrayReason.UNKNOWN
    if order_id is None or archived is None:
        return None, StrayReason.UNKNOWN
    if event.currency != archived["currency"] or _is_recorded(archived, event):
        return archived, StrayReason.ARCHIVED
    return revive_order(order_id), StrayReason.ARCHIVED


def _archived_id(name: str) -> str | None:
    if _ORDER_ID.fullmatch(name):
        return name
    number = number_in(name)
    return archived_id(number) if number else None


def _stray(event: MoneyEvent) -> Stray:
    order = number_in(event.order) or normal_key(event.order)
    return Stray(event.type, event.reference, event.amount, event.currency, order)


def _is_recorded(order: OrderDocument, event: MoneyEvent) -> bool:
    if event.type == PAYMENT_SUCCEEDED:
        return is_recorded(ledger_of(order), _money(event))
    return is_known(order, _movement(event))


def _record(order: OrderDocument, event: MoneyEvent) -> OrderDocument:
    if event.type == PAYMENT_SUCCEEDED:
        return receive_payment(order["_id"], _money(event), owner=order["owner"])
    return record_movement(order["_id"], _movement(event), owner=order["owner"])


def _money(event: MoneyEvent) -> IncomingMoney:
    return IncomingMoney(event.amount, event.reference, WEBHOOK, BY_PAYMENT_SYSTEM)


def _movement(event: MoneyEvent) -> Movement:
    return Movement(MovementKind(event.type), event.amount, event.reference, WEBHOOK, BY_PAYMENT_SYSTEM)
