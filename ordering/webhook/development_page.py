"""A payment page for development: it takes no card, and tells the gateway what the payment system would tell.

Production has no route to it, and its checks refuse settings that lead there.
"""

from decimal import Decimal

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gateway.domain.money import money_text
from gateway.domain.texts import Text, accepted_language
from ordering.ledger.amounts import payable
from ordering.ledger.references import reference_of
from ordering.reading.orders import find_order_by_number
from ordering.webhook.addressee import record_event
from ordering.webhook.events import MoneyEvent
from ordering.webhook.payment_page import PageReference, is_signed
from ordering.webhook.signature import PAYMENT_SUCCEEDED

TEXTS = {
    "title": Text("Оплата заказа", "Payment of order"),
    "rehearsal": Text(
        "Страница для разработки: денег она не берёт, а шлюзу сообщает то же, что сообщила бы платёжная система.",
        "A page for development: it takes no money, and tells the gateway what the payment system would.",
    ),
    "due": Text("К оплате", "To be paid"),
    "pay": Text("Оплатить", "Pay"),
    "decline": Text("Отклонить", "Decline"),
    "paid": Text("Оплата прошла", "The payment went through"),
    "declined": Text(
        "Оплата отклонена, заказ ждёт другой попытки", "The payment was declined; the order waits for another try"
    ),
    "nothing": Text("Этот заказ оплаты не ждёт", "This order waits for no payment"),
    "changed": Text(
        "Сумма заказа изменилась: вернитесь в магазин и начните оплату заново",
        "The amount has changed: go back to the shop and begin to pay anew",
    ),
    "unknown": Text(
        "Ссылка испорчена: вернитесь в магазин и начните оплату заново",
        "The link is damaged: go back to the shop and begin to pay anew",
    ),
    "again": Text("Попробовать ещё раз", "Try again"),
    "back": Text("Вернуться в магазин", "Back to the shop"),
}


@never_cache
@require_http_methods(["GET", "POST"])
def development_payment_page(request: HttpRequest) -> HttpResponse:
    signature = request.GET.get("signature", "")
    reference = PageReference(*(request.GET.get(name, "") for name in PageReference._fields))
    order = find_order_by_number(reference.order) if is_signed(reference, signature) else None
    if order is None:
        return _shown(request, reference, "unknown", status=404)
    if trouble := _trouble(reference, payable(order)):
        return _shown(request, reference, trouble, status=409)
    if request.method == "GET":
        return _shown(request, reference)
    if request.POST.get("outcome") != "pay":
        return _shown(request, reference, "declined", again=True)
    # Two clicks on one page are one payment.
    paid_as = reference_of(f"page-{signature[:32]}", "id")
    record_event(MoneyEvent(PAYMENT_SUCCEEDED, paid_as, order["number"], Decimal(reference.amount), reference.currency))
    return _shown(request, reference, "paid")


def _trouble(reference: PageReference, due: Decimal) -> str | None:
    """Why the order is not to be paid by this page; None: it is."""
    if not due:
        return "nothing"
    return None if Decimal(reference.amount) == due else "changed"


def _shown(
    request: HttpRequest, reference: PageReference, outcome: str = "", *, again: bool = False, status: int = 200
) -> HttpResponse:
    """The page; with an outcome the page about it, `again`: with a way back to the question."""
    language = accepted_language(request.headers.get("accept-language"))
    known = outcome != "unknown"
    values = {
        "language": language,
        "texts": {name: text.in_language(language) for name, text in TEXTS.items()},
        "number": reference.order if known else "",
        "amount": money_text(Decimal(reference.amount), language) if known else "",
        "outcome": outcome,
        "told": TEXTS[outcome].in_language(language) if outcome else "",
        "again": again,
        "address": request.get_full_path(),
        "storefront": settings.STOREFRONT_URL,
    }
    return render(request, "ordering/payment_page.html", values, status=status)
