"""The orders as staff work with them: found, read, and changed by the actions that their state and rights allow."""

from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.staff.forms import WithDialogs
from gateway.staff.language import said
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.times import time_text
from gateway.staff.titles import Titles
from ordering.admin import order_page
from ordering.admin.dialogs import DIALOGS, STEPS
from ordering.admin.order_list import OrderList
from ordering.admin.page_words import page_words
from ordering.admin.words import status_label
from ordering.ledger.fields import ledger_of
from ordering.models import Order

ORDER = Text("Заказ {number}", "Order {number}")


@admin.register(Order)
class OrderAdmin(OrderList, WithDialogs, ReadOnlyAdmin):
    titles = Titles(
        several=Text("Заказы", "Orders"),
        one=Text("Заказ", "Order"),
    )
    dialogs = DIALOGS

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of the order; nothing is sent to it: each action has an address of its own."""
        if not self.has_view_permission(request) or request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        seen = order_page.seen_order(unquote(object_id))
        if seen is None:
            raise Http404
        order, user = seen.order, cast("User", request.user)
        timeline, names = order_page.shown_timeline(seen, user)
        links = [] if seen.is_archived else self.dialog_links(request, order["_id"], order)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "words": page_words(),
            "title": said(ORDER, number=order["number"]),
            "order": order,
            "seen": seen,
            "status": status_label(order["status"]),
            "made": time_text(order["created_at"]),
            "geozone": order_page.geozone_of(order),
            "buttons": links,
            "steps": [dialog.name for dialog in STEPS],
            "allowed": {link.name: link.url for link in links},
            "lines": order_page.shown_lines(order, user),
            "sums": order_page.shown_sums(order),
            "ledger": order_page.shown_ledger(ledger_of(order), names),
            "reservation": order_page.shown_reservation(order),
            "address": order_page.shown_address(order),
            "tracking": order.get("tracking"),
            "timeline": timeline,
            "buyer": order_page.shown_buyer(order, user),
            "copy": None if seen.is_archived else order_page.shown_copy(order),
            "related": order_page.related_orders(order),
            **(extra_context or {}),
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "ordering/admin/order.html", context)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Order | None:
        """For Django's own views, all of which refuse. Without what the ORM cannot take for JSON: amounts and times."""
        return Order.objects.defer("money", "stock_due", "mail_due").filter(id=object_id).first()
