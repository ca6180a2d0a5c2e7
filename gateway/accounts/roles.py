"""What each kind of staff may do, as Django groups. `manage.py roles` brings the database in line."""

from django.contrib.auth.models import Group, Permission

MERCHANDISERS = "Мерчандайзеры"
SUPPORT = "Поддержка"

ROLES: dict[str, frozenset[str]] = {
    MERCHANDISERS: frozenset(
        {"catalog.view_geozone", "catalog.add_geozone", "catalog.change_geozone", "catalog.delete_geozone"}
    ),
    SUPPORT: frozenset({"catalog.view_geozone", "accounts.view_user"}),
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
