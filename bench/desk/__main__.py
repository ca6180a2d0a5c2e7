"""The support desk with ten thousand orders and with a million, side by side: `make bench B=desk`.

Printed are the median of the milliseconds and what the shards examined for one request: flat is the claim.
ARGS="--sizes 10000 100000" for a quick look, "--keep" to measure again without filling again.
"""

import sys
from contextlib import ExitStack
from functools import cache, partial

import httpx

from bench.desk.filling import (
    ORDERS,
    RARE_NAME,
    WAITING,
    contact_of,
    let_expire_soon,
    number_of,
    product_of,
    reference_of,
)
from bench.pages import Shop, filled_shop, measure, report, sizes_and_rounds
from gateway.mongo.client import client

LIST = "/admin/ordering/order/"
# One that has reached its end, with a payment; in the smallest shop, too.
SOUGHT = 4 * WAITING + 1


def main() -> None:
    arguments = sizes_and_rounds("The pages of the support desk, flat from few orders to many.").parse_args()
    with ExitStack() as ended:
        shops = [ended.enter_context(filled_shop("desk", size, keep=arguments.keep)) for size in arguments.sizes]
        for shop in shops:
            let_expire_soon(client()[shop.database][ORDERS])
        pages = {name: partial(_address, path) for name, path in _pages().items()}
        report(shops, {name: measure(shops, page, arguments.rounds) for name, page in pages.items()})


def _pages() -> dict[str, str]:
    """What a person opens; `{id}` is the order's."""
    contact = contact_of(SOUGHT)
    sought = {
        "number": number_of(SOUGHT),
        "phone": contact.phone,
        "e-mail": contact.email,
        "name": contact.name,
        "a rare name": RARE_NAME,
        "last four and name": f"{contact.phone.replace('-', '')[-4:]} {contact.name}",
        "product id": product_of(SOUGHT),
        "payment reference": reference_of(SOUGHT),
        "nothing": "Никтоев Никто",
    }
    return {
        "home with its queues": "/admin/",
        "orders": LIST,
        "orders, delivered": f"{LIST}?status=delivered",
        "orders, to pack": f"{LIST}?queue=to_pack",
        "orders, to refund": f"{LIST}?queue=to_refund",
        **{f"search, {what}": f"{LIST}?{httpx.QueryParams({'q': text})}" for what, text in sought.items()},
        "an order": f"{LIST}{{id}}/change/",
    }


def _address(path: str, shop: Shop) -> str:
    return path.format(id=_sought_in(shop.database))


@cache
def _sought_in(database: str) -> str:
    found = client()[database][ORDERS].find_one({"keys": f"number:{number_of(SOUGHT)}"}, ["_id"])
    if found is None:
        sys.exit(f"too few orders in {database}")
    return str(found["_id"])


if __name__ == "__main__":
    main()
