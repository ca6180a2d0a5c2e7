from typing import Any

from django.core.management.base import BaseCommand

from gateway.accounts.roles import ensure_roles


class Command(BaseCommand):
    help = "Bring the staff groups and their permissions in line with gateway/accounts/roles.py. Run after migrate."

    def handle(self, *args: Any, **options: Any) -> None:
        for name, permissions in ensure_roles().items():
            self.stdout.write(f"{name}: {permissions} permissions")
