"""JSON means the same as to Python's own module, whichever of the two reads or writes it."""

import json
from typing import Any

import pytest

from gateway.graphql.http.encoding import decode, encode


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        "9223372036854775807",
        "9223372036854775808",
        "-170141183460469231731687303715884105728",
        '{"id": "12345678901234567890"}',
        "1.0",
        "-0.0",
        "1e400",
        "0.1000000000000000055511151231257827",
        '"\\ud83d\\ude00"',
        '"\\u0000"',
        '"Санкт-Петербург"',
        "[" * 900 + "]" * 900,
        " null ",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_value_and_its_type_are_as_python_reads_them(text: str, encoding: str) -> None:
    expected = json.loads(text)

    found = decode(text.encode(encoding))

    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"NaN", b"[Infinity]", b'{"a": -Infinity}', b"01", b"{'a': 1}", b'"\xff"', b'"\xed\xa0\xbd"', b'"\t"'],
)
def test_anything_else_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
        decode(text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("text", ['"\\ud83d"', '{"\\uDE00": 1}', '["a\\ud83db"]'])
def test_half_a_surrogate_pair_is_told_from_what_is_no_json(text: str, encoding: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        decode(text.encode(encoding))


@pytest.mark.parametrize(
    "content",
    [
        {"a": [1, 2.5, None, True, "б"]},
        {"large": 2**70, "b": '\x00\x1f\x7f\u2028"\\/'},
        {"emoji": "😀", "n": -(2**63)},
        [],
    ],
)
def test_answer_is_written_as_python_writes_it(content: Any) -> None:
    assert encode(content) == json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
