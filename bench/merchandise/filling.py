"""Fill a database with so many products of the demo shop: `python -m bench.merchandise.filling 10000`."""

import sys
from io import StringIO

from django.core.management import call_command

from catalog.products.cards import PRODUCTS
from gateway.accounts.demo import ensure_demo_accounts
from gateway.mongo import topology
from gateway.mongo.client import client, database
from gateway.mongo.routing import ROUTING


def main() -> None:
    size = int(sys.argv[1])
    if database()[PRODUCTS].estimated_document_count() == size:
        return
    client().drop_database(database().name)
    topology.apply(database())
    ROUTING.refresh(client(), database().name)
    call_command("migrate", stdout=StringIO())
    call_command("cassandra", "apply", stdout=StringIO())
    ensure_demo_accounts()
    call_command("load_demo", products=size)


if __name__ == "__main__":
    main()
