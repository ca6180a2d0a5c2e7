"""Receipts as they stand in MongoDB."""

from datetime import datetime
from typing import TypedDict


class KeyReceipt(TypedDict):
    """Says, inside the document that was changed, under which key it was; see gateway/idempotency/embedded.py."""

    key: str
    request: str
    at: datetime


class ReceiptDocument(TypedDict):
    """Says, beside the change, what a member of staff did under a key; see gateway/idempotency/receipts.py."""

    _id: str
    request: str
    at: datetime


class SubmissionDocument(TypedDict):
    """Says that a member of staff sent a form, see gateway/idempotency/submissions.py."""

    _id: str
    request: str
    at: datetime
    done: bool
    """False: under way, or ended nobody knows how."""
