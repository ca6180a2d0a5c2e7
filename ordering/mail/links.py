"""Links in letters by which whoever holds the letter sees the order, without signing in.

A link names the order by its id, which no sign-in and no archive changes, and is bound to the e-mail address of its
contact: when staff correct the address, whatever was sent to the wrong one is worth nothing any more.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.utils.crypto import constant_time_compare, salted_hmac

from gateway.domain.input import normal_key
from ordering.documents import OrderDocument

SALT = "ordering.mail.links"
# The signature keeps others from making tokens; this only tells one address of an order from another.
_MARK_BYTES = 8
_ID_BYTES = 16


class Token(NamedTuple):
    """What a token says, once its signature is found to be ours."""

    order_id: str
    mark: str
    """Of the address to which the letter went."""


def order_link(order: OrderDocument) -> str:
    """The address in the storefront at which the order is shown; empty when no storefront is configured."""
    if not settings.STOREFRONT_URL:
        return ""
    return f"{settings.STOREFRONT_URL}/order?{urlencode({'token': make_token(order)})}"


def make_token(order: OrderDocument) -> str:
    """A token that stays good as long as the order keeps its address; 76 characters."""
    named = UUID(order["_id"]).bytes + bytes.fromhex(address_mark(order["contact"]["email"]))
    return Signer(salt=SALT).sign(urlsafe_b64encode(named).decode())


def read_token(token: str) -> Token | None:
    """What the token names; None for one that we have not made. Reads nothing."""
    try:
        named = urlsafe_b64decode(Signer(salt=SALT).unsign(token))
    except (BadSignature, ValueError):
        return None
    return Token(str(UUID(bytes=named[:_ID_BYTES])), named[_ID_BYTES:].hex())


def opens(token: Token, order: OrderDocument) -> bool:
    """Whether the order still belongs to the address to which the token was sent. An anonymised one has none."""
    return is_marked(token.mark, order["contact"]["email"])


def is_marked(mark: str, email: str) -> bool:
    """Whether it is the mark of this address, made under the secret key of now or an earlier one that is believed."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return bool(email) and any(constant_time_compare(mark, address_mark(email, key)) for key in keys)


def address_mark(email: str, key: str | None = None) -> str:
    """A keyed hash of the address, the same in any case: as good as the address for comparing, and for nothing else."""
    mark = salted_hmac(SALT, normal_key(email).casefold().encode(errors="replace"), key, algorithm="sha256")
    return mark.hexdigest()[: 2 * _MARK_BYTES]
