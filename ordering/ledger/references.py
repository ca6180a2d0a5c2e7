"""References of payments, refunds and repayments: one form for what people cannot tell apart, made at the edge."""

from typing import NewType

from gateway.domain.errors import Refused
from gateway.domain.input import normal_key, text_errors

# As long as the ids of payment systems, and what a person copies from a bank's paper, get.
MAX_REFERENCE = 100

Reference = NewType("Reference", str)
"""A text in its normal form. Only `reference_of` makes one: the actions take nothing else."""


def reference_of(text: str, *path: str) -> Reference:
    """The normal form of what somebody typed or sent. Raises Refused, about the field `path`.

    Whoever wrote it down raw, as an earlier release did, is compared by `normal_key`, which leaves this form as it is.
    """
    errors = text_errors(text.strip(), len(text), *path) or text_errors(normal_key(text), MAX_REFERENCE, *path)
    if errors:
        raise Refused(errors)
    return Reference(normal_key(text))
