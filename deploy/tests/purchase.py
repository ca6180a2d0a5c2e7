"""One purchase, as web and worker make it: `python -m deploy.tests.purchase`, on the servers of the environment."""

import sys
from decimal import Decimal

import django

django.setup()

from cart.tests.shop import CUSTOMER, fill, sell  # noqa: E402 - these need the apps loaded
from gateway.accounts.sessions.engine import SessionStore  # noqa: E402
from gateway.mongo.client import client, database  # noqa: E402
from gateway.mongo.lag import measure  # noqa: E402
from gateway.mongo.routing import ROUTING  # noqa: E402
from ordering.tests.shop import buy  # noqa: E402


def main() -> None:
    database()["categories"].insert_one({"_id": "audio", "name": "Аудио", "path": [], "position": 1})
    database()["geozones"].insert_one({"_id": "msk", "name": "Москва", "position": 1})
    ROUTING.refresh(client(), database().name)
    sell("PROD-1", Decimal("3990.00"), msk=10)
    fill(CUSTOMER, ("PROD-1", 1))
    order = buy(CUSTOMER).order
    session = SessionStore(device="test", ip_address="127.0.0.1")
    session.create()
    lags = sorted(measure().items())
    sys.stdout.write(f"bought {order['status']} {database()['orders'].count_documents({})}\n")
    sys.stdout.write(f"session {'kept' if session.session_key else 'lost'}\n")
    sys.stdout.write(f"lags {lags}\n")


if __name__ == "__main__":
    main()
