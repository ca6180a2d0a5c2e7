"""The schema asked in this process as one of the demo accounts, and orders to ask for."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.graphql.relay.ids import global_id
from ordering.tests.people import EMAIL

LOOKUP = """
query ($text: String!, $first: Int, $after: String) {
  a: orderLookup(query: $text, first: $first, after: $after) {
    nodes { id number status } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}
"""


class Answer(NamedTuple):
    data: Any
    errors: list[BaseException | None]
    degraded: bool


Ask = Callable[..., Answer]


def owner_of(login: str) -> str:
    return customer_owner(User.objects.get(email=EMAIL.format(login)).pk)


def public(owner: str, order_id: str) -> str:
    return global_id("Order", owner, order_id)


def found(answer: Answer) -> list[str]:
    return [order["id"] for order in answer.data["nodes"]]
