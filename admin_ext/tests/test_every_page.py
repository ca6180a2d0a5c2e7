"""Every page of the admin and every action on it, as every role: what a role may open follows from its declaration.

A page that nobody has thought of has no expectation here, and fails.
"""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import pytest
from django.contrib import admin
from django.contrib.admin.options import ModelAdmin
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pymongo.database import Database

from admin_ext.jobs.pages.access import CONTROLS
from gateway.accounts.demo import GROUPS, PASSWORD
from gateway.accounts.models import User
from gateway.accounts.roles import ROLES
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.forms import WithDialogs
from gateway.staff.tests.browser import signed_in

pytestmark = pytest.mark.usefixtures("patient")

LOGINS = [*GROUPS, "customer"]
NOBODY = frozenset({"nobody has this right"})
EVERYBODY: frozenset[str] = frozenset()

# Of no model: whoever is staff may open them, or anybody.
OWN_PAGES = {
    "index",
    "jsi18n",
    "password_change",
    "password_change_done",
    "search",
    "staff_second_factor",
    "staff_second_factor_set_up",
}
WITHOUT_SIGNING_IN = {"login", "logout", "set_language", "admin_password_reset", "staff_password", "staff_invitation"}
# Django's own, which ask for more than an address: what they do is asked of the models' own rights.
NOT_PAGES = {"autocomplete", "view_on_site", "app_list", None}

# Rights of a model's pages other than Django's own, `view_order` of «order» and so on.
SEEN_BY = {"ordering_straymoney": "ordering.view_order"}
READ_ONLY = {
    "accounts_customer",
    "auth_group",
    "audit_auditentry",
    "cart_abandonedcartday",
    "catalog_reservationfinding",
    "jobs_job",
    "catalog_searchmiss",
    "ordering_order",
    "ordering_straymoney",
    "sheets_sheetimport",
}
IMPORT = {"catalog.add_product", "catalog.change_product"}
SALES_BOARDS = {"ordering.view_salesquarter", "ordering.view_order"}
FURTHER: dict[str, Collection[str]] = {
    "audit_auditentry_people": {"audit.view_auditentry"},
    "board_today": SALES_BOARDS,
    "board_sales": SALES_BOARDS,
    "board_carts": {"cart.view_abandonedcartday"},
    "board_prices": {"audit.view_auditentry"},
    "bulk_change": {"catalog.change_product"},
    "catalog_product_discounts": {"catalog.view_product"},
    "catalog_product_history": {"catalog.view_product", "audit.view_auditentry"},
    "catalog_product_preview": {"catalog.view_product"},
    "catalog_product_pictures": {"catalog.change_product"},
    "catalog_product_suggestions": {"catalog.view_product"},
    # Everybody has a list of jobs, their own at least.
    **dict.fromkeys(["jobs_job_changelist", "jobs_job_views", "jobs_job_notices"], EVERYBODY),
    **{f"jobs_job_{name}": {"jobs.view_job"} for name in ("progress", "remarks", *(each.name for each in CONTROLS))},
    "import_products": IMPORT,
    "import_template": IMPORT,
    "export_products": {"catalog.view_product"},
    **{f"stock_{name}": {"catalog.view_product"} for name in ("low", "low_file", "sheet", "history")},
    "stock_cell": {"catalog.view_product", "catalog.change_stocklevel"},
    "sheet_file": {"catalog.view_product"},
    "sheets_sheetimport_changelist": {"catalog.view_product"},
    "sheets_sheetimport_views": {"catalog.view_product"},
    **{f"sheets_sheetimport_{name}": IMPORT for name in ("change", "progress", "load", "check", "refused")},
    "catalog_category_tree": {"catalog.change_category"},
}
# Of addresses that are not the admin site's own.
OUTSIDE = ("staff_", "board_", "stock_")


class Page(NamedTuple):
    name: str
    takes_object: bool


def _pages() -> Iterator[Page]:
    """Every address under /admin/ that has a name."""
    for pattern in _walk(get_resolver().url_patterns, ""):
        if pattern.name not in NOT_PAGES:
            yield Page(str(pattern.name), "object_id" in pattern.pattern.converters)


def _walk(patterns: Any, prefix: str) -> Iterator[URLPattern]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif route.startswith("admin/"):
            yield pattern


def _needed(page: str) -> frozenset[str] | None:
    """The rights that the page wants; None: nobody has said."""
    if page in OWN_PAGES:
        return EVERYBODY
    if (name := page.removesuffix("_csv")) in FURTHER:
        return frozenset(FURTHER[name])
    for model, model_admin in admin.site._registry.items():
        prefix = f"{model._meta.app_label}_{model._meta.model_name}"
        if page.startswith(f"{prefix}_"):
            return _needed_of(prefix, page.removeprefix(f"{prefix}_"), model_admin)
    return None


def _needed_of(prefix: str, page: str, model_admin: "ModelAdmin[Any]") -> frozenset[str] | None:
    app, model = prefix.split("_")
    dialogs = {each.name: each for each in model_admin.dialogs} if isinstance(model_admin, WithDialogs) else {}
    if page in dialogs:
        return frozenset(dialogs[page].permissions)
    match page:
        case "history":
            # Leads to the audit, which has a right of its own.
            return EVERYBODY
        case "changelist" | "change" | "views":
            return frozenset({SEEN_BY.get(prefix, f"{app}.view_{model}")})
        case "add":
            return NOBODY if prefix in READ_ONLY else frozenset({f"{app}.add_{model}"})
        case "delete":
            never = prefix in READ_ONLY or prefix in {"accounts_user", "catalog_product"}
            return NOBODY if never else frozenset({f"{app}.delete_{model}"})
    return None


def _rights(login: str) -> frozenset[str] | None:
    """None: no member of staff."""
    return ROLES[GROUPS[login]] if login in GROUPS else None


@pytest.fixture
def objects(orders: Database[Document], like: Document) -> dict[str, str]:
    """An object for the pages of each model, by the model; others are opened with an id that there is not."""
    make_demo_accounts()
    orders["orders"].delete_many({})
    orders["orders"].insert_one(like)
    colleague = User.objects.create_user("colleague@mobile-world.example", PASSWORD, is_staff=True)
    return {
        "accounts_user": str(colleague.pk),
        "accounts_customer": str(User.objects.create_user("somebody@example.com", name="Кто-то").pk),
        "auth_group": str(Group.objects.first().pk),  # type: ignore[union-attr]
        "catalog_product": "PROD-1",
        "catalog_category": "audio",
        "catalog_geozone": "msk",
        "ordering_order": like["_id"],
    }


def _address(page: Page, objects: dict[str, str]) -> str:
    name = page.name if page.name.startswith(OUTSIDE) else f"admin:{page.name}"
    if not page.takes_object:
        return reverse(name)
    app, model, *_ = page.name.split("_")
    return reverse(name, args=[objects.get(f"{app}_{model}", "nothing")])


def test_every_page_has_an_expectation() -> None:
    unknown = {page.name for page in _pages() if page.name not in WITHOUT_SIGNING_IN and _needed(page.name) is None}

    assert unknown == set()


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("login", LOGINS)
def test_every_page_as_every_role(login: str, method: str, objects: dict[str, str]) -> None:
    browser, rights = signed_in(login), _rights(login)
    wrong = {}
    for page in _pages():
        needed = _needed(page.name)
        if page.name in WITHOUT_SIGNING_IN or needed is None:
            continue
        status = getattr(browser, method)(_address(page, objects)).status_code
        if rights is None:
            # No member of staff: sent to the page of signing in.
            fits = status == 302
        elif needed <= rights:
            # Read-only pages take no POST, which is no question of rights.
            fits = status < 500 and (status != 403 or method == "post")
        else:
            fits = status in (403, 405)
        if not fits:
            wrong[page.name] = status
    assert wrong == {}


@pytest.mark.parametrize("login", GROUPS)
def test_dialogs_take_a_form_from_those_who_may(login: str, objects: dict[str, str]) -> None:
    """A dialog that refuses an empty form shows it again; it never forbids what the right allows."""
    browser, rights = signed_in(login), ROLES[GROUPS[login]]
    forbidden = []
    for model, model_admin in admin.site._registry.items():
        if not isinstance(model_admin, WithDialogs):
            continue
        prefix = f"{model._meta.app_label}_{model._meta.model_name}"
        for dialog in model_admin.dialogs:
            address = reverse(f"admin:{prefix}_{dialog.name}", args=[objects.get(prefix, "nothing")])
            status = browser.post(address).status_code
            if (status == 403) is (set(dialog.permissions) <= rights) and dialog.name != "contacts":
                forbidden.append((prefix, dialog.name, status))
    assert forbidden == []


def test_nobody_comes_in_without_signing_in(objects: dict[str, str]) -> None:
    pages = [page for page in _pages() if page.name not in WITHOUT_SIGNING_IN]

    statuses = {page.name: Client().get(_address(page, objects)).status_code for page in pages}

    assert {name: status for name, status in statuses.items() if status != 302} == {}
