"""A cart becomes an order: reserve, commit, settle.

One transaction over all would be the obvious way and the wrong one: a product that everybody buys would stay locked
until it ends, and the others would abort. So each product is reserved by one update of its own, which leaves a hold;
then cart and order change together in a small transaction on the buyer's own shard; the holds are settled afterwards.
What dies in between leaves holds, which holds.py settles or releases. docs/checkout.md tells it step by step.
"""

import time
from decimal import Decimal
from typing import NamedTuple

from pymongo.errors import DuplicateKeyError

from cart.completion import ACTIVE, cart_as_it_stands, take_cart
from cart.documents import CartDocument
from cart.reading import active_cart, newest_cart
from catalog.errors import UnknownGeozone
from catalog.products.cards import ProductKey, products_to_buy, products_to_offer
from catalog.stock.reservations import Hold, Purpose, marks_of_cart, release, reserve
from catalog.structure.guard import missing_geozones
from gateway.domain.errors import DomainError, Refused
from gateway.domain.money import Amount
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.reads import run, run_steps
from gateway.mongo.transactions import in_transaction
from ordering.cassandra.sync import sync_order_soon
from ordering.checkout.holds import resolve_cart, settle_soon
from ordering.checkout.idempotency import order_of, order_of_the_same_cart, order_under_key, repeated_order
from ordering.checkout.new_order import ORDERS, new_order
from ordering.checkout.pricing import Offered, Products, keys_in, offered, shortages
from ordering.checkout.request import Purchase, checked
from ordering.checkout.unpaid_limits import Holding, enter, holders, leave
from ordering.documents import OrderDocument
from ordering.errors import CartBusy, CartEmpty, TooMuchUnpaid, TotalRisen
from ordering.numbers import claim_number

# Each turn is lost to another device of the same buyer that changed or ordered the cart, or to a stranger who let a
# reserved piece go: ten devices at once need two or three.
TURNS = 10
# A rival attempt at the same cart takes well under a second. One that is silent for longer has died.
RIVAL_SECONDS = 3.0
RIVAL_POLL_SECONDS = 0.05


class Bought(NamedTuple):
    """The answer to a checkout: the order that was made, now or before."""

    order: OrderDocument
    saved: Decimal = Decimal(0)
    """By how much the total is below what the buyer was shown."""
    replayed: bool = False
    """An earlier request made the order; this one bought nothing more."""


def check_out(owner: str, purchase: Purchase, *, network: str | None = None) -> Bought:
    """Buy what is in the owner's active cart. The same cart, or the same client key, gives the same order again.

    A client key gives the order that was made under it or makes one, never another: under a new key an empty cart is
    refused. `network`: where the buyer is, for the limit on what one address holds unpaid.
    """
    wanted = checked(purchase)
    if earlier := order_under_key(owner, wanted):
        return Bought(earlier, replayed=True)
    try:
        return _buy(owner, wanted, network)
    except DomainError:
        # Another request under the same key may have bought meanwhile, and left nothing for this one.
        if earlier := order_under_key(owner, wanted):
            return Bought(earlier, replayed=True)
        raise


def _buy(owner: str, wanted: Purchase, network: str | None) -> Bought:
    cart = run(active_cart(owner))
    if cart is None:
        last = run(newest_cart(owner))
        if repeated := last and repeated_order(last, wanted):
            return Bought(repeated, replayed=True)
        raise CartEmpty
    for _ in range(TURNS):
        if not cart["items"]:
            raise CartEmpty
        if bought := _attempt(cart, wanted, network):
            return bought
        # Another device changed the cart or ordered it. A cart that it began afterwards is another purchase.
        cart = run(cart_as_it_stands(owner, cart["_id"]))
        if order := cart and order_of(cart):
            return Bought(order_of_the_same_cart(order, wanted), replayed=True)
        if cart is None or cart["status"] != ACTIVE:
            raise CartEmpty
    raise CartBusy


def _attempt(cart: CartDocument, wanted: Purchase, network: str | None) -> Bought | None:
    """One attempt to buy; None when what was read of the cart or the products is no longer so."""
    offer = offered(cart, run_steps(products_to_offer(keys_in(cart))))
    if offer.total > wanted.expected_total:
        raise TotalRisen("expected_total", expected=Amount(wanted.expected_total), total=Amount(offer.total))
    order_id = str(uuid7())
    order = new_order(order_id, claim_number(), cart, wanted, offer)
    holding = Holding(order_id, holders(cart["owner"], network), offer.lines)
    hold = Hold(order_id, Purpose.CHECKOUT, order_id, cart["owner"], cart["_id"])
    try:
        enter(holding)
    except TooMuchUnpaid:
        if _products_unless_a_rival_won(cart) is None:
            return None
        raise
    if not reserve(offer.offers, wanted.geozone, hold):
        _give_back(offer, holding, hold)
        _refuse_what_is_short(cart, wanted)
        return None
    try:
        committed = in_transaction(lambda: _commit(cart, order)) or _is_committed(cart, order_id)
    except DuplicateKeyError:
        # Another cart of this buyer was ordered under the same key at the same moment.
        _give_back(offer, holding, hold)
        if earlier := order_under_key(cart["owner"], wanted):
            return Bought(earlier, replayed=True)
        raise
    if not committed:
        _give_back(offer, holding, hold)
        return None
    settle_soon(offer.pieces, hold.id)
    sync_order_soon(order)
    return Bought(order, saved=wanted.expected_total - offer.total)


def _give_back(offer: Offered, holding: Holding, hold: Hold) -> None:
    """Release what this attempt holds: it is certain that no order comes of it."""
    release(offer.pieces, hold.id)
    leave(holding)


def _commit(cart: CartDocument, order: OrderDocument) -> bool:
    """In the running transaction: cart and order change together, on the owner's shard. False: the cart has changed."""
    if not take_cart(cart, order["_id"]):
        return False
    collection_of(ORDERS, OrderDocument).insert_one(order, session=orm_connection().session)
    return True


def _is_committed(cart: CartDocument, order_id: str) -> bool:
    """Whether the cart has become this very order: a commit whose answer was lost is repeated, and finds it taken."""
    stands = run(cart_as_it_stands(cart["owner"], cart["_id"]))
    return stands is not None and stands.get("order_id") == order_id


def _refuse_what_is_short(cart: CartDocument, wanted: Purchase) -> None:
    """Raise which product is short or has changed, unless it was this very cart on another device that took it."""
    products = _products_unless_a_rival_won(cart)
    if products is None:
        return
    if missing_geozones([wanted.geozone]):
        raise UnknownGeozone("geozone", geozone=wanted.geozone)
    if short := shortages(cart, products, wanted.geozone):
        raise Refused(short)


def _products_unless_a_rival_won(cart: CartDocument) -> Products | None:
    """The products of the cart once no other attempt at it is under way; None when the cart is no longer as read.

    A rival holds what this attempt then finds short: its order is the answer, not a refusal.
    """
    keys = keys_in(cart)
    patience = time.monotonic() + RIVAL_SECONDS
    while True:
        rival = marks_of_cart(cart["_id"], keys)
        products = run_steps(products_to_buy(keys))
        keys = [ProductKey(product["category"], product["_id"]) for product in products.values()]
        stands = run(cart_as_it_stands(cart["owner"], cart["_id"]))
        if stands is None or stands["status"] != ACTIVE or stands["version"] != cart["version"]:
            return None
        if not rival:
            return products
        if time.monotonic() > patience:
            resolve_cart(cart["_id"], keys)
            return None
        time.sleep(RIVAL_POLL_SECONDS)
