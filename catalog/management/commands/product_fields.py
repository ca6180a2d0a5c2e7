"""manage.py product_fields: products of earlier releases are listed by everything that new ones are listed by."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from pymongo.errors import PyMongoError

from catalog.documents import ProductDocument
from catalog.products.cards import PRODUCTS
from catalog.products.completion import complete_products
from gateway.management.progress import Progress
from gateway.mongo.client import collection_of


class Command(BaseCommand):
    help = (
        "Gives products that an earlier release wrote the fields by which new ones are listed and found: discount, "
        "what is missing, what runs low, when they were edited, the terms of the search and their order. May be "
        "stopped at any time and run again; once is enough."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        total = collection_of(PRODUCTS, ProductDocument).estimated_document_count()
        try:
            with Progress(self.stdout, "products", total) as progress:
                completed = complete_products(progress.advance)
        except PyMongoError as error:
            raise CommandError(f"{error}; run it again to go on") from error
        except KeyboardInterrupt:
            raise CommandError("interrupted; run it again to go on", returncode=130) from None
        self.stdout.write(f"{completed} products completed")
