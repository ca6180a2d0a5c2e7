"""Fill a database with so many orders, as the product writes them: `python -m bench.desk.filling 10000`.

A process of its own per database. The queues are as long in a small shop as in a large one, and longer than is counted:
what grows is everything that is done with.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any, cast
from uuid import UUID

from pymongo import WriteConcern
from pymongo.collection import Collection

from bench.shop import CATEGORIES, PRODUCTS, begin_anew, prepare
from cart.new_cart import new_cart
from catalog.stock.reservations import Pieces
from gateway.accounts.owners import customer_owner
from gateway.mongo import topology
from gateway.mongo.client import Document, database
from ordering.checkout.new_order import new_order
from ordering.checkout.pricing import Offered, OfferedLine
from ordering.checkout.request import Purchase
from ordering.documents import OrderDocument
from ordering.events import BUYER, PAYMENT_SYSTEM, STAFF, EventType, event
from ordering.ledger.fields import ledger_of, money_fields
from ordering.ledger.ledger import Kind, Ledger, Origin, State, new_entry
from ordering.lifecycle.contacts import AddressDetails, ContactDetails
from ordering.models import Order, OrderStatus
from ordering.numbers import number_in
from ordering.reading.lookup_keys import order_keys

ORDERS = Order._meta.db_table
BATCH = 1_000
WRITERS = 3
# Longer than the desk counts.
WAITING = 1_200
ORDERS_OF_A_BUYER = 3
SURNAMES = ("Иванов", "Смирнов", "Кузнецов", "Попов", "Васильев", "Петров", "Соколов", "Михайлов", "Новиков", "Фёдоров")
FIRST_NAMES = ("Иван", "Анна", "Пётр", "Мария", "Сергей", "Ольга", "Алексей", "Елена", "Дмитрий", "Наталья", "Юрий")
# One buyer's: the shorter word is the rarer one.
RARE_NAME, RARE_BUYER = "Михайлов Лев", WAITING
GEOZONES = ("msk", "spb")
SPACING = timedelta(minutes=1)
# Within what the desk calls soon.
SOON = timedelta(minutes=9)


def main() -> None:
    size = int(sys.argv[1])
    if database()[ORDERS].estimated_document_count() == size:
        return
    begin_anew()
    prepare("uniform", 1)
    _insert_all(size)


def contact_of(number: int) -> ContactDetails:
    """Who ordered the order of this number."""
    buyer = number // ORDERS_OF_A_BUYER
    name = (
        RARE_NAME
        if buyer == RARE_BUYER
        else f"{SURNAMES[buyer % len(SURNAMES)]} {FIRST_NAMES[buyer % len(FIRST_NAMES)]}"
    )
    digits = f"{buyer * 7_919 % 10**9:09}"
    phone = f"+7 9{digits[:2]} {digits[2:5]}-{digits[5:7]}-{digits[7:]}"
    return ContactDetails(name, f"buyer{buyer}@example.com", phone)


def number_of(number: int) -> str:
    """As it is read out on the phone."""
    digits = str(10**8 + number)
    return next(found for check in "0123456789" if (found := number_in(digits + check)))


def reference_of(number: int) -> str:
    return f"pay-{number:09}"


def product_of(number: int) -> str:
    return f"BENCH-{number % PRODUCTS}"


def let_expire_soon(orders: Collection[Document]) -> None:
    """Have the unpaid orders end in a few minutes, however long the filling took."""
    orders.update_many({"status": OrderStatus.NEW.value}, {"$set": {"reserved_until": datetime.now(UTC) + SOON}})


def _insert_all(size: int) -> None:
    """The indexes are built over all of it at the end: kept in step they make it several times as slow."""
    orders = database().get_collection(ORDERS, write_concern=WriteConcern(w=1))
    for name in {index.name for index in Order.collection.indexes} & orders.index_information().keys():
        orders.drop_index(name)
    documents = _documents(size)
    with ThreadPoolExecutor(WRITERS) as pool:
        while batches := [batch for _ in range(WRITERS) if (batch := list(islice(documents, BATCH)))]:
            list(pool.map(lambda batch: orders.insert_many(batch, ordered=False), batches))
    topology.apply(database(), declarations={ORDERS: Order.collection})


def _documents(size: int) -> Iterator[dict[str, Any]]:
    for number in range(size):
        yield _document(number, size)


def _document(number: int, size: int) -> dict[str, Any]:
    owner = customer_owner(f"{number // ORDERS_OF_A_BUYER:024x}")
    created = _created_at(number, size)
    lines = [_line(number + step) for step in range(1 + number % 3)]
    wanted = Purchase(
        geozone=GEOZONES[number % len(GEOZONES)],
        contact=contact_of(number),
        shipping_address=AddressDetails("Москва", f"Тверская, {number % 300}", "101000"),
        expected_total=Decimal(10) ** 9,
    )
    order: dict[str, Any] = {
        **new_order(_id(number, created), number_of(number), new_cart(owner, [], None), wanted, Offered(tuple(lines)))
    }
    del order["unsynced"]
    status = _status(number)
    order |= {"status": status.value, "created_at": created, "updated_at": created, "mail_due": [], "synced_version": 1}
    order |= _money(number, status, order, created)
    stored = cast("OrderDocument", order)
    return order | {"keys": order_keys(stored, ledger_of(stored))}


def _line(number: int) -> OfferedLine:
    product = number % PRODUCTS
    pieces = Pieces(CATEGORIES[product % len(CATEGORIES)], product_of(product), 1)
    return OfferedLine(pieces, f"Товар {product}", Decimal("100.00"))


def _status(number: int) -> OrderStatus:
    """The first ones wait for somebody, in queues; the others have reached an end."""
    waiting = (OrderStatus.NEW, OrderStatus.PAID, OrderStatus.PROCESSING, OrderStatus.REFUNDED)
    if number < WAITING * len(waiting):
        return waiting[number % len(waiting)]
    return OrderStatus.CANCELLED if number % 20 == 0 else OrderStatus.DELIVERED


def _money(number: int, status: OrderStatus, order: dict[str, Any], at: datetime) -> dict[str, Any]:
    """What payment has made of the order: its ledger, its events, and whether something is due back."""
    created = event(EventType.CREATED, OrderStatus.NEW, at=at, actor=BUYER)
    if status in {OrderStatus.NEW, OrderStatus.CANCELLED}:
        return {"events": [created], "reserved_until": at if status is OrderStatus.NEW else None}
    total = order["total"].to_decimal()
    paid = new_entry(Kind.PAYMENT, State.DONE, total, reference_of(number), Origin(at, PAYMENT_SYSTEM, "webhook"))
    ledger: Ledger = (paid,)
    moved = [created, event(EventType.MOVED, OrderStatus.PAID, at=at, actor=PAYMENT_SYSTEM, entry=paid.id)]
    if status is OrderStatus.REFUNDED:
        ledger += (new_entry(Kind.REFUND, State.DUE, total, f"refund-{number}", Origin(at, STAFF, "staff")),)
    if status is not OrderStatus.PAID:
        moved.append(event(EventType.MOVED, status, at=at, actor=STAFF))
    fields = money_fields(ledger)
    return {
        "events": moved,
        "money": fields["money"]["$literal"],
        "to_refund": fields["to_refund"],
        "reserved_until": None,
    }


def _id(number: int, created: datetime) -> str:
    """A UUIDv7 of that moment."""
    return str(UUID(int=int(created.timestamp() * 1000) << 80 | 0x7 << 76 | 0b10 << 62 | number))


def _created_at(number: int, size: int) -> datetime:
    newest = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    return newest - (size - number) * SPACING


if __name__ == "__main__":
    main()
