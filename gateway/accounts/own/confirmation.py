"""Confirming an address: by a link in a letter to it, and only then is it believed to be the customer's.

A new address takes effect once it is confirmed; until then the account keeps the old one.
"""

from datetime import UTC, datetime, timedelta

from django.db import IntegrityError

from gateway.accounts.documents import OrderClaimDocument
from gateway.accounts.errors import EmailTaken
from gateway.accounts.links import Purpose, user_of_token
from gateway.accounts.models import OrderClaim, User
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import in_transaction

CLAIMS = OrderClaim._meta.db_table
# Whoever confirmed the address claims the orders within a second or two.
PAUSE = timedelta(minutes=1)


def confirm_email(token: str) -> User:
    """Believe the address that the letter went to; a new one takes effect. Raises DeadLink or EmailTaken.

    The account's claim to orders of guests under that address is written down: see gateway/viewer/joining.py.
    """
    try:
        return in_transaction(lambda: _confirm(token))
    except IntegrityError as error:
        # Somebody has registered with it meanwhile.
        raise EmailTaken("token") from error


def claim_orders_later(user: User) -> None:
    """Write down, in the running transaction, that orders of guests under the account's address are to join it."""
    wanted = {"email": user.email, "due": datetime.now(UTC) + PAUSE}
    collection_of(CLAIMS, OrderClaimDocument).update_one(
        {"_id": str(user.pk)}, {"$set": wanted}, upsert=True, session=orm_connection().session
    )


def due_claims(*, limit: int, now: datetime | None = None) -> list[OrderClaimDocument]:
    """Those that nobody is busy with, oldest first."""
    due = {"due": {"$lte": now or datetime.now(UTC)}}
    return list(collection_of(CLAIMS, OrderClaimDocument).find(due).sort("due", 1).limit(limit))


def claim_of(user: User) -> OrderClaimDocument | None:
    return collection_of(CLAIMS, OrderClaimDocument).find_one({"_id": str(user.pk)})


def forget_claim(claim: OrderClaimDocument) -> None:
    """The orders have joined. A claim made meanwhile, to another address, stays."""
    collection_of(CLAIMS, OrderClaimDocument).delete_one({"_id": claim["_id"], "email": claim["email"]})


def _confirm(token: str) -> User:
    user = user_of_token(Purpose.CUSTOMER_EMAIL, token)
    user.email, user.new_email = user.new_email or user.email, ""
    user.email_confirmed_at = datetime.now(UTC)
    user.save(update_fields=["email", "new_email", "email_confirmed_at"])
    claim_orders_later(user)
    return user
