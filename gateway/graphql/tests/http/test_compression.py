"""Compressed answers of a real server: made, kept, cached by others, and personal ones never."""

import json
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
import httpx
import pytest
import zstandard

UNPACKED: dict[str, Callable[[bytes], bytes]] = {
    "zstd": zstandard.ZstdDecompressor().decompress,
    "br": brotli.decompress,
    "gzip": lambda body: zlib.decompress(body, wbits=31),
}
LONG = "{ " + " ".join(f"a{number}: geozones {{ code name }}" for number in range(12)) + " }"
PERSONAL = LONG.replace("{ a0", "{ viewer { user { id } } a0", 1)


def sent(web: httpx.Client, method: str, query: str, accepted: str) -> tuple[httpx.Headers, bytes]:
    """The headers and the body as they were sent."""
    content = {"json": {"query": query}} if method == "POST" else {"params": {"query": query}}
    with web.stream(method, "/graphql", headers={"accept-encoding": accepted}, **content) as response:  # type: ignore[arg-type]
        return response.headers, b"".join(response.iter_raw())


@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize("encoding", UNPACKED)
def test_answer_and_kept_answer_are_compressed(web: httpx.Client, geozones: None, method: str, encoding: str) -> None:
    plain = json.loads(sent(web, method, LONG, "identity")[1])["data"]

    for _ in range(3):
        headers, body = sent(web, method, LONG, encoding)
        assert headers["content-encoding"] == encoding
        assert int(headers["content-length"]) == len(body)
        assert "Accept-Encoding" in headers["vary"]
        assert json.loads(UNPACKED[encoding](body))["data"] == plain


def test_tag_of_an_answer_is_that_of_its_encoding(web: httpx.Client, geozones: None) -> None:
    (as_it_is, _), (packed, _) = sent(web, "GET", LONG, "identity"), sent(web, "GET", LONG, "gzip")
    again = web.get(
        "/graphql", params={"query": LONG}, headers={"accept-encoding": "gzip", "if-none-match": packed["etag"]}
    )

    assert "content-encoding" not in as_it_is
    assert as_it_is["etag"] != packed["etag"]
    assert again.status_code == 304


def test_what_is_personal_or_short_is_sent_as_it_is(web: httpx.Client, geozones: None) -> None:
    for query in (PERSONAL, "{ geozones { code } }"):
        headers, body = sent(web, "POST", query, "gzip, br, zstd")
        assert "content-encoding" not in headers
        assert "errors" not in json.loads(body)
