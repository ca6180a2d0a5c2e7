from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from gateway.accounts.demo import PASSWORD, ensure_demo_accounts


class Command(BaseCommand):
    help = "Make the demo accounts of `make run`. Refused with production settings."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            addresses = ensure_demo_accounts()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{', '.join(addresses)}; password {PASSWORD}")
