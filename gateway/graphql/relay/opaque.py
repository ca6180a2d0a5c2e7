"""Strings that only the gateway reads: a list of strings in base64url, taken back strictly or not at all.

Whatever a caller crafts, what comes out are strings, so that nothing becomes an operator in a query.
"""

import base64
import binascii
import json

import orjson

# The longest part is a folded name; four parts of it in base64 stay below this.
MAX_LENGTH = 4_000
# As base64.urlsafe_b64encode does it, for half its time: a page has an id and a cursor for each product.
_FOR_ADDRESSES = bytes.maketrans(b"+/", b"-_")


def sealed(*parts: str) -> str:
    """Raises TypeError for a part that is no Unicode: a lone surrogate."""
    encoded = binascii.b2a_base64(orjson.dumps(parts), newline=False)
    return encoded.rstrip(b"=").translate(_FOR_ADDRESSES).decode()


def opened(text: str) -> tuple[str, ...] | None:
    """The parts, or None for anything that `sealed` did not make."""
    if len(text) > MAX_LENGTH or not text.isascii():
        return None
    try:
        found = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, UnicodeDecodeError, ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
        return None
    try:
        return tuple(found) if sealed(*found) == text else None
    except TypeError:  # a lone surrogate, which JSON can write and UTF-8 cannot
        return None
