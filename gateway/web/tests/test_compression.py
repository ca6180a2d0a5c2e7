"""Which encoding a client gets, and that it says the same."""

import gzip

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard

from gateway.web.compression import SMALLEST, chosen, compressed

BODY = "Смартфон, ".encode() * 500


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "br"),
        ("gzip, deflate", "gzip"),
        ("x-gzip", "gzip"),
        ("GZIP;Q=1", "gzip"),
        ("deflate", None),
        ("zstd;q=0.5, br;q=0.8, gzip;q=0.1", "br"),
        ("zstd;q=0, br;q=0, gzip", "gzip"),
        ("*", "zstd"),
        ("*;q=0.5, gzip", "gzip"),
        ("zstd;q=0, *", "br"),
        ("gzip;q=0", None),
        ("identity", None),
        ("identity, gzip;q=0.5", None),
        ("identity;q=0.5, gzip", "gzip"),
        ("gzip;q=nan", None),
        ("gzip;q=7", None),
        (";;,,q=", None),
    ],
)
def test_heaviest_encoding_is_chosen_and_of_equals_the_best(accepted: str, encoding: str | None) -> None:
    assert chosen(accepted) == encoding


def test_every_encoding_says_the_same_in_less() -> None:
    unpacked = {
        "zstd": zstandard.ZstdDecompressor().decompress,
        "br": brotli.decompress,
        "gzip": gzip.decompress,
    }
    for encoding, unpack in unpacked.items():
        found = compressed(BODY, encoding)
        assert found is not None
        assert (found.encoding, unpack(found.body)) == (encoding, BODY)
        assert len(found.body) < len(BODY) / 10


@pytest.mark.parametrize(
    ("body", "accepted"), [(BODY, None), (BODY, ""), (b"a" * (SMALLEST - 1), "gzip"), (BODY, "gzip," * 200)]
)
def test_body_stays_as_it_is(body: bytes, accepted: str | None) -> None:
    assert compressed(body, accepted) is None
