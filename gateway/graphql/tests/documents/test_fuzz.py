"""Thousands of documents made at random, valid and hostile: no fault of ours, no long work, nothing internal told."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import httpx
import pytest

from gateway.graphql.schema import schema
from gateway.graphql.tests.generator import Generator

SEED = 20_261_117
# A page of the shop takes milliseconds; a document that takes this long on a busy machine has found a way to make work.
MOST_SECONDS = 5.0
INTERNAL = (
    "Traceback",
    "site-packages",
    ".py",
    "pymongo",
    "mongodb://",
    "redis",
    "127.0.0.1",
    "gateway.",
    "object at 0x",
)


class Seen(NamedTuple):
    status: int
    text: str
    seconds: float
    request: bytes


@pytest.fixture
def send(web: httpx.Client, geozones: None) -> Callable[[Iterable[bytes]], list[Seen]]:
    def one(body: bytes) -> Seen:
        began = time.monotonic()
        response = web.post("/graphql", content=body, headers={"content-type": "application/json"})
        return Seen(response.status_code, response.text, time.monotonic() - began, body)

    def all_(bodies: Iterable[bytes]) -> list[Seen]:
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(one, bodies))

    return all_


def check_manners(seen: list[Seen]) -> Counter[str]:
    """No answer is a fault, slow or indiscreet; returns how often each code was told."""
    codes: Counter[str] = Counter()
    for answer in seen:
        assert answer.status < 500, answer
        assert answer.seconds < MOST_SECONDS, answer
        content = json.loads(answer.text)
        assert set(content) <= {"data", "errors", "extensions"}, answer
        errors = content.get("errors", [])
        assert errors or content["data"] is not None, answer
        codes.update(error["extensions"]["code"] for error in errors)
        told = json.dumps(errors)
        # What the caller wrote itself may be quoted back.
        assert not [word for word in INTERNAL if word in told and word not in answer.request.decode("latin-1")], answer
    assert codes["INTERNAL"] == 0, [answer for answer in seen if "INTERNAL" in answer.text][:3]
    return codes


def test_valid_documents_are_answered_or_told_the_limit(send: Callable[[Iterable[bytes]], list[Seen]]) -> None:
    generator = Generator(schema.as_graphql_core(), SEED)

    seen = send([json.dumps(generator.request()).encode() for _ in range(700)])

    codes = check_manners(seen)
    assert codes["GRAPHQL_PARSE_FAILED"] == 0
    assert len([answer for answer in seen if '"data":{' in answer.text]) > 150


def test_hostile_documents_are_refused_cleanly(send: Callable[[Iterable[bytes]], list[Seen]]) -> None:
    generator = Generator(schema.as_graphql_core(), SEED)

    seen = send([json.dumps(generator.hostile_request()).encode() for _ in range(1_000)])

    codes = check_manners(seen)
    assert {"GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "LIMIT_EXCEEDED", "BAD_REQUEST"} <= set(codes)


def test_damaged_bodies_are_refused_cleanly(send: Callable[[Iterable[bytes]], list[Seen]]) -> None:
    generator = Generator(schema.as_graphql_core(), SEED)

    check_manners(send([generator.hostile_body() for _ in range(500)]))
