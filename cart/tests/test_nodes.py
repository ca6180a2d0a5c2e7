"""A cart by its global id: for its own owner only, in whatever state."""

import httpx

from cart.lines import add_lines
from cart.merge import MergeMode, merge_guest_cart
from cart.tests.buyer import ADD, Buyer, lines
from cart.tests.shop import CUSTOMER, line
from gateway.accounts.owners import guest_owner, session_hash
from gateway.graphql.relay.ids import global_id

NODE = "query ($id: ID!) { a: node(id: $id) { id ... on Cart { status totalQuantity } } }"


def test_own_cart_is_found_active_and_afterwards(guest: Buyer) -> None:
    cart = guest.send(ADD, lines=lines(("PROD-1", 2)))["cart"]["id"]
    assert guest.send(NODE, id=cart) == {"id": cart, "status": "ACTIVE", "totalQuantity": 2}
    assert guest.token is not None

    merge_guest_cart(guest_owner(session_hash(guest.token)), CUSTOMER, MergeMode.MERGE)

    assert guest.send(NODE, id=cart) == {"id": cart, "status": "ABANDONED", "totalQuantity": 2}


def test_cart_of_somebody_else_is_not_there(guest: Buyer, web: httpx.Client) -> None:
    cart = guest.send(ADD, lines=lines(("PROD-1", 2)))["cart"]["id"]
    other = Buyer(web)
    other.send(ADD, lines=lines(("PROD-2", 1)))

    assert other.send(NODE, id=cart) is None
    assert Buyer(web).send(NODE, id=cart) is None
    assert Buyer(web, "no-such-session").send(NODE, id=cart) is None


def test_crafted_ids_find_nothing(guest: Buyer) -> None:
    guest.send(ADD, lines=lines(("PROD-1", 2)))
    customers = add_lines(CUSTOMER, [line("PROD-1")]).cart
    assert guest.token is not None
    assert customers is not None
    owner = guest_owner(session_hash(guest.token))

    for key in ((owner, str(customers["_id"])), (owner, "nonsense"), (CUSTOMER, str(customers["_id"])), (owner,)):
        assert guest.send(NODE, id=global_id("Cart", *key)) is None


def test_several_nodes_come_in_the_order_asked(guest: Buyer) -> None:
    cart = guest.send(ADD, lines=lines(("PROD-1", 2)))["cart"]["id"]
    unknown = global_id("Cart", CUSTOMER, "0" * 24)

    answer = guest.send("query ($ids: [ID!]!) { a: nodes(ids: $ids) { id } }", ids=[unknown, cart, "nonsense", cart])

    assert answer == [None, {"id": cart}, None, {"id": cart}]
