"""The pages beside the form of a product, and the way from one to the other."""

from typing import Any, ClassVar, NamedTuple, TypeVar

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from catalog.admin.list_panel import address_of
from catalog.admin.product.dialog import product_page
from catalog.admin.product.discount_dialogs import CancelDiscount, PlanDiscount
from catalog.admin.product.discounts import discounts_page
from catalog.admin.product.history import history_page
from catalog.admin.product.preview import preview_page
from catalog.admin.product.take_back import TakeBack
from catalog.products.cards import product_for_staff
from catalog.products.visibility import appearance
from gateway.accounts.models import User
from gateway.audit.lines import READ_AUDIT
from gateway.domain.texts import Text
from gateway.mongo.reads import Steps, run_steps
from gateway.staff.forms import ActionDialog, WithDialogs
from gateway.staff.language import said
from gateway.staff.titles import Titled

T = TypeVar("T")

VIEW = "catalog.view_product"
# Each page with what it is called and who may open it.
PAGES = {
    "change": (Text("Товар", "Product"), {VIEW}),
    "preview": (Text("Как видит магазин", "As the shop shows it"), {VIEW}),
    "discounts": (Text("Скидки по расписанию", "Planned discounts"), {VIEW}),
    "history": (Text("История", "History"), {VIEW, READ_AUDIT}),
}
STOCK = Text("История остатков", "Stock history")
PRODUCT_DIALOGS: tuple[type[ActionDialog], ...] = (PlanDiscount, CancelDiscount, TakeBack)


class Tab(NamedTuple):
    title: str
    url: str
    is_current: bool


class ProductPages(WithDialogs, Titled):
    """Mixed into the admin of products: three pages with their dialogs, and the tabs that lead to them."""

    dialogs: ClassVar[tuple[type[ActionDialog], ...]] = PRODUCT_DIALOGS
    change_form_outer_before_template = "catalog/admin/product/tabs.html"

    def get_urls(self) -> list[URLPattern]:
        views = {"preview": self.preview_view, "discounts": self.discounts_view}
        own = [
            path(f"<path:object_id>/{page}/", self.admin_site.admin_view(view), name=f"catalog_product_{page}")
            for page, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        tabs = tabs_of(unquote(object_id), "change", request.user) if object_id else []
        given = {"product_tabs": tabs, **(extra_context or {})}
        return super().changeform_view(request, object_id, form_url, given)

    def preview_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        user = _reader(request, "preview")
        seen = _found(appearance(unquote(object_id)))
        return self._page(request, "preview", seen.product, preview_page(seen, user))

    def discounts_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        user = _reader(request, "discounts")
        product = _found(product_for_staff(unquote(object_id)))
        return self._page(request, "discounts", product, discounts_page(product, user))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The audit of this product, with a way back from each change."""
        user = _reader(request, "history")
        product = _found(product_for_staff(unquote(object_id)))
        return self._page(request, "history", product, history_page(product["_id"], request.GET, user))

    def _page(self, request: HttpRequest, page: str, product: Any, context: dict[str, Any]) -> HttpResponse:
        request.current_app = self.admin_site.name
        given = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": product["name"],
            "list_title": self.list_title(),
            "product_id": product["_id"],
            "product_tabs": tabs_of(product["_id"], page, request.user),
            **context,
        }
        return TemplateResponse(request, f"catalog/admin/product/{page}.html", given)


def tabs_of(product_id: str, current: str, user: Any) -> list[Tab]:
    """The product's pages that this person may open."""
    tabs = [
        Tab(said(title), product_page(page, product_id), page == current)
        for page, (title, rights) in PAGES.items()
        if user.has_perms(rights)
    ]
    # A page of whoever knows the orders too.
    stock = address_of("stock_history", product_id)
    return [*tabs, Tab(said(STOCK), stock, is_current=False)] if stock and user.has_perm(VIEW) else tabs


def _reader(request: HttpRequest, page: str) -> User:
    user = request.user
    if not isinstance(user, User) or not user.has_perms(PAGES[page][1]) or request.method not in ("GET", "HEAD"):
        raise PermissionDenied
    return user


def _found(steps: Steps[T | None]) -> T:
    found = run_steps(steps)
    if found is None:
        raise Http404
    return found
