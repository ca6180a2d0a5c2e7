"""A buyer who fills a cart through the API, and the documents that are sent for it."""

from typing import Any

import httpx
from django.conf import settings

from cart.tests.shop import HOMES
from gateway.graphql.relay.ids import global_id

CART = """
fragment C on Cart {
  id status geozone totalQuantity
  subtotal { amount currency }
  lines {
    id productId name quantity unitPrice { amount } priceSeen { amount } lineTotal { amount } product { id productId }
  }
  warnings { code target message }
  createdAt updatedAt expiresAt
}
"""
PAYLOAD = "cart { ...C } token userErrors { code field message } warnings { code target message }"
ADD = f"""
mutation ($lines: [CartLineInput!]!, $zone: String) {{
  a: cartLinesAdd(lines: $lines, geozone: $zone) {{ {PAYLOAD} }}
}} {CART}"""


def product_id(of: str) -> str:
    return global_id("Product", HOMES.get(of, "audio"), of)


def lines(*wanted: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"product": product_id(of), "quantity": quantity} for of, quantity in wanted]


def contents(payload: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["productId"], each["quantity"]) for each in payload["cart"]["lines"]]


class Buyer:
    """Sends documents with the session it was last given."""

    def __init__(self, web: httpx.Client, token: str | None = None) -> None:
        self._web = web
        self.token = token

    def send(self, query: str, language: str = "ru", **variables: Any) -> Any:
        headers = {"accept-language": language}
        self._web.cookies.clear()  # all buyers share the connection, none the session
        if self.token:
            headers["cookie"] = f"{settings.SESSION_COOKIE_NAME}={self.token}"
        answer = self._web.post("/graphql", json={"query": query, "variables": variables}, headers=headers).json()
        assert "errors" not in answer, answer
        found = answer["data"]["a"]
        if isinstance(found, dict) and found.get("token"):
            self.token = found["token"]
        return found
