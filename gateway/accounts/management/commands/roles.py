from typing import Any

from django.core.management.base import BaseCommand

from gateway.accounts.roles import ensure_roles
from gateway.audit.trail import Actor


class Command(BaseCommand):
    help = "Bring the staff groups and their permissions in line with gateway/accounts/roles.py. Run after migrate."

    def handle(self, *args: Any, **options: Any) -> None:
        changes = ensure_roles(Actor.program("manage.py roles"))
        for change in changes:
            rights = [*(f"+{right}" for right in change.added), *(f"-{right}" for right in change.removed)]
            self.stdout.write(f"{change.role}: {' '.join(rights)}")
        if not changes:
            self.stdout.write("All roles are as declared.")
