"""The words in which staff read of orders, instead of the codes that are stored."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.utils.functional import lazy
from django.utils.safestring import SafeString

from gateway.audit.trail import Action
from gateway.domain.texts import Text
from gateway.staff.language import said
from ordering.events import BUYER, PAYMENT_SYSTEM, STAFF, SYSTEM, EventType
from ordering.ledger.ledger import Kind, State
from ordering.lifecycle.status_names import STATUS_NAMES
from ordering.models import OrderStatus

S = OrderStatus


class Label(NamedTuple):
    """A coloured label of Unfold."""

    text: str
    kind: str
    """`info`, `success`, `warning`, `danger`, `primary`, or empty for grey."""


STATUSES: Mapping[OrderStatus, tuple[Text, str]] = {
    S.NEW: (STATUS_NAMES[S.NEW], "info"),
    S.PAID: (STATUS_NAMES[S.PAID], "primary"),
    S.PROCESSING: (STATUS_NAMES[S.PROCESSING], "warning"),
    S.SHIPPED: (STATUS_NAMES[S.SHIPPED], "primary"),
    S.DELIVERED: (STATUS_NAMES[S.DELIVERED], "success"),
    S.CANCELLED: (STATUS_NAMES[S.CANCELLED], ""),
    S.EXPIRED: (STATUS_NAMES[S.EXPIRED], ""),
    S.REFUNDED: (STATUS_NAMES[S.REFUNDED], "danger"),
}
MOVES: Mapping[OrderStatus, Text] = {
    S.NEW: Text("Заказ оформлен", "Order placed"),
    S.PAID: Text("Заказ оплачен", "Order paid"),
    S.PROCESSING: Text("Передан в сборку", "Given to packing"),
    S.SHIPPED: Text("Отправлен", "Shipped"),
    S.DELIVERED: Text("Доставлен", "Delivered"),
    S.CANCELLED: Text("Отменён", "Cancelled"),
    S.EXPIRED: Text("Резерв истёк: не оплачен вовремя", "Reservation ended: not paid in time"),
    S.REFUNDED: Text("Возвращён полностью", "Refunded in full"),
}
EVENTS: Mapping[str, Text] = {
    EventType.CREATED.value: MOVES[S.NEW],
    EventType.PAYMENT.value: Text("Пришли деньги", "Money came"),
    EventType.REFUND.value: Text("Возврат", "Refund"),
    EventType.REFUND_FAILED.value: Text("Возврат не дошёл до покупателя", "A refund did not reach the buyer"),
    EventType.REPAYMENT.value: Text("Долг покупателю выплачен", "What was due was paid back"),
    EventType.CHARGEBACK.value: Text("Банк отозвал платёж", "The bank took the payment back"),
    EventType.CHARGEBACK_REVERSED.value: Text("Банк вернул отозванное", "The bank gave back what it had taken"),
    EventType.CLAIMED.value: Text("Гость вошёл: заказ стал его", "The guest signed in: the order became theirs"),
}
KINDS: Mapping[Kind, Text] = {
    Kind.PAYMENT: Text("платёж", "payment"),
    Kind.REFUND: Text("возврат", "refund"),
    Kind.EXCESS: Text("лишнее", "excess"),
    Kind.REPAYMENT: Text("выплата", "repayment"),
    Kind.CHARGEBACK: Text("отозвано банком", "chargeback"),
}
STATES: Mapping[State, tuple[Text, str]] = {
    State.DUE: (Text("вернуть", "due back"), "danger"),
    State.DONE: (Text("проведено", "done"), "success"),
    State.FAILED: (Text("не прошло", "failed"), "warning"),
}
LETTER_STATES: Mapping[str, tuple[Text, str]] = {
    "due": (Text("ждёт отправки", "to be sent"), "info"),
    "sent": (Text("отправлено", "sent"), "success"),
    "failed": (Text("не ушло, повторим", "failed, to be tried again"), "warning"),
    "given_up": (Text("не ушло", "given up"), "danger"),
}
ACTORS: Mapping[str, Text] = {
    BUYER: Text("покупатель", "the buyer"),
    SYSTEM: Text("система", "the system"),
    PAYMENT_SYSTEM: Text("платёжная система", "the payment system"),
    STAFF: Text("сотрудник", "staff"),
}
EDITS: Mapping[str, Text] = {
    Action.ORDER_DETAILS_CHANGED.value: Text("Изменены данные получателя", "Details changed"),
    Action.ORDER_GEOZONE_CHANGED.value: Text("Перенесён в другую геозону", "Moved to another geozone"),
    Action.ORDER_TRACKED.value: Text("Трек-номер", "Tracking number"),
}
CHANGED_FIELDS: Mapping[str, Text] = {
    "geozone": Text("геозона", "geozone"),
    "contact_name": Text("имя", "name"),
    "contact_email": Text("e-mail", "e-mail"),
    "contact_phone": Text("телефон", "telephone"),
    "address_city": Text("город", "city"),
    "address_street": Text("улица", "street"),
    "address_postcode": Text("индекс", "postcode"),
    "address_comment": Text("комментарий", "comment"),
    "tracking": Text("трек-номер", "tracking number"),
    "reserved_until": Text("резерв до", "reserved until"),
}


def lazily_said(text: Text) -> Any:
    """The text in the language of whichever page will show it."""
    return lazy(said, str)(text)


def shown_label(label: Label) -> SafeString:
    return render_to_string("unfold/helpers/label.html", {"type": label.kind, "text": label.text})


def status_label(status: str) -> Label:
    text, kind = STATUSES[OrderStatus(status)]
    return Label(said(text), kind)


def state_label(state: State) -> Label:
    text, kind = STATES[state]
    return Label(said(text), kind)


def letter_label(state: str) -> Label:
    text, kind = LETTER_STATES[state]
    return Label(said(text), kind)


def event_words(kind: str, status: str) -> str:
    """What happened, in a few words."""
    return said(MOVES[OrderStatus(status)] if kind == EventType.MOVED.value else EVENTS.get(kind, Text(kind, kind)))


def actor_name(actor: str, names: Mapping[str, str]) -> str:
    """Who it was: a person by name where `names` has it, a part of the shop by what it is."""
    return said(ACTORS[actor]) if actor in ACTORS else names.get(actor) or actor
