"""Guests who buy: each from an address of its own, with a new session, one product into the cart, then the checkout."""

import asyncio
import json
import time
from typing import Any

from bench.attack.traffic import Connection, Seen
from bench.shop import CATEGORIES, PRODUCTS
from gateway.graphql.relay.ids import global_id

ADD = """
mutation Add($lines: [CartLineInput!]!, $geozone: String) {
  cartLinesAdd(lines: $lines, geozone: $geozone) {
    cart { id totalQuantity subtotal { amount } lines { productId name quantity unitPrice { amount } } }
    token userErrors { code message } warnings { code }
  }
}
"""
CHECKOUT = """
mutation Buy($input: CheckoutInput!) {
  checkout(input: $input) {
    order { id number status total { amount } lines { productId name quantity } }
    userErrors { code message } warnings { code }
  }
}
"""


async def buy_steadily(port: int, *, first: int, rate: float, seconds: float) -> Seen:
    """Buy at a steady rate, whether or not earlier guests were answered; times count from when each guest was due."""
    seen, pending = Seen(), set[asyncio.Task[None]]()
    started = time.perf_counter()

    async def buy(number: int, due: float) -> None:
        seen.statuses[await _buy(port, number)] += 1
        seen.seconds.append(time.perf_counter() - due)

    for number in range(round(rate * seconds)):
        due = started + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        pending.add(asyncio.create_task(buy(first + number, due)))
    await asyncio.gather(*pending)
    return seen


async def _buy(port: int, number: int) -> int:
    """One guest's purchase; returns 200, or the status or 0 of what failed."""
    connection = Connection(port, f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}")
    product = number % PRODUCTS
    line = {"product": global_id("Product", CATEGORIES[product % len(CATEGORIES)], f"BENCH-{product}"), "quantity": 1}
    try:
        added = await connection.ask({"query": ADD, "variables": {"lines": [line], "geozone": "msk"}})
        token = _payload(added.body, "cartLinesAdd").get("token")
        if not token:
            return added.status if added.status != 200 else 0
        bought = await connection.ask(
            {"query": CHECKOUT, "variables": {"input": _input(number)}}, headers=f"Authorization: Bearer {token}\r\n"
        )
        return bought.status if bought.status != 200 or _payload(bought.body, "checkout").get("order") else 0
    finally:
        connection.close()


def _payload(body: bytes, field: str) -> dict[str, Any]:
    answer = json.loads(body or b"{}")
    return (answer.get("data") or {}).get(field) or {}


def _input(number: int) -> dict[str, Any]:
    return {
        "geozone": "msk",
        "contact": {"name": "Иван Покупатель", "email": f"guest-{number}@example.com", "phone": "+7 (999) 123-45-67"},
        "shippingAddress": {"city": "Москва", "street": "Тверская, 1", "postcode": "101000"},
        "expectedTotal": "100.00",
    }
