"""manage.py reference: writes docs/reference.md from the schema; a part of `make schema`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from gateway.graphql.reference import reference
from gateway.graphql.schema import schema


class Command(BaseCommand):
    help = "Writes docs/reference.md, the page about every type and field, from the descriptions in the schema."
    requires_system_checks = ()

    def handle(self, *_: Any, **__: Any) -> None:
        page = settings.BASE_DIR / "docs" / "reference.md"
        page.write_text(reference(schema.as_graphql_core()), encoding="utf-8")
        self.stdout.write(f"{page.relative_to(settings.BASE_DIR)} written")
