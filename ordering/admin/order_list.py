"""The list of orders: read like the API's, searched inside of its filters, contacts as the person may see them."""

from dataclasses import replace
from typing import Any, cast

from asgiref.sync import async_to_sync
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from catalog.structure.names import geozone_name
from gateway.accounts.masking import masked_email, masked_phone, sees_contacts
from gateway.accounts.models import User
from gateway.audit.trail import Actor, Source
from gateway.domain.texts import Text
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import run, run_steps
from gateway.paging import Page, Placed, Slice
from gateway.staff.language import said, staff_language
from gateway.staff.lists import UNCOUNTED, Asked, PagedByKey
from gateway.staff.money import money_text
from gateway.staff.times import time_text
from ordering.admin.dialogs.dialog import CHANGE
from ordering.admin.filters import FILTERS, narrowing_of
from ordering.admin.page_words import page_words
from ordering.admin.words import MOVES, Label, lazily_said, shown_label, status_label
from ordering.documents import OrderDocument
from ordering.lifecycle.batch import Outcome, advance_orders
from ordering.lifecycle.moves import ADVANCES
from ordering.lifecycle.transitions import Who, is_legal
from ordering.models import OrderStatus
from ordering.reading.listing import Narrowing, listed_orders
from ordering.reading.lookup import MAX_SOUGHT, look_up
from ordering.reading.lookup_keys import keys_sought
from ordering.reading.orders import OrderKey, orders_by_key
from ordering.reading.queues import COUNTED, TO_PACK, TO_SHIP, count_of

OUTCOMES = Text("Переведены заказы: {moved} из {asked}", "Orders moved: {moved} of {asked}")
TO_REFUND = Text("вернуть деньги", "to refund")
ARCHIVED = Text("архив", "archived")
LETTER_LOST = Text("письмо не ушло", "letter not sent")
SEARCHED_BY = Text("Номер, e-mail, телефон, имя, товар, платёж", "Number, e-mail, telephone, name, product, payment")
# The status of what waits in a queue.
STEPS = {TO_PACK.code: OrderStatus.PAID, TO_SHIP.code: OrderStatus.PROCESSING}


class OrderList(PagedByKey):
    list_display = (
        *("shown_number", "shown_time", "shown_status", "shown_geozone"),
        *("shown_buyer", "shown_total", "shown_marks"),
    )
    list_filter = FILTERS
    # The list has a search box; what it looks through is in `page`.
    search_fields = ("number",)
    search_help_text = lazily_said(SEARCHED_BY)
    list_before_template = "ordering/admin/above_list.html"
    list_filter_sheet = True

    @admin.display(description=lazily_said(Text("номер", "number")))
    def shown_number(self, row: Any) -> str:
        number: str = row.document["number"]
        return number

    @admin.display(description=lazily_said(Text("время", "time")))
    def shown_time(self, row: Any) -> str:
        return time_text(row.document["created_at"])

    @admin.display(description=lazily_said(Text("статус", "status")))
    def shown_status(self, row: Any) -> SafeString:
        return shown_label(status_label(row.document["status"]))

    @admin.display(description=lazily_said(Text("геозона", "geozone")))
    def shown_geozone(self, row: Any) -> str:
        return geozone_name(row.document["geozone"])

    @admin.display(description=lazily_said(Text("покупатель", "buyer")))
    def shown_buyer(self, row: Any) -> SafeString:
        contact = row.document["contact"]
        contacts = f"{contact['phone']}, {contact['email']}"
        return format_html('<div>{}<div class="text-subtle">{}</div></div>', contact["name"], contacts)

    @admin.display(description=lazily_said(Text("сумма", "total")))
    def shown_total(self, row: Any) -> str:
        return money_text(row.document["total"].to_decimal())

    @admin.display(description=lazily_said(Text("отметки", "marks")), empty_value="")
    def shown_marks(self, row: Any) -> SafeString:
        return format_html_join(" ", "{}", ((shown_label(label),) for label in marks_of(row.document)))

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[OrderDocument]:
        found = _found(narrowing_of(asked.filters), asked.search, part)
        if sees_contacts(request.user):
            return found
        masked = [Placed(_masked(placed.document), placed.position) for placed in found.placed]
        return replace(found, placed=masked)

    def counted(self, request: HttpRequest, asked: Asked) -> int | None:
        """How many wait in a queue; of no other list anybody needs the number."""
        queue = narrowing_of(asked.filters).queue
        if queue is None or asked.search or len(asked.filters) > 1:
            return UNCOUNTED
        count = count_of(queue)
        return count if count < COUNTED else UNCOUNTED

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, {"words": page_words(), **(extra_context or {})})
        shown = answer.context_data.get("cl") if isinstance(answer, TemplateResponse) and answer.context_data else None
        if shown and (hit := _exact_hit(shown.asked, shown.part, shown.found)):
            return HttpResponseRedirect(reverse("admin:ordering_order_change", args=[hit["_id"]]))
        return answer

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Steps on the way to the buyer; first the one that this list waits for."""
        if not cast("User", request.user).has_perm(CHANGE):
            return {}
        steps = _steps(narrowing_of({name: request.GET[name] for name in ("queue", "status") if name in request.GET}))
        return {to.value: (_advance_selected(to), to.value, said(MOVES[to])) for to in steps}

    def advance(self, request: HttpRequest, to: OrderStatus) -> HttpResponse:
        """Move the ticked orders; each for itself, with what became of it."""
        ids = list(dict.fromkeys(request.POST.getlist(ACTION_CHECKBOX_NAME)))[: self.list_per_page]
        outcomes = advance_orders(ids, to, actor=Actor.account(cast("User", request.user), Source.ADMIN))
        moved = sum(outcome.order is not None for outcome in outcomes)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "words": page_words(),
            "title": said(OUTCOMES, moved=moved, asked=len(outcomes)),
            "outcomes": _shown_outcomes(outcomes),
            "back": request.get_full_path(),
        }
        return TemplateResponse(request, "ordering/admin/outcomes.html", context)


def marks_of(order: OrderDocument) -> list[Label]:
    marks = {
        Label(said(TO_REFUND), "danger"): order["to_refund"],
        Label(said(LETTER_LOST), "warning"): order.get("mail_given_up", False),
        Label(said(ARCHIVED), ""): is_archived(order),
    }
    return [label for label, holds in marks.items() if holds]


def is_archived(order: OrderDocument) -> bool:
    """Whether it came from Cassandra: such a copy has no marks of the sync."""
    return "synced_version" not in order


def _found(narrowing: Narrowing, text: str, part: Slice) -> Page[OrderDocument]:
    if not text:
        return run(listed_orders(narrowing, part))
    if len(text) > MAX_SOUGHT:
        return Page([], has_next=False, has_previous=False)
    # A search is read forward only: whoever goes back begins anew.
    forward = Slice(part.size) if part.backward else part
    page: Page[OrderDocument] = async_to_sync(look_up)(text, forward, narrowing)
    return replace(page, has_previous=False)


def _exact_hit(asked: Asked, part: Slice, page: Page[OrderDocument]) -> OrderDocument | None:
    """The only order that the text means as a whole: by number, address, telephone, reference or id, not by a name."""
    if not asked.search or part.beyond or page.has_next or len(page.placed) != 1:
        return None
    (order,) = page.documents
    return order if set(order["keys"]) & set(keys_sought(asked.search).any_of) else None


def _masked(order: OrderDocument) -> OrderDocument:
    contact = order["contact"]
    hidden = {"email": masked_email(contact["email"]), "phone": masked_phone(contact["phone"])}
    return {**order, "contact": {**contact, **hidden}}  # type: ignore[typeddict-item]


def _steps(narrowing: Narrowing) -> list[OrderStatus]:
    status = narrowing.status or (STEPS.get(narrowing.queue.code) if narrowing.queue else None)
    advances = [to for to in OrderStatus if to in ADVANCES]
    return sorted(advances, key=lambda to: not (status and is_legal(status, to, Who.STAFF)))


def _advance_selected(to: OrderStatus) -> Any:
    def act(model_admin: OrderList, request: HttpRequest, queryset: Any) -> HttpResponse:
        return model_admin.advance(request, to)

    return act


def _shown_outcomes(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    known = run_steps(orders_by_key([OrderKey(None, each.order_id) for each in outcomes], ORDER_STATUS))
    return [
        {
            "number": known[each.order_id]["number"] if each.order_id in known else each.order_id,
            "url": reverse("admin:ordering_order_change", args=[each.order_id]),
            "status": status_label(each.order["status"]) if each.order else None,
            "refusals": [reason.message(staff_language()) for reason in each.refusal or ()],
        }
        for each in outcomes
    ]
