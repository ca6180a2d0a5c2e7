"""Accounts to try the gateway with. Their password is public, so they exist in development only."""

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.exceptions import ImproperlyConfigured

from gateway.accounts.models import User
from gateway.accounts.roles import (
    ADMINISTRATORS,
    ANALYSTS,
    MERCHANDISERS,
    OPERATORS,
    SENIOR_SUPPORT,
    SUPPORT,
    ensure_roles,
)

PASSWORD = "mobile-world"  # noqa: S105 - public on purpose
DOMAIN = "mobile-world.example"

NAMES = {
    "staff": "Ольга Старшая",
    "merchandiser": "Марина Товарова",
    "support": "Сергей Поддержкин",
    "senior": "Светлана Опытная",
    "analyst": "Андрей Отчётов",
    "operator": "Олег Машинин",
    "administrator": "Анна Главная",
    "customer": "Иван Покупатель",
}
GROUPS = {
    "merchandiser": MERCHANDISERS,
    "support": SUPPORT,
    "senior": SENIOR_SUPPORT,
    "analyst": ANALYSTS,
    "operator": OPERATORS,
    "administrator": ADMINISTRATORS,
}


def ensure_demo_accounts() -> list[str]:
    """Make the missing accounts and give all of them their demo password and rights; returns their addresses."""
    if settings.PRODUCTION:
        raise ImproperlyConfigured("Demo accounts have a public password: never with production settings.")
    ensure_roles()
    for login, name in NAMES.items():
        _ensure(login, name)
    return [f"{login}@{DOMAIN}" for login in NAMES]


def _ensure(login: str, name: str) -> None:
    email = f"{login}@{DOMAIN}"
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, name=name)
    user.set_password(PASSWORD)
    user.is_active = True
    user.is_staff = login != "customer"
    user.is_superuser = login == "staff"
    user.save()
    user.groups.set(Group.objects.filter(name=GROUPS.get(login)))
