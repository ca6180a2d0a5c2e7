"""Whoever visits the shop in the load: what each kind of request asks for, made before the clock runs."""

import asyncio
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bench.connection import Connection, post
from bench.peers.shapes import DOCUMENTS, contents
from bench.peers.shop import BUYER, Shop
from catalog.products.cards import PRODUCTS
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import database

LOGIN = "mutation($email:String!,$password:String!){login(email:$email,password:$password){token}}"
IDS = "{viewer{orders(first:25){nodes{id}}}}"
STATUS = "query Status($id:ID!){order(id:$id){number status total{amount} tracking{number} timeline{at type status}}}"
ADD = 'mutation Add($lines:[CartLineInput!]!){cartLinesAdd(lines:$lines,geozone:"msk"){token userErrors{code}}}'
CART = (
    "query Cart{cart{id totalQuantity subtotal{amount} warnings{code} lines{productId name quantity unitPrice{amount}"
    ' lineTotal{amount} product{id images{url} stock(geozone:"msk"){available}}}}}'
)
CHECKOUT = (
    "mutation Buy($input:CheckoutInput!){checkout(input:$input){order{id number status total{amount}}"
    "userErrors{code message}warnings{code}}}"
)
# Bodies of the catalog that are asked over and over: far more than a cache of answers sees again within its time.
BODIES = 2_000
READERS = 20
# Guests whose carts are filled at the same time, before the clock runs.
AT_ONCE = 8
PURCHASE = {
    "geozone": "msk",
    "contact": {"name": "Иван Покупатель", "email": "guest@example.com", "phone": "+7 (999) 123-45-67"},
    "shippingAddress": {"city": "Москва", "street": "Тверская, 1", "postcode": "101000"},
    "expectedTotal": "99999999.00",
}


class Kind(NamedTuple):
    share: float
    target_ms: float | None
    """What the shop wants at p95; None: nothing in particular."""


KINDS: Mapping[str, Kind] = {
    "page": Kind(0.35, 15),
    "card": Kind(0.35, 15),
    "search": Kind(0.05, 40),
    "history": Kind(0.05, 12),
    "status": Kind(0.05, 12),
    "cart": Kind(0.10, 10),
    "checkout": Kind(0.05, None),
}
"""By name, as a shop's visitors may come. A search asks every shard."""

CATALOG = ("page", "card", "search")


class Buyers:
    """Accounts, guests and carts of one web server."""

    def __init__(self, port: int, shop: Shop) -> None:
        self._port = port
        lines = [
            [{"product": global_id("Product", each["category"], each["_id"]), "quantity": 1}]
            for each in database()[PRODUCTS].find({"available_in": "msk", "withdrawn": False}, ["category"]).limit(500)
        ]
        self._lines = itertools.cycle(lines)
        signed_in = _bearer(self._ask([post({"query": LOGIN, "variables": BUYER})])[0]["login"]["token"])
        (history,) = self._ask([post({"query": IDS}, signed_in)])
        ids = [each["id"] for each in history["viewer"]["orders"]["nodes"]]
        self._endless = {
            **{name: itertools.cycle(_some(name, shop)) for name in CATALOG},
            "history": itertools.repeat(post({"query": DOCUMENTS["history"]}, signed_in)),
            "status": itertools.cycle(post({"query": STATUS, "variables": {"id": id_}}, signed_in) for id_ in ids),
            "cart": itertools.cycle(post({"query": CART}, guest) for guest in self._guests(READERS)),
        }

    def requests(self, kinds: Sequence[str]) -> list[bytes]:
        """A request of each of these kinds, in their order; for each checkout a guest has filled a new cart."""
        guests = iter(self._guests(kinds.count("checkout")))
        return [
            post({"query": CHECKOUT, "variables": {"input": PURCHASE}}, next(guests))
            if kind == "checkout"
            else next(self._endless[kind])
            for kind in kinds
        ]

    def _guests(self, number: int) -> list[Mapping[str, str]]:
        lines = itertools.islice(self._lines, number)
        added = self._ask([post({"query": ADD, "variables": {"lines": each}}) for each in lines])
        return [_bearer(each["cartLinesAdd"]["token"]) for each in added]

    def _ask(self, requests: Sequence[bytes]) -> list[dict[str, Any]]:
        return asyncio.run(_ask(self._port, requests))


def _some(shape: str, shop: Shop) -> Iterator[bytes]:
    return (post(each) for each in itertools.islice(contents(shape, shop), BODIES))


def _bearer(token: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def _ask(port: int, requests: Sequence[bytes]) -> list[dict[str, Any]]:
    """The data of the answers, in the order of the requests."""
    found: dict[int, dict[str, Any]] = {}
    waiting = iter(enumerate(requests))

    async def go_on() -> None:
        connection = await Connection.open(port)
        for number, request in waiting:
            answer = await connection.ask(request)
            found[number] = json.loads(answer.body)["data"]
        connection.close()

    await asyncio.gather(*(go_on() for _ in range(AT_ONCE)))
    return [found[number] for number in range(len(requests))]
