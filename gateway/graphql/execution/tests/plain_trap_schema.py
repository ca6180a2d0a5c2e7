"""Traps of graphql-core's own, which Strawberry hides: dictionaries as objects, functions in them, types found late.

Fields named `bad…` always fall or fail.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from graphql import GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema, build_schema

SDL = """
interface Named { name: String! }
interface Creature implements Named { name: String! legs: Int }
type Fish implements Named { name: String! weight: Float }
type Bird implements Named & Creature {
  name: String! legs: Int mate: Creature nest(eggs: Int = 2, of: [Kind!]): String!
}
type Horse implements Named & Creature { name: String! legs: Int foals(first: Int! = 1): [Horse] rider: Named }
union Any = Fish | Bird | Horse
union Told = Horse | Fish
enum Kind { BIG SMALL }
input Box { kind: Kind! = BIG size: Int = 3 inner: Box labels: [String] must: Int! = 4 }
input One @oneOf { a: Int b: String c: Box }
type Leaf { whole: Int! real: Float! id: ID! text: String! yes: Boolean! kind: Kind kinds: [Kind] matrix: [[Int]!]
  badTrue: Int badWhole: Int badBig: Int badNan: Float badKind: Kind! badList: [Int] badError: String badLater: String
  badNull: String! badDeep: [[Int!]!] badAbsent: Int! }
type Query {
  leaf: Leaf! noLeaf: Leaf leaves(number: Int = 2): [Leaf!]!
  creatures: [Creature!]! named: [Named] anything: [Any!]! told: [Told] badToldLater: [Told]
  later: Leaf called(text: String): String echo(box: Box, boxes: [Box!], one: One, kind: Kind = SMALL): String!
  echoRequired(box: Box! = {size: 1}, number: Int! = 1): String! path: [Creature] lazy(id: ID): Leaf
  badCreature: Creature badAny: Any badTold: Told badRaise: Leaf badRaiseLater: Leaf! badFish: Fish
}
"""

FISH = {"__typename": "Fish", "name": "Nemo", "weight": 0.5}
BIRD = {"__typename": "Bird", "name": "Tweety", "legs": 2, "nest": lambda _info, **given: repr(given)}
HORSE = {"__typename": "Horse", "name": "Bojack", "legs": 4}
LEAF = {
    "whole": 1,
    "real": 2.5,
    "id": 7,
    "text": 5,
    "yes": 1,
    "kind": "BIG",
    "kinds": ["SMALL", None],
    "matrix": [[1], []],
    "badTrue": "true",
    "badWhole": 1.5,
    "badBig": 2**31,
    "badNan": float("inf"),
    "badKind": "MIDDLE",
    "badList": iter((1, 2)),
    "badError": ValueError("held"),
    "badNull": None,
    "badDeep": [[1, None]],
}


async def _later(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


def _raise(*_: Any, **__: Any) -> Any:
    raise ValueError("raised")


async def _raise_later(*_: Any) -> Any:
    await asyncio.sleep(0)
    raise ValueError("raised later")


async def _leaf_later(*_: Any, **__: Any) -> Any:
    return await _later(dict(LEAF, badList=(1, None)))


def _path(_: Any, info: GraphQLResolveInfo) -> list[Any]:
    def name(about: GraphQLResolveInfo) -> str:
        return repr(about.path.as_list())

    return [
        None,
        {"__typename": "Bird", "name": name, "legs": 2},
        {"__typename": "Horse", "name": repr(info.path.as_list())},
    ]


RESOLVERS: dict[str, Callable[..., Any]] = {
    "leaf": lambda *_: dict(LEAF),
    "noLeaf": lambda *_: None,
    "leaves": lambda _, __, number: tuple(dict(LEAF, whole=each) for each in range(max(0, min(number or 0, 3)))),
    "creatures": lambda *_: [dict(BIRD, mate=HORSE), HORSE],
    "named": lambda *_: [FISH, None, BIRD],
    "anything": lambda *_: [FISH, dict(HORSE, rider=BIRD), BIRD],
    "told": lambda *_: [HORSE, None, FISH],
    "badToldLater": lambda *_: _later([FISH, HORSE]),
    "later": _leaf_later,
    "called": lambda _, __, **given: repr(given),
    "echo": lambda _, __, **given: repr(given),
    "echoRequired": lambda _, __, **given: repr(given),
    "path": _path,
    "lazy": _leaf_later,
    "badCreature": lambda *_: FISH,
    "badAny": lambda *_: {"__typename": "Nothing"},
    "badTold": lambda *_: BIRD,
    "badRaise": _raise,
    "badRaiseLater": _raise_later,
    "badFish": lambda *_: 5,
}


def plain_trap_schema() -> GraphQLSchema:
    schema = build_schema(SDL)
    for name, resolver in RESOLVERS.items():
        schema.query_type.fields[name].resolve = resolver  # type: ignore[union-attr]
    horse, fish = (schema.type_map[name] for name in ("Horse", "Fish"))
    assert isinstance(horse, GraphQLObjectType)
    assert isinstance(fish, GraphQLObjectType)
    horse.fields["foals"].resolve = lambda _, __, first: [HORSE if each % 2 else None for each in range(min(first, 3))]
    schema.type_map["Told"].resolve_type = lambda value, _, __: value["__typename"]  # type: ignore[attr-defined]
    fish.is_type_of = lambda value, _: isinstance(value, dict) and value["__typename"] == "Fish"
    return schema
