"""Signatures of the payment system's calls: of the time and the body, under a secret that both sides know."""

import hmac
import re
from collections.abc import Sequence

HEADER = "X-Payment-Signature"
PAYMENT_SUCCEEDED = "payment.succeeded"
# Both sides' clocks count seconds since 1970; ten digits last until the year 2286.
_TIME = re.compile(r"[0-9]{1,10}")


class BadSignature(Exception):
    """The call is not from somebody who knows a secret, or is of another time; the message says which."""


def sign(body: bytes, secret: str, at: int) -> str:
    """The value of the header: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`."""
    return f"t={at},v1={_digest(body, secret, at)}"


def check_signature(body: bytes, header: str, *, secrets: Sequence[str], now: float, tolerance: float) -> None:
    """Raises BadSignature. Any of the secrets will do, and any of several `v1`: so that either side can replace its
    secret first."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not _TIME.fullmatch(times[0]):
        raise BadSignature("the signature has no time")
    at = int(times[0])
    given = [value.encode() for name, _, value in parts if name == "v1"]
    expected = [_digest(body, secret, at).encode() for secret in secrets]
    if not any([hmac.compare_digest(one, other) for one in given for other in expected]):  # noqa: C419 - all of them
        raise BadSignature("the signature does not fit the body")
    if abs(now - at) > tolerance:
        raise BadSignature("the signature is of another time")


def _digest(body: bytes, secret: str, at: int) -> str:
    return hmac.new(secret.encode(), b"%d.%b" % (at, body), "sha256").hexdigest()
