"""Notes that staff leave for each other on an order. Buyers never see them."""

import re
from datetime import UTC, datetime

from gateway.accounts.models import User, normalize_email
from gateway.audit.trail import Action, Actor
from gateway.domain.errors import Refused
from gateway.domain.input import normal_key, text_errors
from gateway.domain.uuid7 import uuid7
from ordering.documents import OrderDocument, OrderNote
from ordering.errors import OrderBusy, TooManyNotes
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.reading.orders import order_to_change

MAX_TEXT = 2_000
MAX_KEY = 100
# Far more than anybody reads; the order stays well below what a document may weigh.
MAX_NOTES = 200
# Colleagues named in one note: each is looked up.
MAX_MENTIONS = 10

# «@anna», «@anna.petrova» or the whole address, at the beginning of a word; a full stop behind it ends the sentence.
_MENTION = re.compile(r"(?<!\S)@([\w+-]+(?:\.[\w+-]+)*(?:@[\w-]+(?:\.[\w-]+)+)?)")


def add_note(
    order_id: str, text: str, *, actor: Actor, key: str | None = None, owner: str | None = None
) -> OrderDocument:
    """Add the note; returns the order. Repeated under the same key it is added once.

    «@anna» or «@anna@example.com» mentions a colleague.
    """
    written, under = text.strip(), normal_key(key) if key else None
    errors = text_errors(written if normal_key(text) else "", MAX_TEXT, "text", lines=True)
    if under:
        errors += text_errors(under, MAX_KEY, "key")
    if errors:
        raise Refused(errors)
    note: OrderNote = {
        "id": str(uuid7()),
        "at": _milliseconds(datetime.now(UTC)),
        "actor": actor.name,
        "text": written,
        "mentions": _mentioned(written),
        "key": under,
    }
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        notes = order.get("notes") or []
        if under and any(each["key"] == under for each in notes):
            return order
        if len(notes) >= MAX_NOTES:
            raise TooManyNotes("text", limit=MAX_NOTES)
        change = OrderChange(kind=None, actor=actor, action=Action.ORDER_NOTED, fields={"notes": [*notes, note]})
        if changed := change_order(order, change):
            return changed
    raise OrderBusy("order")


def _mentioned(text: str) -> list[str]:
    """The e-mails of the colleagues whom the text mentions, each once; whoever is not found is not mentioned."""
    names = list(dict.fromkeys(_MENTION.findall(text)))[:MAX_MENTIONS]
    found = [email for name in names for email in _colleagues(name)]
    return list(dict.fromkeys(found))


def _colleagues(name: str) -> list[str]:
    """Those whose e-mail this is, or the part of it before the «@»; by the index of e-mails."""
    staff = User.objects.filter(is_staff=True, is_active=True)
    email = normalize_email(name)
    same = staff.filter(email=email) if "@" in name else staff.filter(email__startswith=f"{email}@")
    return list(same.order_by("email").values_list("email", flat=True)[:MAX_MENTIONS])


def _milliseconds(moment: datetime) -> datetime:
    """The moment as MongoDB keeps it."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
