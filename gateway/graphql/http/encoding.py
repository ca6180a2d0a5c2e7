"""JSON, read and written fast: by orjson wherever it means the same as Python's own module, which does the rest."""

import json
import re
from typing import Any

import orjson

# orjson makes floats of integers beyond 64 bits; the shortest of those has nineteen digits.
_MAYBE_LARGE = re.compile(rb"\d{19}")
# Both know how to write dates and dataclasses; in an answer they are a fault of ours, and shall be seen as one.
_STRICT = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


def decode(text: bytes) -> Any:
    """The value of the text.

    Raises ValueError or RecursionError for what is no JSON, NaN and Infinity among it; of ValueError UnicodeEncodeError
    for half a surrogate pair, which JSON can spell alone and no store or hash of ours takes.
    """
    if _MAYBE_LARGE.search(text) is None:
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            pass  # or it is JSON of another encoding, or nested deeper, or there is more to be said of it
    # Python would let half a pair pass that is not spelt but stands there in bytes.
    decoded = json.loads(text.decode(json.detect_encoding(text)), parse_constant=_refuse_constant)
    json.dumps(decoded, ensure_ascii=False).encode()
    return decoded


def encode(content: object, *, sorted_keys: bool = False) -> bytes:
    """The content as JSON in UTF-8, without white space."""
    try:
        return orjson.dumps(content, option=_STRICT | orjson.OPT_SORT_KEYS if sorted_keys else _STRICT)
    except orjson.JSONEncodeError:
        # Integers beyond 64 bits; anything else fails here too.
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=sorted_keys).encode()


def encoded(text: bytes) -> object:
    """Stands for the value in JSON that is encoded already, for `encode`."""
    return orjson.Fragment(text)


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)
