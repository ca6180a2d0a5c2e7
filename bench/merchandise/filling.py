"""Fill a database with so many products of the demo shop: `python -m bench.merchandise.filling 10000`."""

import sys

from django.core.management import call_command

from bench.shop import begin_anew
from catalog.products.cards import PRODUCTS
from gateway.mongo.client import database


def main() -> None:
    size = int(sys.argv[1])
    if database()[PRODUCTS].estimated_document_count() == size:
        return
    begin_anew()
    call_command("load_demo", products=size)


if __name__ == "__main__":
    main()
