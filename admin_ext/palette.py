"""One search box for everything that a person may open: pages, orders, customers, products.

Each kind is asked by the read that its own list uses, and shows no more than a few; nothing is remembered.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from asgiref.sync import async_to_sync
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from catalog.documents import ProductDocument
from catalog.listing.filters import Wanted
from catalog.listing.inventory import Inventory, page
from catalog.listing.routes import Filter
from catalog.models import Product
from catalog.search.query import words_asked
from gateway.accounts.customers.search import find_customers
from gateway.accounts.masking import sees_contacts, shown_email, shown_phone
from gateway.accounts.models import Customer, User, normalize_email
from gateway.domain.texts import Text
from gateway.mongo.reads import run_steps
from gateway.paging import Page, Slice
from gateway.staff.language import said
from gateway.staff.money import money_text
from gateway.staff.times import time_text
from ordering.documents import OrderDocument
from ordering.models import Order, OrderStatus
from ordering.numbers import number_in
from ordering.reading.lookup import MAX_SOUGHT, look_up

# Of each kind: as many as are read at a glance; whoever needs more opens the list.
SHOWN = 8
# A single letter means half of the shop.
SHORTEST = 2

PAGES, ORDERS = Text("Страницы", "Pages"), Text("Заказы", "Orders")
CUSTOMERS, PRODUCTS = Text("Покупатели", "Customers"), Text("Товары", "Products")
NOTHING = Text("Ничего не нашлось", "Nothing found")
TRY = Text(
    "Можно искать по номеру заказа, телефону, e-mail, имени, артикулу, словам из названия.",
    "Try an order's number, a telephone, an e-mail, a name, a product's id or words of its name.",
)


class Hit(NamedTuple):
    title: str
    about: str
    link: str
    icon: str
    is_exact: bool = False
    """Whether it is the one that was named: an id, a number or an address, in whole."""


class Group(NamedTuple):
    title: str
    hits: list[Hit]


def show_found(request: HttpRequest) -> HttpResponse:
    """The part of the page under the box."""
    text = request.GET.get("s", "").strip()
    groups = find(request, text)
    exact = [hit for group in groups for hit in group.hits if hit.is_exact]
    context = {
        "groups": groups,
        # One alone opens at once; two that bear the same name are for the person to choose from.
        "exact": exact[0] if len(exact) == 1 else None,
        "is_empty": bool(text) and not groups,
        "nothing": said(NOTHING),
        "advice": said(TRY),
    }
    return render(request, "admin_ext/palette_results.html", context)


def find(request: HttpRequest, text: str) -> list[Group]:
    """What the text may mean and this person may see, by kind; kinds without any are left out."""
    user = request.user
    if not isinstance(user, User) or not text or len(text) > MAX_SOUGHT:
        return []
    groups = [Group(said(PAGES), list(_pages(request, text))[:SHOWN])]
    if len(text) >= SHORTEST:
        groups += [
            Group(said(title), search(user, text)[:SHOWN])
            for title, model, search in SEARCHES
            if _may_open(request, model)
        ]
    return [group for group in groups if group.hits]


def _pages(request: HttpRequest, text: str) -> Iterator[Hit]:
    sought = text.casefold()
    site: Any = admin.site
    for group in site.get_sidebar_list(request):
        for item in group["items"]:
            title = str(item["title"])
            if item["has_permission"] and sought in title.casefold():
                about = str(group.get("title") or "")
                yield Hit(title, about, str(item["link"]), item.get("icon") or "article", title.casefold() == sought)


def _orders(user: User, text: str) -> list[Hit]:
    found: Page[OrderDocument] = async_to_sync(look_up)(text, Slice(SHOWN))
    clear, number = sees_contacts(user), number_in(text)
    return [_order(order, clear=clear, is_exact=order["number"] == number) for order in found.documents]


def _order(order: OrderDocument, *, clear: bool, is_exact: bool) -> Hit:
    contact = order["contact"]
    about = (
        gettext(OrderStatus(order["status"]).label),
        contact["name"],
        shown_phone(contact["phone"], clear=clear),
        money_text(order["total"].to_decimal()),
        time_text(order["created_at"]),
    )
    link = reverse("admin:ordering_order_change", args=[order["_id"]])
    return Hit(f"№ {order['number']}", " · ".join(filter(None, about)), link, "receipt_long", is_exact)


def _customers(user: User, text: str) -> list[Hit]:
    ids = find_customers(text, limit=SHOWN)
    people = {person.pk: person for person in User.objects.filter(pk__in=ids)} if ids else {}
    clear = sees_contacts(user)
    return [_customer(people[each], text, clear=clear) for each in ids if each in people]


def _customer(person: User, text: str, *, clear: bool) -> Hit:
    email = shown_email(person.email, clear=clear)
    about = (email if person.name else "", shown_phone(person.phone, clear=clear))
    link = reverse("admin:accounts_customer_change", args=[person.pk])
    is_exact = text == str(person.pk) or normalize_email(text) == person.email
    return Hit(person.name or email, " · ".join(filter(None, about)), link, "person", is_exact)


def _products(user: User, text: str) -> list[Hit]:
    words = words_asked(text)
    if not words:
        return []
    found: Page[ProductDocument] = run_steps(page(Inventory(asked=Filter(wanted=Wanted(words=words))), Slice(SHOWN)))
    return [_product(product, is_exact=product["_id"] == text.upper()) for product in found.documents]


def _product(product: ProductDocument, *, is_exact: bool) -> Hit:
    about = f"{product['_id']} · {money_text(product['price'].to_decimal())}"
    return Hit(
        product["name"], about, reverse("admin:catalog_product_change", args=[product["_id"]]), "smartphone", is_exact
    )


def _may_open(request: HttpRequest, model: type[Model]) -> bool:
    return admin.site.is_registered(model) and admin.site.get_model_admin(model).has_view_permission(request)


SEARCHES: tuple[tuple[Text, type[Model], Callable[[User, str], list[Hit]]], ...] = (
    (ORDERS, Order, _orders),
    (CUSTOMERS, Customer, _customers),
    (PRODUCTS, Product, _products),
)
"""Kinds of things, in the order shown: what they are called, whose pages show them, how they are found."""
