"""The sidebar: what this person may open, and how much waits there."""

from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from admin_ext.boards.boards import boards_of
from admin_ext.counters import waiting
from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.staff.language import said
from ordering.reading.queues import BEHIND, QUEUES, STRAY, Queue, queues_for


class Page(NamedTuple):
    """The list of a model."""

    title: Text
    icon: str
    model: str
    """`<app>.<model>`. One that has no page is left out."""


class OwnPage(NamedTuple):
    """A page that is no model's."""

    title: Text
    icon: str
    address: str
    """The name of its address."""
    right: str


class Group(NamedTuple):
    title: Text
    pages: tuple[Page | OwnPage, ...]


HOME = Text("Рабочий стол", "Home")
WORK = Text("Работа", "Work")
MACHINERY = Text("Машинерия", "Machinery")

SEE_STOCK = "catalog.view_product"

ORDERS = Page(Text("Заказы", "Orders"), "receipt_long", "ordering.Order")
CUSTOMERS = Page(Text("Покупатели", "Customers"), "group", "accounts.Customer")
FINDINGS_PAGE = Page(Text("Расхождения резервов", "Reservation findings"), "rule", "catalog.ReservationFinding")
STRAY_MONEY = Page(STRAY.title, "money_off", "ordering.StrayMoney")
PRODUCTS = Page(Text("Товары", "Products"), "smartphone", "catalog.Product")
ABANDONED = Page(Text("Корзины по дням", "Carts by day"), "remove_shopping_cart", "cart.AbandonedCartDay")
LOW_STOCK = OwnPage(Text("Мало на складе", "Low stock"), "production_quantity_limits", "stock_low", SEE_STOCK)
STOCK_SHEET = OwnPage(Text("Лист остатков", "Stock sheet"), "inventory", "stock_sheet", SEE_STOCK)
CATALOG = Group(
    Text("Каталог", "Catalog"),
    (
        PRODUCTS,
        LOW_STOCK,
        STOCK_SHEET,
        Page(Text("Импорт и экспорт", "Import and export"), "swap_vert", "sheets.SheetImport"),
        Page(Text("Задания", "Jobs"), "pending_actions", "jobs.Job"),
        Page(Text("Категории", "Categories"), "account_tree", "catalog.Category"),
        Page(Text("Геозоны", "Geozones"), "map", "catalog.Geozone"),
        Page(Text("Синонимы поиска", "Search synonyms"), "join_inner", "catalog.SynonymGroup"),
        Page(Text("Искали и не нашли", "Searched, not found"), "search_off", "catalog.SearchMiss"),
    ),
)
REPORTS = Group(
    Text("Отчёты", "Reports"),
    (
        ABANDONED,
        Page(Text("Журнал", "Journal"), "history", "audit.AuditEntry"),
    ),
)
TEAM = Group(
    Text("Команда", "Team"),
    (
        Page(Text("Сотрудники", "Staff"), "badge", "accounts.User"),
        Page(Text("Роли", "Roles"), "verified_user", "auth.Group"),
    ),
)
QUEUE_ICONS = {
    "to_pack": "package_2",
    "to_ship": "local_shipping",
    "to_refund": "currency_exchange",
    "stray_money": "money_off",
    "expiring": "hourglass_bottom",
    "letters_given_up": "unsubscribe",
    "behind": "sync_problem",
}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """The groups as Unfold draws them; none is empty. Reads the counters, nothing else."""
    queues = queues_for(request.user) if isinstance(request.user, User) else []
    index = reverse("admin:index")
    groups = [
        _group(
            WORK,
            *_pages(request, ORDERS),
            *(_queue(request, queue) for queue in queues if queue is not BEHIND),
            *_pages(request, CUSTOMERS),
        ),
        _group(CATALOG.title, *_pages(request, *CATALOG.pages)),
        _group(REPORTS.title, *_boards(request), *_pages(request, *REPORTS.pages)),
        _group(
            MACHINERY,
            *(_queue(request, queue) for queue in queues if queue is BEHIND),
            *_pages(request, FINDINGS_PAGE, *(() if STRAY in queues else (STRAY_MONEY,))),
        ),
        _group(TEAM.title, *_pages(request, *TEAM.pages)),
    ]
    home = _item(HOME, "space_dashboard", index, is_active=request.path == index)
    return [{"items": [home]}, *(group for group in groups if group["items"])]


def link_to(request: HttpRequest, page: Page | OwnPage) -> str | None:
    """The address of the page; None when there is none, or this person may not open it."""
    if isinstance(page, OwnPage):
        may_open = isinstance(request.user, User) and request.user.has_perm(page.right)
        return reverse(page.address) if may_open else None
    model = apps.get_model(page.model)
    if not admin.site.is_registered(model) or not admin.site.get_model_admin(model).has_view_permission(request):
        return None
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def _group(title: Text, *items: dict[str, Any]) -> dict[str, Any]:
    return {"title": said(title), "items": list(items)}


def _pages(request: HttpRequest, *pages: Page | OwnPage) -> list[dict[str, Any]]:
    return [
        _item(page.title, page.icon, link, is_active=_is_within(request, link))
        for page in pages
        if (link := link_to(request, page))
    ]


def _boards(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        _item(board.title, board.icon, board.url, is_active=request.path == board.url) for board in boards_of(request)
    ]


def _queue(request: HttpRequest, queue: Queue) -> dict[str, Any]:
    icon = QUEUE_ICONS.get(queue.code, "inbox")
    item = _item(queue.title, icon, queue.url, is_active=_is_shown(request, queue))
    told = waiting(queue)
    return {**item, "badge": told.shown, "badge_variant": "primary"} if told and told.number else item


def _item(title: Text, icon: str, link: str, *, is_active: bool) -> dict[str, Any]:
    return {"title": said(title), "icon": icon, "link": link, "active": is_active}


def _is_within(request: HttpRequest, link: str) -> bool:
    """Whether the page is the list or one of its objects; a queue of the list is an item of its own."""
    return request.path.startswith(link) and not any(_is_shown(request, queue) for queue in QUEUES)


def _is_shown(request: HttpRequest, queue: Queue) -> bool:
    path, _, query = queue.url.partition("?")
    return request.path == path and all(request.GET.get(name) == value for name, value in parse_qsl(query))
