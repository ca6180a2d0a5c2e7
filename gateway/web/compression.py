"""Compression of answers, by the encoding that the client likes best of those that we speak."""

import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

import brotli  # type: ignore[import-untyped]
import zstandard

# What is shorter travels in one packet anyway.
SMALLEST = 1_024
# Levels at which a page of the catalog becomes a ninth, in 8, 32 and 24 µs; better ones take several times as long for
# a few bytes.
ZSTD_LEVEL, BROTLI_QUALITY, GZIP_LEVEL = 3, 4, 6
# A gzip header and checksum around the stream, with the largest window.
_GZIP_WINDOW = 31
# Browsers and libraries of one kind send the same.
REMEMBERED_CHOICES = 256
# Of a header; whoever sends a longer one gets the answer as it is.
LONGEST_HEADER = 500


class Compressed(NamedTuple):
    body: bytes
    encoding: str


def compressed(body: bytes, accept_encoding: str | None) -> Compressed | None:
    """The body as the client takes it; None: as it is, because it is short or the client wants no other."""
    if len(body) < SMALLEST or not accept_encoding or len(accept_encoding) > LONGEST_HEADER:
        return None
    encoding = chosen(accept_encoding)
    return Compressed(_ENCODERS[encoding](body), encoding) if encoding else None


@lru_cache(REMEMBERED_CHOICES)
def chosen(accept_encoding: str) -> str | None:
    """The encoding of greatest weight, of equals the one that we like best; None: the body as it is."""
    weights: dict[str, float] = {}
    for part in accept_encoding.split(","):
        name, _, parameter = part.strip().lower().partition(";")
        weights[{"x-gzip": "gzip"}.get(name.strip(), name.strip())] = _weight(parameter)
    others = weights.get("*", 0.0)
    best = max(_ENCODERS, key=lambda name: weights.get(name, others))
    weight = weights.get(best, others)
    return best if weight > 0 and weight >= weights.get("identity", 0.0) else None


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0


def _gzip(body: bytes) -> bytes:
    stream = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    return stream.compress(body) + stream.flush()


def _brotli(body: bytes) -> bytes:
    done: bytes = brotli.compress(body, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY)
    return done


def _zstd(body: bytes) -> bytes:
    # Of its own for each answer: one is not for several threads, and making it costs less than a lock.
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(body)


_ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {"zstd": _zstd, "br": _brotli, "gzip": _gzip}
"""What we like best first."""
