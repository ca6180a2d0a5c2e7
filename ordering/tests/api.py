"""Documents that buyers and support send, and those who send them."""

from typing import Any

from pymongo.database import Database

from gateway.mongo.client import Document

ORDER = """
fragment O on Order {
  id number status total { amount currency } amountPaid { amount } amountRefunded { amount } geozone
  contact { name email phone } shippingAddress { city street postcode comment }
  lines { productId name quantity unitPrice { amount } lineTotal { amount } product { productId } }
  createdAt updatedAt reservedUntil canCancel
  timeline { id at type status actor note }
  money {
    paid { amount } refunded { amount } dueBack { amount }
    entries { id at kind state amount { amount } reference actor }
  }
}
"""
ERRORS = "userErrors { code field message }"
CHECKOUT = f"""
mutation ($input: CheckoutInput!) {{
  a: checkout(input: $input) {{
    order {{ ...O }} cart {{ status subtotal {{ amount }} warnings {{ code }} }}
    {ERRORS} warnings {{ code target message }}
  }}
}} {ORDER}"""
CANCEL = f"""
mutation ($order: ID!, $reason: String! = "") {{
  a: orderCancel(order: $order, reason: $reason) {{ order {{ ...O }} {ERRORS} }}
}} {ORDER}"""
ADVANCE = f"""
mutation ($order: ID!, $to: OrderStatus!, $note: String! = "") {{
  a: orderAdvance(order: $order, to: $to, note: $note) {{ order {{ ...O }} {ERRORS} }}
}} {ORDER}"""
PAY = f"""
mutation ($order: ID!, $amount: Decimal!, $reference: String!) {{
  a: orderRecordPayment(order: $order, amount: $amount, reference: $reference) {{ order {{ ...O }} {ERRORS} }}
}} {ORDER}"""
REFUND = f"""
mutation ($order: ID!, $lines: [RefundLineInput!]!, $restock: Boolean! = true, $reason: String!, $reference: String!) {{
  a: orderRefund(order: $order, lines: $lines, restock: $restock, reason: $reason, reference: $reference) {{
    order {{ ...O }} {ERRORS}
  }}
}} {ORDER}"""
SETTLE = f"""
mutation ($order: ID!, $entry: ID!, $reference: String!) {{
  a: orderSettleRefund(order: $order, entry: $entry, reference: $reference) {{ order {{ ...O }} {ERRORS} }}
}} {ORDER}"""

INPUT: dict[str, Any] = {
    "geozone": "msk",
    "contact": {"name": "Иван Покупатель", "email": "ivan@example.com", "phone": "+7 (999) 123-45-67"},
    "shippingAddress": {"city": "Москва", "street": "Тверская, 1", "postcode": "101000"},
    "expectedTotal": "7980.00",
}


def everything(database: Database[Document]) -> dict[str, list[Document]]:
    """To show that nothing changed."""
    names = ("orders", "carts", "products")
    return {name: sorted(database[name].find(), key=lambda document: str(document["_id"])) for name in names}


def refusals(payload: dict[str, Any]) -> list[tuple[str, list[str] | None]]:
    return [(error["code"], error["field"]) for error in payload["userErrors"]]
