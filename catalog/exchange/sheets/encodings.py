"""In which encoding a text was written, when nothing says so."""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from catalog.exchange.errors import NotASheet

BLOCK = 1 << 20
# Enough letters to tell the Cyrillic encodings apart.
SAMPLE = 1 << 16

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What Windows, DOS programs, old Unix ones and Macs wrote Russian in, the likeliest first.
_CYRILLIC = ("cp1251", "cp866", "koi8-r", "mac-cyrillic")
# Letters of two thirds of any Russian text.
_FREQUENT = set("оеаинтсрвл")
_LETTERS = {chr(code) for code in range(ord("а"), ord("я") + 1)} | {"ё"}
# Signs that stand in sheets, beside letters and digits of ASCII.
_SIGNS = set("«»—–…№°±×“”„’‘•™®©€²³\u00a0")


def guess_encoding(file: BinaryIO) -> str:
    """The encoding in which the whole file can be read. Raises NotASheet for what is no text.

    A mark at the beginning decides; else UTF-8, if all of the file is that; else the Cyrillic encoding in which the
    words look most like Russian.
    """
    file.seek(0)
    head = file.read(SAMPLE)
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if marked:
        if not _is_readable(file, marked):
            raise NotASheet
        return marked
    if _has_control_characters(file):
        raise NotASheet
    if _is_readable(file, "utf-8"):
        return "utf-8"
    return max((name for name in _CYRILLIC if _is_readable(file, name)), key=lambda name: _looks(head, name))


def _is_readable(file: BinaryIO, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in _blocks(file):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _has_control_characters(file: BinaryIO) -> bool:
    """Whether there are bytes that no text has in any of these encodings: it is a picture, a program, an archive."""
    allowed = bytes(set(range(256)) - (set(range(32)) - set(b"\t\n\v\f\r\x1a")))
    return any(block.translate(None, allowed) for block in _blocks(file))


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while block := file.read(BLOCK):
        yield block


def _looks(head: bytes, encoding: str) -> float:
    """How much the text looks like Russian: small letters count, frequent ones twice; odd signs count against it."""
    text = head.decode(encoding, errors="replace")
    score = 0
    for sign in text:
        if sign < "\x80":
            continue
        if sign in _LETTERS:
            score += 2 if sign in _FREQUENT else 1
        elif sign.lower() not in _LETTERS and sign not in _SIGNS:
            score -= 3
    return score
