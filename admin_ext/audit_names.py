"""The names by which the audit calls what the domains know by codes."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bson import ObjectId
from django.contrib.auth.models import Group, Permission
from django.utils.translation import gettext

from catalog.search.synonyms import titles_of
from catalog.structure.category_tree import CATEGORIES
from catalog.structure.geozones import all_geozones
from gateway.accounts.masking import masked_email
from gateway.accounts.models import User
from gateway.audit.labels import Named
from gateway.audit.names import register_finder, register_namer
from gateway.domain.texts import Text
from gateway.mongo.policies import AUDIT, ORDER_STATUS
from gateway.mongo.reads import Read, run, run_steps
from gateway.staff.language import said
from ordering.events import EventType
from ordering.models import OrderStatus
from ordering.numbers import number_in
from ordering.reading.orders import OrderKey, find_order_by_number, orders_by_key

# What a letter tells of; of a move, the status stands beside it.
LETTERS: Mapping[str, Text] = {
    EventType.CREATED.value: Text("о новом заказе", "of the new order"),
    EventType.MOVED.value: Text("о смене статуса", "of the new status"),
    EventType.PAYMENT.value: Text("об оплате", "of the payment"),
    EventType.REFUND.value: Text("о возврате", "of the refund"),
    EventType.REFUND_FAILED.value: Text("о возврате, который не дошёл", "of a refund that did not arrive"),
    EventType.REPAYMENT.value: Text("о выплате", "of what was paid back"),
    EventType.CHARGEBACK.value: Text("об отозванном платеже", "of the chargeback"),
    EventType.CHARGEBACK_REVERSED.value: Text("о возвращённом платеже", "of the reversed chargeback"),
    EventType.TRACKED.value: Text("о трек-номере", "of the tracking number"),
}


def register_names() -> None:
    register_namer(Named.ACCOUNT, _accounts)
    register_namer(Named.CATEGORY, _categories)
    register_namer(Named.EVENT, _letters)
    register_namer(Named.GEOZONE, _geozones)
    register_namer(Named.ORDER, _orders)
    register_namer(Named.RIGHT, _rights)
    register_namer(Named.ROLE, lambda roles: {role: role for role in roles})
    register_namer(Named.STATUS, _statuses)
    register_namer(Named.SYNONYMS, titles_of)
    register_finder("order", _order_called)
    register_finder("product", str.upper)
    register_finder("role", _role_called)


def _geozones(codes: Collection[str]) -> dict[str, str]:
    return {zone.code: zone.name for zone in run(all_geozones()) if zone.code in codes}


def _letters(events: Collection[str]) -> dict[str, str]:
    return {event: said(LETTERS[event]) for event in events if event in LETTERS}


def _categories(slugs: Collection[str]) -> dict[str, str]:
    tree = CATEGORIES.get()
    return {slug: node.name for slug in slugs if (node := tree.get(slug))}


def _orders(ids: Collection[str]) -> dict[str, str]:
    """Their numbers. Asks every shard once: the audit does not know whose they are."""
    found = run_steps(orders_by_key([OrderKey(None, order_id) for order_id in sorted(ids)], ORDER_STATUS))
    return {order_id: f"№ {order['number']}" for order_id, order in found.items()}


def _statuses(codes: Collection[str]) -> dict[str, str]:
    return {status.value: gettext(status.label) for status in OrderStatus if status.value in codes}


def _accounts(ids: Collection[str]) -> dict[str, str]:
    """The names of people; of those who gave none, the address, masked: not all who read the audit see contacts."""
    wanted = [ObjectId(each) for each in ids if ObjectId.is_valid(each)]

    def named(documents: Sequence[Any]) -> dict[str, str]:
        return {str(each["_id"]): each.get("name") or masked_email(each["email"]) for each in documents}

    return run(
        Read(
            collection=User._meta.db_table,
            policy=AUDIT,
            where={"_id": {"$in": wanted}},
            fields=("name", "email"),
            result=named,
        )
    )


def _order_called(text: str) -> str | None:
    number = number_in(text)
    order = find_order_by_number(number) if number else None
    return order["_id"] if order else None


def _rights(codes: Collection[str]) -> dict[str, str]:
    """What rights are called where they are declared."""
    wanted = {code.partition(".")[2]: code for code in codes}
    found = Permission.objects.filter(codename__in=list(wanted)).values_list("codename", "name")
    return {wanted[codename]: gettext(name) for codename, name in found}


def _role_called(text: str) -> str | None:
    """The name of the role with this id: so its page calls it, and by its name the trail does."""
    role = Group.objects.filter(pk=text).first() if ObjectId.is_valid(text) else None
    return role.name if role else None
