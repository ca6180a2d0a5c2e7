"""Pictures of the main pages, from the demo shop: `make screenshots`. No test: nothing collects it but its name."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import Browser
from pymongo.database import Database

from admin_ext.boards.tests.figures import cart_day, keep, quarter, summed_until
from admin_ext.bulk.kinds import bulk_submission
from admin_ext.job_kinds import KINDS
from admin_ext.jobs.queue import submit
from admin_ext.jobs.runner import run
from cart.line_checks import LineWanted
from cart.lines import add_lines
from catalog.bulk.change import checked_change
from catalog.bulk.operations import Round, ShiftByPercent
from catalog.bulk.rounding import Ending
from catalog.listing.selection import Selection
from catalog.products.cards import ProductKey
from gateway.accounts.demo import DOMAIN, ensure_demo_accounts
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.audit.tests.entries import entry, write
from gateway.audit.trail import Actor, Source
from gateway.mongo.client import Document
from gateway.sync.copy import copy_documents
from gateway.tests.browser import DESKTOP, PHONE, Scheme, Size, Tabs, signed_in
from gateway.tests.web_servers import Server
from ordering.cassandra.sync import SYNCED
from ordering.checkout.checkout import check_out
from ordering.checkout.holds import settle_queued
from ordering.checkout.request import Purchase
from ordering.documents import OrderDocument
from ordering.events import BY_PAYMENT_SYSTEM
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.contacts import AddressDetails, ContactDetails
from ordering.lifecycle.moves import advance_order
from ordering.lifecycle.notes import add_note
from ordering.lifecycle.tracking import set_tracking
from ordering.mail.delivery import send_due_mails
from ordering.models import OrderStatus
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.payments.refunds import Refunding, refund_order

FOLDER = Path(os.environ.get("SCREENSHOTS") or settings.BASE_DIR / ".local" / "screenshots")
PRODUCTS = 300
# A list of fifty on a phone is longer than anybody looks at.
TALLEST = 3000
GEOZONE = "msk"
SIZES: Mapping[str, Size] = {"1366": DESKTOP, "390": PHONE}
PEOPLE = (
    ContactDetails("Иван Покупатель", "ivan@example.com", "+7 999 123-45-67"),
    ContactDetails("Анна Ёлкина", "anna.elkina@example.com", "+7 916 555-01-02"),
    ContactDetails("Пётр Кузнецов", "kuznetsov.p@example.com", "+7 903 700-10-20"),
    ContactDetails("Мария Смирнова", "smirnova@example.com", "+7 921 310-44-55"),
)
STREETS = ("Тверская, 1, кв. 14", "Ленинский проспект, 42", "Большая Ордынка, 7, стр. 2", "Мясницкая, 20")
# What becomes of them, one after the other: most of a day's orders go their way.
FATES = (
    OrderStatus.DELIVERED,
    OrderStatus.NEW,
    OrderStatus.PAID,
    OrderStatus.PROCESSING,
    OrderStatus.PAID,
    OrderStatus.SHIPPED,
)
WAY = (OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED)


@dataclass(frozen=True)
class Shop:
    customer_id: str
    order_id: str
    product_id: str
    job_id: str


@dataclass(frozen=True)
class Picture:
    name: str
    path: str
    login: str | None = "support"
    schemes: Sequence[Scheme] = ("light",)


def pictures(shop: Shop) -> list[Picture]:
    orders, order = "/admin/ordering/order/", f"/admin/ordering/order/{shop.order_id}"
    homes = [Picture(f"home-{login}", "/admin/", login) for login in ("merchandiser", "staff")]
    return [
        Picture("login", "/admin/login/", None, ("light", "dark")),
        Picture("home-support", "/admin/", schemes=("light", "dark")),
        *homes,
        Picture("orders", orders, schemes=("light", "dark")),
        Picture("orders-to-pack", f"{orders}?queue=to_pack"),
        Picture("order", f"{order}/change/", schemes=("light", "dark")),
        Picture("refund", f"{order}/refund/"),
        *_of_merchandisers(shop),
        Picture("customers", "/admin/accounts/customer/"),
        Picture("customer", f"/admin/accounts/customer/{shop.customer_id}/change/", "staff"),
        Picture("staff", "/admin/accounts/user/", "staff"),
        Picture("audit", "/admin/audit/auditentry/", "staff"),
        *(
            Picture(f"board-{board}", f"/admin/boards/{board}/", "merchandiser", ("light", "dark"))
            for board in ("today", "sales", "carts", "prices")
        ),
        Picture("not-found", "/admin/nothing/"),
    ]


def _of_merchandisers(shop: Shop) -> list[Picture]:
    products, product = "/admin/catalog/product/", f"/admin/catalog/product/{shop.product_id}"
    light: Sequence[Scheme] = ("light",)
    both: Sequence[Scheme] = ("light", "dark")
    pages = (
        ("products", products, both),
        ("products-edited", f"{products}?category=smartphones&edit=1", light),
        ("product", f"{product}/change/", both),
        ("product-new", f"{products}add/", light),
        ("product-preview", f"{product}/preview/", light),
        ("product-discounts", f"{product}/discounts/", light),
        ("product-history", f"{product}/history/", light),
        ("bulk-change", "/admin/jobs/job/bulk-change/?category=smartphones", light),
        ("job", f"/admin/jobs/job/{shop.job_id}/change/", both),
        ("jobs", "/admin/jobs/job/", light),
        ("import", "/admin/sheets/sheetimport/upload/", light),
        ("imports", "/admin/sheets/sheetimport/", light),
        ("export", "/admin/sheets/sheetimport/export/?category=smartphones", light),
        ("stock-low", "/admin/stock/low/", light),
        ("stock-sheet", "/admin/stock/sheet/", both),
        ("stock-history", f"/admin/stock/history/{shop.product_id}/", light),
        ("categories", "/admin/catalog/category/", both),
        ("geozones", "/admin/catalog/geozone/", light),
    )
    return [Picture(name, path, "merchandiser", schemes) for name, path, schemes in pages]


def test_pictures(browser: Browser, serve: Callable[..., Server], shop: Shop) -> None:
    # As in production: an error has a page of ours.
    address = str(serve(DEBUG="false").client.base_url)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for width, size in SIZES.items():
        for scheme in ("light", "dark"):
            for login in (None, "support", "merchandiser", "staff"):
                wanted = [each for each in pictures(shop) if each.login == login and scheme in each.schemes]
                _take(Tabs(browser, address), wanted, size, scheme, width)


def _take(tabs: Tabs, wanted: list[Picture], size: Size, scheme: Scheme, width: str) -> None:
    """All of one person's pictures in one tab."""
    if wanted:
        page = tabs.open(size, scheme)
        if wanted[0].login:
            signed_in(page, wanted[0].login)
        for picture in wanted:
            page.goto(picture.path)
            page.evaluate("document.fonts.ready")
            # As tall as the page, so that what sticks to the bottom of the window stands at its end.
            content: int = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({"width": size.width, "height": min(max(size.height, content), TALLEST)})
            page.screenshot(path=FOLDER / f"{picture.name}-{width}-{scheme}.png")
            page.set_viewport_size({"width": size.width, "height": size.height})
    tabs.close()


@pytest.fixture
def shop(database: Database[Document]) -> Shop:
    """The demo shop after a day of orders, one of them with all that can happen to one."""
    call_command("load_demo", "--products", str(PRODUCTS), stdout=StringIO())
    ensure_demo_accounts()
    customer = User.objects.get(email=f"customer@{DOMAIN}")
    olga = Actor.account(User.objects.get(email=f"support@{DOMAIN}"), Source.ADMIN)
    products = list(
        database["products"].find(
            {"withdrawn": False, "stock": {"$elemMatch": {"geozone": GEOZONE, "quantity": {"$gt": 20}}}}, limit=24
        )
    )
    orders = []
    for number in range(18):
        owner = customer_owner(customer.pk if number % 3 == 0 else f"{number:024x}")
        order = _bought(owner, number, products[number : number + 3 - number % 3])
        orders.append(_moved(order, FATES[number % len(FATES)], number, olga))
    rich = orders[-6]
    _refund_one_piece(rich, olga)
    for order in orders:
        send_due_mails(order["_id"])
    copy_documents(SYNCED, list(database["orders"].find()))
    _figures_of(database)
    return Shop(str(customer.pk), rich["_id"], products[0]["_id"], _lowered(products[0]["category"]))


def _lowered(category: str) -> str:
    """A bulk change of the category that has been done, its job's id."""
    marina = Actor.account(User.objects.get(email=f"merchandiser@{DOMAIN}"), Source.ADMIN)
    change = checked_change([ShiftByPercent(Decimal(-10)), Round(Ending.NINE)])
    wanted = bulk_submission(Selection(filters={"category": category}), change, reason="Осенняя распродажа")
    job_id = submit(wanted, actor=marina)["_id"]
    run(job_id, KINDS)
    return job_id


def _figures_of(database: Database[Document]) -> None:
    """What the boards show: a fortnight of sales and carts, and prices that moved."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    hour = now.replace(minute=0)
    zones = [zone["_id"] for zone in database["geozones"].find(limit=6)]
    keep(
        "sales_quarters",
        *(
            quarter(
                hour - timedelta(hours=number),
                zone,
                orders=2 + number % (3 + each),
                paid=900 * (1 + number * number % (7 + each)),
                refunded=20 * each,
            )
            for number in range(24 * 14)
            for each, zone in enumerate(zones)
        ),
    )
    summed_until(now)
    names = {each["_id"]: each["name"] for each in database["products"].find(limit=8)}
    for number in range(1, 15):
        day = now.replace(hour=0, minute=0) - timedelta(days=number)
        keep("abandoned_cart_days", *(cart_day(day, zone, number + each, names) for each, zone in enumerate(zones)))
    marina = User.objects.get(email=f"merchandiser@{DOMAIN}")
    write(
        *(
            entry(
                at=now - timedelta(days=number % 6, minutes=number),
                target=f"product:{product_id}",
                changes={"base_price": ["10990.00", f"{10_990 + 700 * (number - 3)}.00"]},
                actor_id="" if number % 4 == 0 else str(marina.pk),
                actor="discounts" if number % 4 == 0 else marina.email,
            )
            for number, product_id in enumerate(names)
        )
    )


def _bought(owner: str, number: int, products: Sequence[Document]) -> OrderDocument:
    lines = [LineWanted(ProductKey(each["category"], each["_id"]), 1 + number % 2) for each in products]
    add_lines(owner, lines, GEOZONE)
    wanted = Purchase(
        geozone=GEOZONE,
        contact=PEOPLE[0 if number % 3 == 0 else number % len(PEOPLE)],
        shipping_address=AddressDetails("Москва", STREETS[number % len(STREETS)], "101000", "Позвонить за час"),
        expected_total=Decimal(10) ** 9,
    )
    order = check_out(owner, wanted).order
    settle_queued()
    return order


def _moved(order: OrderDocument, fate: OrderStatus, number: int, actor: Actor) -> OrderDocument:
    if fate is OrderStatus.NEW:
        return order
    money = IncomingMoney(order["total"].to_decimal(), Reference(f"pay-{4000 + number}"), "webhook", BY_PAYMENT_SYSTEM)
    order = receive_payment(order["_id"], money)
    for status in WAY[: WAY.index(fate) + 1] if fate in WAY else ():
        if status is OrderStatus.SHIPPED:
            set_tracking(order["_id"], "СДЭК", f"10{number:08}", actor=actor)
        order = advance_order(order["_id"], status, actor=actor)
    return order


def _refund_one_piece(order: OrderDocument, actor: Actor) -> None:
    add_note(order["_id"], "Покупатель просит забрать возврат курьером, @support в курсе.", actor=actor)
    product_id = order["items"][0]["product_id"]
    lines = (RefundLine(product_id, 1),)
    refunding = Refunding(lines, "Не подошёл цвет", Reference("re-4100"), {product_id: 1}, actor)
    refund_order(order["_id"], refunding, limit=None)
