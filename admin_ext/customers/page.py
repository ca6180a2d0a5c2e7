"""What the page of one customer shows, in the words of the member of staff."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from asgiref.sync import async_to_sync
from bson import ObjectId
from django.urls import NoReverseMatch, reverse

from cart.documents import CartDocument
from cart.models import CartStatus
from cart.reading import unordered_carts
from gateway.accounts.customers.anonymisation import anonymisation_of
from gateway.accounts.customers.notes import notes_of
from gateway.accounts.masking import sees_contacts, shown_email, shown_phone
from gateway.accounts.models import Customer, User
from gateway.accounts.owners import customer_owner
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.errors import SessionsUnavailable
from gateway.audit.links import audit_url
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import staff_language
from gateway.staff.money import money_text
from gateway.staff.times import time_text
from ordering.documents import OrderDocument
from ordering.models import OrderStatus
from ordering.reading.purchases import Purchases, purchases_of

NEWEST_ORDERS = 10
CARTS = 10

WORDS = {
    "contacts": Text("Контакты", "Contacts"),
    "email": Text("E-mail", "E-mail"),
    "phone": Text("Телефон", "Telephone"),
    "name": Text("Имя", "Name"),
    "id": Text("Номер учётной записи", "Account id"),
    "registered": Text("Зарегистрирован", "Registered"),
    "signed_in": Text("Последний вход", "Last sign-in"),
    "never": Text("не было", "never"),
    "orders": Text("Заказы", "Orders"),
    "all_orders": Text("Все заказы", "All orders"),
    "number": Text("Номер", "Number"),
    "made": Text("Создан", "Made"),
    "status": Text("Статус", "Status"),
    "total": Text("Сумма", "Total"),
    "bought": Text("Куплено на", "Bought for"),
    "incomplete": Text("Cassandra недоступна: архивные заказы не показаны.", "Cassandra is away: no archived orders."),
    "no_orders": Text("Заказов нет.", "No orders."),
    "carts": Text("Корзины", "Carts"),
    "no_carts": Text("Корзин нет.", "No carts."),
    "changed": Text("Изменена", "Changed"),
    "lines": Text("Товары", "Lines"),
    "restore": Text("Вернуть", "Restore"),
    "devices": Text("Устройства", "Devices"),
    "no_devices": Text("Нигде не вошёл.", "Not signed in anywhere."),
    "devices_unknown": Text("Хранилище сеансов недоступно.", "The store of sessions is away."),
    "active": Text("Был", "Seen"),
    "address": Text("Адрес", "Address"),
    "notes": Text("Заметки", "Notes"),
    "no_notes": Text("Заметок нет.", "No notes."),
    "audit": Text("Журнал", "Journal"),
    "deactivated": Text("Учётная запись отключена.", "The account is deactivated."),
    "anonymised": Text("Покупатель обезличен {at}.", "The customer was anonymised on {at}."),
    "anonymising": Text(
        "Обезличивание ещё идёт: оставшееся доделается само, за несколько минут.",
        "Anonymising is under way: the rest is done by itself, within minutes.",
    ),
}
CART_STATUSES = {
    CartStatus.ACTIVE: Text("активна", "active"),
    CartStatus.ORDERED: Text("оформлена", "ordered"),
    CartStatus.ABANDONED: Text("брошена", "abandoned"),
}
RESTORED = Text("возвращена", "restored")


class ShownOrder(NamedTuple):
    number: str
    url: str | None
    made: str
    status: str
    total: str


class ShownCart(NamedTuple):
    id: str
    status: str
    changed: str
    lines: str
    can_be_restored: bool


class ShownDevice(NamedTuple):
    device: str
    address: str
    active: str


class ShownNote(NamedTuple):
    at: str
    actor: str
    text: str


def customer_page(customer: Customer, user: User, *, clear: bool = False) -> dict[str, Any]:
    """The context of the page. `clear`: contacts are shown to somebody who otherwise sees them masked."""
    language = staff_language()
    user_id = str(customer.pk)
    owner = customer_owner(user_id)
    clear = clear or sees_contacts(user)
    purchases = (
        async_to_sync(purchases_of)(owner, newest=NEWEST_ORDERS) if user.has_perm("ordering.view_order") else None
    )
    return {
        "words": {name: text.in_language(language, at="") for name, text in WORDS.items() if name != "anonymised"},
        "customer": customer,
        "email": shown_email(customer.email, clear=clear),
        "phone": shown_phone(customer.phone, clear=clear),
        "is_masked": not clear,
        "registered": time_text(customer.date_joined),
        "signed_in": time_text(customer.last_login) if customer.last_login else "",
        "anonymised": _anonymised(customer),
        "is_anonymising": anonymisation_of(user_id) is not None,
        "purchases": _purchases(purchases) if purchases else None,
        "orders": [_order(order) for order in purchases.newest] if purchases else [],
        "orders_url": _url("ordering_order_changelist", q=user_id),
        "carts": [_cart(cart) for cart in run(unordered_carts(owner, limit=CARTS))],
        "devices": _devices(customer),
        "notes": [ShownNote(time_text(note["at"]), note["actor"], note["text"]) for note in run(notes_of(user_id))],
        "audit_url": audit_url(f"customer:{user_id}") if user.has_perm("audit.view_auditentry") else None,
    }


def find_cart(owner: str, cart_id: str) -> CartDocument | None:
    """One of the carts that the page shows."""
    carts = run(unordered_carts(owner, limit=CARTS)) if ObjectId.is_valid(cart_id) else []
    return next((cart for cart in carts if str(cart["_id"]) == cart_id), None)


def cart_lines(cart: CartDocument) -> str:
    return ", ".join(f"{item['name']} × {item['quantity']}" for item in cart["items"])


def _anonymised(customer: Customer) -> str:
    if customer.anonymised_at is None:
        return ""
    return WORDS["anonymised"].in_language(staff_language(), at=time_text(customer.anonymised_at))


def _purchases(purchases: Purchases) -> dict[str, Any]:
    more = "+" if purchases.has_more else ""
    return {
        "orders": f"{purchases.orders}{more}",
        "bought": f"{money_text(purchases.bought)}{more}",
        "is_complete": purchases.is_complete,
    }


def _order(order: OrderDocument) -> ShownOrder:
    return ShownOrder(
        order["number"],
        _url("ordering_order_change", order["_id"]),
        time_text(order["created_at"]),
        str(OrderStatus(order["status"]).label),
        money_text(order["total"].to_decimal()),
    )


def _cart(cart: CartDocument) -> ShownCart:
    status = CartStatus(cart["status"])
    is_restored = cart["merged_into"] is not None
    said = RESTORED if status is CartStatus.ABANDONED and is_restored else CART_STATUSES[status]
    return ShownCart(
        str(cart["_id"]),
        said.in_language(staff_language()),
        time_text(cart["updated_at"]),
        cart_lines(cart),
        can_be_restored=status is CartStatus.ABANDONED and not is_restored and bool(cart["items"]),
    )


def _devices(customer: Customer) -> list[ShownDevice] | None:
    """None: nobody knows."""
    try:
        found = devices_of(customer)
    except SessionsUnavailable:
        return None
    return [ShownDevice(each.device, each.ip_address, time_text(each.last_active_at)) for each in found]


def _url(name: str, *args: str, **query: str) -> str | None:
    """The address of a page of the admin; None where there is no such page."""
    try:
        address = reverse(f"admin:{name}", args=args)
    except NoReverseMatch:
        return None
    return f"{address}?{urlencode(query)}" if query else address
