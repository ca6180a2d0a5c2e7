"""What the audit tells of an order: the facts that staff change, by names that people read."""

from typing import Any

from gateway.accounts.masking import masked_email, masked_phone
from gateway.audit.trail import Changes, differences
from ordering.documents import OrderDocument
from ordering.ledger import ledger as money
from ordering.ledger.fields import ledger_of

MASKS = {"contact_email": masked_email, "contact_phone": masked_phone}


def target_of(order: OrderDocument) -> str:
    return f"order:{order['_id']}"


def changes_between(before: OrderDocument, after: OrderDocument) -> Changes:
    """Which facts of the order differ, each with both values; of what only grows, what has been added.

    E-mail and phone are masked: the audit has more readers than contacts may have.
    """
    changes = differences(_facts(before), _facts(after))
    for name, mask in MASKS.items():
        if name in changes:
            changes[name] = (mask(changes[name][0]), mask(changes[name][1]))
    return changes | {name: (None, ", ".join(new)) for name, new in _added(before, after).items() if new}


def _added(before: OrderDocument, after: OrderDocument) -> dict[str, list[str]]:
    references = [entry.reference for entry in ledger_of(after)[len(ledger_of(before)) :]]
    notes = (after.get("notes") or [])[len(before.get("notes") or []) :]
    return {"reference": list(dict.fromkeys(references)), "note": [note["text"] for note in notes]}


def _facts(order: OrderDocument) -> dict[str, Any]:
    contact, ledger = order["contact"], ledger_of(order)
    tracking = order.get("tracking")
    return {
        "status": order["status"],
        "geozone": order["geozone"],
        "contact_name": contact["name"],
        "contact_email": contact["email"],
        "contact_phone": contact["phone"],
        **{f"address_{part}": value for part, value in order["shipping_address"].items()},
        "tracking": f"{tracking['carrier']} {tracking['number']}" if tracking else None,
        "paid": money.paid(ledger),
        "refunded": money.refunded(ledger),
        "due_back": money.due_back(ledger),
        "refunded_pieces": {item["product_id"]: item["refunded"] for item in order["items"] if item["refunded"]},
    }
