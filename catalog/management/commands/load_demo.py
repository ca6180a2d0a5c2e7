from typing import Any

from django.core.management.base import BaseCommand

from catalog.demo import load_geozones


class Command(BaseCommand):
    help = "Load a demo shop: its geozones. What is already there stays as it is."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{load_geozones()} geozones added")
