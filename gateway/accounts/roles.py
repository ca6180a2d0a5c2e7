"""What each kind of staff may do, as Django groups. `manage.py roles` brings the database in line."""

from functools import partial
from typing import NamedTuple

from django.contrib.auth.models import Group, Permission

from gateway.audit.trail import Action, Actor, record
from gateway.mongo.transactions import in_transaction

MERCHANDISERS = "Мерчандайзеры"
SUPPORT = "Поддержка"
SENIOR_SUPPORT = "Старшая поддержка"
ANALYSTS = "Аналитики"
OPERATORS = "Операторы"
ADMINISTRATORS = "Администраторы"

SEE_THE_CATALOG = frozenset(
    {
        "catalog.view_product",
        "catalog.view_category",
        "catalog.view_geozone",
        "catalog.view_synonymgroup",
        "catalog.view_searchmiss",
    }
)
SEE_THE_REPORTS = frozenset({"cart.view_abandonedcartday"})
SEE_THE_SALES = frozenset({"ordering.view_salesquarter"})
SEE_THE_AUDIT = frozenset({"audit.view_auditentry"})
SEE_THE_MACHINERY = frozenset({"catalog.view_reservationfinding"})
# A product is withdrawn, never deleted: carts and orders name it.
EDIT_THE_CATALOG = frozenset(
    {
        "catalog.add_product",
        "catalog.change_product",
        "catalog.change_stocklevel",
        "catalog.add_category",
        "catalog.change_category",
        "catalog.delete_category",
        "catalog.add_geozone",
        "catalog.change_geozone",
        "catalog.delete_geozone",
        "catalog.add_synonymgroup",
        "catalog.change_synonymgroup",
        "catalog.delete_synonymgroup",
        # Everybody sees the jobs they began; whoever edits the catalog sees those of colleagues too.
        "jobs.view_job",
    }
)

SEE_ORDERS = frozenset({"ordering.view_order"})
WORK_ON_ORDERS = SEE_ORDERS | {"ordering.change_order", "ordering.refund_order"}
SEE_CUSTOMERS = frozenset({"accounts.view_customer", "accounts.see_contacts"})
WORK_WITH_CUSTOMERS = SEE_CUSTOMERS | {"accounts.change_customer"}
DECIDE_FOR_CUSTOMERS = frozenset({"accounts.export_customer", "accounts.anonymise_customer"})
RUN_THE_TEAM = frozenset({"accounts.view_user", "accounts.add_user", "accounts.change_user", "auth.view_group"})

_SUPPORT = SEE_THE_CATALOG | SEE_THE_REPORTS | SEE_THE_AUDIT | SEE_THE_MACHINERY | WORK_ON_ORDERS | WORK_WITH_CUSTOMERS
_SENIOR_SUPPORT = _SUPPORT | DECIDE_FOR_CUSTOMERS | SEE_THE_SALES | {"ordering.refund_above_limit"}
_MERCHANDISERS = (
    SEE_THE_CATALOG
    | EDIT_THE_CATALOG
    | SEE_THE_REPORTS
    | SEE_THE_SALES
    | SEE_THE_AUDIT
    | SEE_THE_MACHINERY
    | SEE_ORDERS
)

ROLES: dict[str, frozenset[str]] = {
    MERCHANDISERS: _MERCHANDISERS,
    SUPPORT: _SUPPORT,
    SENIOR_SUPPORT: _SENIOR_SUPPORT,
    ANALYSTS: SEE_THE_CATALOG | SEE_THE_REPORTS | SEE_THE_SALES | SEE_ORDERS,
    # Who keeps the machines running now and then has to call a buyer: one contact at a time, on record.
    OPERATORS: SEE_THE_CATALOG
    | SEE_THE_REPORTS
    | SEE_THE_AUDIT
    | SEE_THE_MACHINERY
    | SEE_ORDERS
    | {"accounts.view_customer", "accounts.unmask_contacts"},
    ADMINISTRATORS: _SENIOR_SUPPORT | _MERCHANDISERS | RUN_THE_TEAM,
}


class RoleChange(NamedTuple):
    """How a role in the database differed from its declaration."""

    role: str
    added: list[str]
    removed: list[str]


def ensure_roles(actor: Actor | None = None) -> list[RoleChange]:
    """Give each group exactly its permissions; returns what was not so before. Repeated, nothing.

    `actor`: who is to stand in the audit; None: it is not kept, where the roles are only made for a try.
    """
    permissions = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.select_related("content_type")
    }
    changes = []
    for name, wanted in ROLES.items():
        group, _ = Group.objects.get_or_create(name=name)
        had = {
            f"{each.content_type.app_label}.{each.codename}"
            for each in group.permissions.select_related("content_type")
        }
        change = RoleChange(name, sorted(wanted - had), sorted(had - wanted))
        if change.added or change.removed:
            in_transaction(partial(_write, group, [permissions[each] for each in sorted(wanted)], change, actor))
            changes.append(change)
    return changes


def _write(group: Group, permissions: list[Permission], change: RoleChange, actor: Actor | None) -> None:
    group.permissions.set(permissions)
    if actor:
        rights = {"added": (None, change.added), "removed": (change.removed, None)}
        record(Action.ROLE_CHANGED, f"role:{change.role}", actor=actor, changes=rights)
