"""What each kind of staff may do, as Django groups. `manage.py roles` brings the database in line."""

from django.contrib.auth.models import Group, Permission

MERCHANDISERS = "Мерчандайзеры"
SUPPORT = "Поддержка"

SEE_THE_CATALOG = frozenset(
    {
        "catalog.view_product",
        "catalog.view_category",
        "catalog.view_geozone",
        "catalog.view_reservationfinding",
        "audit.view_auditentry",
    }
)
SEE_THE_REPORTS = frozenset({"cart.view_abandonedcartday"})
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
    }
)

SEE_ORDERS = frozenset({"ordering.view_order"})
WORK_ON_ORDERS = SEE_ORDERS | {"ordering.change_order"}

ROLES: dict[str, frozenset[str]] = {
    MERCHANDISERS: SEE_THE_CATALOG | EDIT_THE_CATALOG | SEE_THE_REPORTS | SEE_ORDERS,
    SUPPORT: SEE_THE_CATALOG | SEE_THE_REPORTS | WORK_ON_ORDERS | {"accounts.view_user"},
}


def ensure_roles() -> dict[str, int]:
    """Give each group exactly its permissions; returns how many each has."""
    permissions = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.select_related("content_type")
    }
    for name, wanted in ROLES.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.set([permissions[permission] for permission in sorted(wanted)])
    return {name: len(wanted) for name, wanted in ROLES.items()}
