"""Whether a customer may sign in, and ending where they are signed in."""

from gateway.accounts.customers.accounts import customer_to_change
from gateway.accounts.models import Customer
from gateway.accounts.sign_out import end_sessions
from gateway.audit.trail import Action, Actor, record
from gateway.mongo.transactions import in_transaction


def deactivate_customer(user_id: str, *, reason: str, actor: Actor) -> Customer:
    """Keep the customer from signing in, and end every session. Repeated, it changes nothing."""
    customer = in_transaction(lambda: _set_active(user_id, active=False, reason=reason, actor=actor))
    end_sessions(customer)
    return customer


def activate_customer(user_id: str, *, reason: str, actor: Actor) -> Customer:
    """Let the customer sign in again. Repeated, it changes nothing."""
    return in_transaction(lambda: _set_active(user_id, active=True, reason=reason, actor=actor))


def sign_out_customer(user_id: str, *, actor: Actor) -> Customer:
    """End every session of the customer, wherever it is kept."""
    customer = in_transaction(lambda: _sign_out(user_id, actor))
    end_sessions(customer)
    return customer


def _set_active(user_id: str, *, active: bool, reason: str, actor: Actor) -> Customer:
    customer = customer_to_change(user_id)
    if customer.is_active is active:
        return customer
    customer.is_active = active
    customer.session_generation += 0 if active else 1
    customer.save(update_fields=["is_active", "session_generation"])
    action = Action.CUSTOMER_ACTIVATED if active else Action.CUSTOMER_DEACTIVATED
    changes = {"is_active": (not active, active)}
    record(action, f"customer:{user_id}", actor=actor, changes=changes, reason=reason)
    return customer


def _sign_out(user_id: str, actor: Actor) -> Customer:
    customer = customer_to_change(user_id)
    customer.session_generation += 1
    customer.save(update_fields=["session_generation"])
    record(Action.CUSTOMER_SIGNED_OUT, f"customer:{user_id}", actor=actor, changes={})
    return customer
