"""Lines that are put into a cart under a key, by the test or by a process that it kills."""

from cart.line_checks import checked_to_add
from cart.lines import Put, put_once
from cart.tests.shop import CUSTOMER, line
from gateway.idempotency.keys import Keyed, keyed


def key_of(text: str, quantity: int = 2) -> Keyed:
    found = keyed(text, "cartLinesAdd", {"quantity": quantity})
    assert found is not None
    return found


def add(text: str = "k-1", *, owner: str = CUSTOMER, quantity: int = 2) -> Put:
    return put_once(owner, checked_to_add([line("PROD-1", quantity)], None), key_of(text, quantity))
