"""Declarations themselves: the impossible ones are named, and two ways to write one index are one index."""

from datetime import UTC, datetime
from typing import Any

import pytest
from bson import Decimal128, MaxKey, MinKey, ObjectId

from gateway.mongo.collections import Collection, Index, Zone
from gateway.mongo.topology import impossible
from gateway.mongo.topology.indexes import definition
from gateway.mongo.topology.shell import shell


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        (
            Collection(shard_key={"category": 1, "_id": 1}, indexes=(Index({"category": 1, "name": 1}, unique=True),)),
            "index category_1_name_1: a unique index must start with the shard key {category: 1, _id: 1}",
        ),
        (
            # MongoDB accepts this one, and then lets two shards hold the same _id.
            Collection(shard_key={"category": 1, "_id": 1}, indexes=(Index({"_id": 1, "category": 1}, unique=True),)),
            "index _id_1_category_1: a unique index must start with the shard key {category: 1, _id: 1}",
        ),
        (
            Collection(indexes=(Index({"owner": "hashed"}, unique=True),)),
            "index owner_hashed: a hashed or text index cannot be unique",
        ),
        (
            Collection(indexes=(Index({"owner": 1, "expires_at": 1}, expire_after_seconds=0),)),
            "index owner_1_expires_at_1: a TTL index has exactly one key, and that is not _id",
        ),
        (
            Collection(indexes=(Index({"name": 1}, weights={"name": 2}),)),
            "index name_1: weights and default_language belong to a text index",
        ),
        (
            Collection(indexes=(Index({"name": "text"}, weights={"nmae": 2}),)),
            "index name_text: weights for fields that are not in the text index: nmae",
        ),
        (
            Collection(indexes=(Index({"name": "text"}), Index({"notes": "text"}))),
            "a collection has at most one text index",
        ),
        (
            Collection(indexes=(Index({"at": 1}), Index({"at": 1}, where={"status": "active"}))),
            "2 indexes are called at_1: tell them apart with `named`",
        ),
        (
            Collection(shard_key={"category": -1}),
            "a shard key is made of 1 and one «hashed», not {category: -1}",
        ),
        (
            Collection(shard_key={"a": "hashed", "b": "hashed"}),
            'only one field of a shard key may be hashed, not {a: "hashed", b: "hashed"}',
        ),
        (Collection(split_at=({"category": "m"},)), "zones and split_at need a shard key"),
        (
            Collection(shard_key={"owner": "hashed"}, split_at=({"owner": 0},)),
            "split_at is for ranged keys: MongoDB spreads a hashed one itself",
        ),
        (
            Collection(shard_key={"category": 1, "_id": 1}, split_at=({"_id": "m"},)),
            '{_id: "m"} does not name the first fields of the shard key {category: 1, _id: 1}',
        ),
        (
            Collection(shard_key={"category": 1, "_id": 1}, split_at=({"category": "m"}, {"category": "c"})),
            "split_at must ascend",
        ),
        (
            Collection(shard_key={"category": 1}, zones=(Zone("hot", {"category": "f"}, {"category": "a"}),)),
            'zone hot: {category: "f"} is not below {category: "a"}',
        ),
    ],
)
def test_impossible_declaration_is_named(declaration: Collection, problem: str) -> None:
    assert impossible("things", declaration) == [f"things: {problem}"]


def test_unique_index_that_starts_with_a_hashed_key_is_possible() -> None:
    index = Index({"owner": 1}, unique=True, where={"status": "active"})
    assert impossible("carts", Collection(shard_key={"owner": "hashed"}, indexes=(index,))) == []


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ({"key": {"a": 1}}, {"v": 2, "key": {"a": 1.0}, "name": "a_1", "sparse": False}),
        ({"key": {"a": 1}, "expireAfterSeconds": 60}, {"key": {"a": 1}, "expireAfterSeconds": 60.0}),
        (
            {"key": {"a": 1}, "partialFilterExpression": {"s": "x", "n": {"$gt": 5, "$lt": 9}}},
            {
                "key": {"a": 1},
                "partialFilterExpression": {"$and": [{"n": {"$lt": 9.0}}, {"n": {"$gt": 5}}, {"s": {"$eq": "x"}}]},
            },
        ),
        (
            {"key": {"a": 1}, "partialFilterExpression": {"$or": [{"s": "x"}, {"s": "y"}]}},
            {"key": {"a": 1}, "partialFilterExpression": {"$or": [{"s": {"$eq": "y"}}, {"s": "x"}]}},
        ),
        (
            {"key": {"c": 1, "t": "text", "u": "text", "z": -1}, "weights": {"t": 10}},
            {
                "key": {"c": 1, "_fts": "text", "_ftsx": 1, "z": -1},
                "weights": {"u": 1, "t": 10},
                "default_language": "english",
                "language_override": "language",
                "textIndexVersion": 3,
            },
        ),
    ],
)
def test_two_ways_to_write_an_index_are_equal(written: dict[str, Any], found: dict[str, Any]) -> None:
    assert definition(written) == definition(found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"key": {"a": 1, "b": 1}}, {"key": {"b": 1, "a": 1}}),
        ({"key": {"a": 1}}, {"key": {"a": -1}}),
        ({"key": {"a": 1}}, {"key": {"a": 1}, "expireAfterSeconds": 0}),
        ({"key": {"a": 1}}, {"key": {"a": 1}, "collation": {"locale": "ru"}}),
        (
            {"key": {"a": 1}, "partialFilterExpression": {"n": 1}},
            {"key": {"a": 1}, "partialFilterExpression": {"n": True}},
        ),
        ({"key": {"t": "text"}}, {"key": {"t": "text"}, "default_language": "russian"}),
    ],
)
def test_indexes_that_work_differently_are_not_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert definition(one) != definition(other)


def test_values_are_written_as_mongosh_reads_them() -> None:
    value = {
        "_id": ObjectId("65f000000000000000000001"),
        "stock.geozone": ["msk", None, True, 1.5],
        "price": Decimal128("9.90"),
        "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "range": [MinKey(), MaxKey()],
    }
    assert shell(value) == (
        '{_id: ObjectId("65f000000000000000000001"), "stock.geozone": ["msk", null, true, 1.5], '
        'price: NumberDecimal("9.90"), at: ISODate("2026-01-02T03:04:05.000Z"), range: [MinKey(), MaxKey()]}'
    )
