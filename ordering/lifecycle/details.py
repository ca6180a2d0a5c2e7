"""Contact and address of an order, corrected by staff before it is sent."""

from typing import Any, NamedTuple

from gateway.audit.trail import Action, Actor
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import text_errors
from ordering.documents import OrderDocument
from ordering.errors import OrderBusy, SentOrClosed
from ordering.events import EventType
from ordering.ledger.fields import ledger_of
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.contacts import AddressDetails, ContactDetails, address_errors, contact_errors
from ordering.lifecycle.moves import MAX_NOTE
from ordering.lifecycle.status_names import STATUS_NAMES
from ordering.models import OrderStatus
from ordering.reading.lookup_keys import order_keys
from ordering.reading.orders import order_to_change

BEFORE_SENDING = frozenset({OrderStatus.NEW, OrderStatus.PAID, OrderStatus.PROCESSING})


class Details(NamedTuple):
    """What the order is to have; None: stays."""

    contact: ContactDetails | None
    address: AddressDetails | None


def update_details(
    order_id: str, details: Details, *, reason: str, actor: Actor, owner: str | None = None
) -> OrderDocument:
    """Give the order this contact and address; returns it, as it was when they are the same.

    Letters that are still due go to the new contact, and support finds the order by it. Raises SentOrClosed.
    """
    wanted = _checked(details, reason)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        changes = {name: value for name, value in wanted.items() if value != order[name]}  # type: ignore[literal-required]
        if not changes:
            return order
        status = OrderStatus(order["status"])
        if status not in BEFORE_SENDING:
            raise SentOrClosed("order", source=STATUS_NAMES[status])
        changed_order: OrderDocument = {**order, **changes}  # type: ignore[typeddict-item]
        change = OrderChange(
            kind=EventType.DETAILS_CHANGED,
            actor=actor,
            action=Action.ORDER_DETAILS_CHANGED,
            note=reason.strip(),
            fields={**changes, "keys": order_keys(changed_order, ledger_of(order))},
            tells_the_buyer=False,
        )
        if changed := change_order(order, change):
            return changed
    raise OrderBusy("order")


def _checked(details: Details, reason: str) -> dict[str, Any]:
    """The fields of the document that are to be set. Raises Refused with all that is wrong."""
    errors: list[DomainError] = text_errors(reason.strip(), MAX_NOTE, "reason", lines=True)
    fields: dict[str, Any] = {}
    if details.contact is not None:
        contact = details.contact.tidy()
        errors += contact_errors(contact)
        fields["contact"] = contact.document()
    if details.address is not None:
        address = details.address.tidy()
        errors += address_errors(address)
        fields["shipping_address"] = address.document()
    if errors:
        raise Refused(errors)
    return fields
