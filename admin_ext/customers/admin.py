"""The customers as staff see them: a list that is searched by index, and a page of each."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from admin_ext.customers.dialogs import DIALOGS, RestoreCart
from admin_ext.customers.page import customer_page
from gateway.accounts.customers.accounts import find_customer
from gateway.accounts.customers.search import find_customers
from gateway.accounts.errors import UnknownAccount
from gateway.accounts.masking import masked_email, masked_phone, sees_contacts
from gateway.accounts.models import Customer, User
from gateway.domain.texts import Text
from gateway.staff.forms import WithDialogs
from gateway.staff.language import staff_language
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles

TITLE = Text("Покупатель {name}", "Customer {name}")


@admin.register(Customer)
class CustomerAdmin(WithDialogs, ReadOnlyAdmin):
    titles = Titles(several=Text("Покупатели", "Customers"), one=Text("Покупатель", "Customer"))
    dialogs = DIALOGS
    ordering = ("-date_joined", "-id")
    search_fields = ("email",)
    search_help_text = "E-mail, телефон в любом виде, слова имени или номер учётной записи, целиком."

    def get_list_display(self, request: HttpRequest) -> list[str | Callable[[Any], str | bool]]:
        if sees_contacts(request.user):
            return ["email", "shown_phone", "shown_name", "date_joined", "state"]
        return ["hidden_email", "hidden_phone", "shown_name", "date_joined", "state"]

    @admin.display(description="телефон")
    def shown_phone(self, customer: Customer) -> str:
        return customer.phone

    @admin.display(description="e-mail")
    def hidden_email(self, customer: Customer) -> str:
        return masked_email(customer.email)

    @admin.display(description="телефон")
    def hidden_phone(self, customer: Customer) -> str:
        return masked_phone(customer.phone)

    @admin.display(description="имя")
    def shown_name(self, customer: Customer) -> str:
        return customer.name

    @admin.display(description="состояние")
    def state(self, customer: Customer) -> str:
        if customer.anonymised_at is not None:
            return "обезличен"
        return "активен" if customer.is_active else "отключён"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Customer]:
        return super().get_queryset(request).filter(is_staff=False)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Customer | None:
        try:
            return find_customer(object_id)
        except UnknownAccount:
            return None

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        if not search_term.strip():
            return queryset, False
        return queryset.filter(pk__in=find_customers(search_term)), False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of one customer. What changes something is a dialog with an address of its own."""
        customer = self.get_object(request, unquote(object_id))
        if not self.has_view_permission(request):
            raise PermissionDenied
        if customer is None:
            raise Http404
        return self.shown(request, customer)

    def shown(self, request: HttpRequest, customer: Customer, *, clear: bool = False) -> HttpResponse:
        """The page; `clear`: with contacts that the person otherwise sees masked."""
        user_id = str(customer.pk)
        page = customer_page(customer, cast("User", request.user), clear=clear)
        may_restore = customer.anonymised_at is None and RestoreCart.is_allowed(request.user)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": TITLE.in_language(staff_language(), name=customer.name or page["email"]),
            "links": self.dialog_links(request, user_id, customer),
            "restore_url": reverse("admin:accounts_customer_restore-cart", args=[user_id]) if may_restore else None,
            **page,
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "admin_ext/customer.html", context, headers={"Cache-Control": "no-store"})
