"""A customer's own data, for support to hand over: on record."""

from asgiref.sync import async_to_sync

from gateway.accounts.customers.accounts import customer_to_change
from gateway.accounts.models import Customer
from gateway.audit.trail import Action, Actor, record
from gateway.mongo.transactions import in_transaction
from gateway.viewer.personal_data import personal_data


def export_customer(user_id: str, *, actor: Actor) -> bytes:
    """The customer's data as JSON. `complete` says whether archived orders could be read."""

    def note() -> Customer:
        customer = customer_to_change(user_id)
        record(Action.CUSTOMER_EXPORTED, f"customer:{user_id}", actor=actor, changes={})
        return customer

    return async_to_sync(_together)(in_transaction(note))


async def _together(customer: Customer) -> bytes:
    return b"".join([block async for block in personal_data(customer)])
