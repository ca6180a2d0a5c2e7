"""The demo shop that all servers answer from, with a buyer who has a history of orders."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import NamedTuple

from django.core.management import call_command

from bench.shop import PURCHASE, begin_anew
from cart.new_cart import new_cart
from catalog.listing.filters import Wanted, walks_by_relevance
from catalog.listing.pages import Sort
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.search.alternatives import current_blocking as synonyms
from catalog.search.lexicon import Lexicon, Words
from catalog.search.readings import readings
from catalog.search.vocabulary.memory import current_blocking as vocabulary
from catalog.stock.reservations import Pieces
from catalog.structure.category_tree import CATEGORIES
from gateway.accounts.demo import DOMAIN, PASSWORD
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Expression, collection_of, database
from ordering.checkout.new_order import ORDERS, new_order
from ordering.checkout.pricing import Offered, OfferedLine
from ordering.documents import OrderDocument
from ordering.numbers import claim_number

SEARCHES = ("смартфон", "ноутбук", "наушники", "samsung", "чёрный", "планшет")
# A category with fewer is no page of 24, whatever the filter leaves of it.
LEAST_OF_A_LEAF = 60
CARDS = 10_000
HISTORY = 25
BUYER = {"email": f"customer@{DOMAIN}", "password": PASSWORD}


class Card(NamedTuple):
    key: ProductKey
    price: Decimal


class Shop(NamedTuple):
    leaves: list[str]
    """Categories with enough products, each without subcategories."""
    cards: list[Card]
    """Products on sale, each once, in no order."""
    owner: str
    """The buyer's, who has the history."""
    searches: Mapping[str, list[Expression]]
    """For each text the reads that find it, best first: peers need not know how words are split."""


def filled(products: int) -> Shop:
    """The shop with so many products; made anew unless it is there from an earlier run."""
    if database()[PRODUCTS].estimated_document_count() != products:
        begin_anew()
        # Before the products, so that these orders are all there is to copy.
        _sell(customer_owner(str(_buyer().pk)))
        call_command("sync", "run", stdout=StringIO())
        call_command("load_demo", products=products, stdout=StringIO())
    return Shop(_leaves(), _cards(), customer_owner(str(_buyer().pk)), {text: _reads(text) for text in SEARCHES})


def empty() -> None:
    database().client.drop_database(database().name)


def _buyer() -> User:
    return User.objects.get(email=BUYER["email"])


def _leaves() -> list[str]:
    counted = database()[PRODUCTS].aggregate([{"$sortByCount": "$category"}])
    return sorted(each["_id"] for each in counted if each["count"] >= LEAST_OF_A_LEAF)


def _cards() -> list[Card]:
    sampled = database()[PRODUCTS].aggregate(
        [
            {"$match": {"category": {"$in": _leaves()}, "withdrawn": False}},
            {"$sample": {"size": CARDS}},
            {"$project": {"category": 1, "price": 1}},
        ]
    )
    # A sample may hold a document twice.
    found = {
        each["_id"]: Card(ProductKey(each["category"], each["_id"]), each["price"].to_decimal()) for each in sampled
    }
    return list(found.values())


def _reads(text: str) -> list[Expression]:
    lexicon = Lexicon(Words(vocabulary()), synonyms().alternatives, CATEGORIES.get().names_shown)
    as_typed = next(readings(text, lexicon))
    walks = walks_by_relevance(Wanted(words=as_typed.words), by=Sort.RELEVANCE.value.field)
    return [{"where": walk.where(), "hint": walk.index} for walk in walks]


def _sell(owner: str) -> None:
    collection_of(ORDERS, OrderDocument).insert_many(list(_orders(owner)))


def _orders(owner: str) -> Iterator[OrderDocument]:
    newest = datetime.now(UTC).replace(microsecond=0)
    for number in range(HISTORY):
        lines = tuple(
            OfferedLine(Pieces("smartphones", f"SOLD-{number}-{step}", 1 + step), f"Товар {step}", Decimal("990.00"))
            for step in range(1 + number % 3)
        )
        order = new_order(str(uuid7()), claim_number(), new_cart(owner, [], None), PURCHASE, Offered(lines))
        order["created_at"] = newest - timedelta(days=number)
        yield order
