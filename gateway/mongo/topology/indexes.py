"""Comparing declared indexes with found ones. The server rewrites what it is given, so both take one form first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bson import Decimal128

from gateway.mongo.collections import Index
from gateway.mongo.topology.cluster import FoundIndex
from gateway.mongo.topology.shell import shell

# What the server adds or chooses by itself, and what says nothing about the index's work.
IRRELEVANT = {"v", "ns", "name", "key", "background", "textIndexVersion", "2dsphereIndexVersion"}
TEXT_DEFAULTS = {"default_language": "english", "language_override": "language"}


@dataclass(frozen=True, slots=True)
class Definition:
    """What an index is, apart from its name; equal for two indexes that do the same."""

    keys: tuple[tuple[str, Any], ...]
    options: Mapping[str, Any]

    @property
    def is_text(self) -> bool:
        return ("_fts", "text") in self.keys

    def rivals(self, other: "Definition") -> bool:
        """Whether a collection cannot have both: they have the same keys, or are both text indexes."""
        return self.keys == other.keys or (self.is_text and other.is_text)


@dataclass(frozen=True, slots=True)
class IndexDrift:
    found: FoundIndex
    declared: Index | None
    """None when nobody declared the index."""


@dataclass(frozen=True, slots=True)
class Comparison:
    missing: tuple[Index, ...]
    drifts: tuple[IndexDrift, ...]


def specification(index: Index) -> dict[str, Any]:
    """The index as createIndexes takes it."""
    options = {
        "unique": index.unique or None,
        "partialFilterExpression": index.where and dict(index.where),
        "expireAfterSeconds": index.expire_after_seconds,
        "default_language": index.default_language,
        "weights": index.weights and dict(index.weights),
    }
    given = {option: value for option, value in options.items() if value is not None}
    return {"key": dict(index.keys), "name": index.name, **given}


def described(spec: Mapping[str, Any]) -> str:
    """The index in one line as one would declare it: keys, then what sets it apart."""
    keys: dict[str, Any] = {}
    for field, direction in spec["key"].items():
        if field == "_fts":
            keys |= dict.fromkeys(spec["weights"], "text")
        elif field != "_ftsx":
            keys[field] = direction
    options = {option: value for option, value in spec.items() if option not in IRRELEVANT}
    told = [f"{option}: {shell(options[option])}" for option in sorted(options) if option != "language_override"]
    return ", ".join([shell(keys), *told])


def compare(wanted: Sequence[Index], found: Sequence[FoundIndex], tolerated: Sequence[Index] = ()) -> Comparison:
    """The indexes that are missing on some shard, and those that differ. `tolerated` may exist but need not."""
    definitions = [(index, definition(specification(index))) for index in wanted]
    known = [definition(specification(index)) for index in (*wanted, *tolerated)]
    strays = [index for index in found if index.name != "_id_" and definition(index.spec) not in known]
    shards = frozenset[str]().union(*(index.shards for index in found))
    missing: list[Index] = []
    drifts: list[IndexDrift] = []
    for index, declared in definitions:
        # One that is still being built counts as missing: createIndexes then waits for it.
        ready = frozenset[str]().union(*(f.ready for f in found if definition(f.spec) == declared))
        if shards and shards == ready:
            continue
        rivals = [f for f in strays if f.name == index.name or definition(f.spec).rivals(declared)]
        if rivals:
            drifts += [IndexDrift(rival, index) for rival in rivals]
            strays = [stray for stray in strays if stray not in rivals]
        else:
            missing.append(index)
    drifts += [IndexDrift(stray, None) for stray in strays]
    return Comparison(tuple(missing), tuple(drifts))


def cure(collection: str, drift: IndexDrift) -> str:
    """The cheapest command for mongosh that makes the declaration true."""
    name, drop = drift.found.name, f'db.{collection}.dropIndex("{drift.found.name}")'
    if drift.declared is None:
        return f"declare it, or {drop}"
    declared, found = definition(specification(drift.declared)), definition(drift.found.spec)
    if declared.keys == found.keys:
        match _differences(declared, found):
            case {"expireAfterSeconds": int(seconds), **others} if not others:
                return _modify(collection, name, expireAfterSeconds=seconds)
            case {"hidden": None, **others} if not others:
                return _modify(collection, name, hidden=False)
            case {"unique": True, **others} if not others:
                prepare = _modify(collection, name, prepareUnique=True)
                return f"{prepare}, then {_modify(collection, name, unique=True)}"
    return f"{drop}, then manage.py topology apply"


def _modify(collection: str, index: str, **change: Any) -> str:
    return f"db.runCommand({shell({'collMod': collection, 'index': {'name': index, **change}})})"


def _differences(declared: Definition, found: Definition) -> dict[str, Any]:
    """What the declaration says about each option on which the two differ; None when it says nothing."""
    return {
        option: declared.options.get(option)
        for option in {*declared.options, *found.options}
        if declared.options.get(option) != found.options.get(option)
    }


def definition(spec: Mapping[str, Any]) -> Definition:
    """What the index is: equal for a declaration's specification and for what the server made of it."""
    options = {option: value for option, value in spec.items() if option not in IRRELEVANT}
    keys = list(spec["key"].items())
    texts = [field for field, direction in keys if direction == "text" and field != "_fts"]
    if texts:
        first = next(position for position, (_, direction) in enumerate(keys) if direction == "text")
        before, after = keys[:first], [key for key in keys[first:] if key[1] != "text"]
        keys = [*before, ("_fts", "text"), ("_ftsx", 1), *after]
        options["weights"] = dict.fromkeys(texts, 1) | options.get("weights", {})
    if ("_fts", "text") in keys:
        options = TEXT_DEFAULTS | options
    if "partialFilterExpression" in options:
        options["partialFilterExpression"] = frozenset(_conditions(options["partialFilterExpression"]))
    # `unique: false` and its like are the same as nothing; an expireAfterSeconds of 0 is not.
    return Definition(tuple(keys), {option: value for option, value in options.items() if value is not False})


def _conditions(expression: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The expression as a set of conditions that all hold: `$and` dissolved, `{field: value}` spelled `$eq`."""
    for field, condition in expression.items():
        if field == "$and":
            for part in condition:
                yield from _conditions(part)
        elif field.startswith("$"):
            yield field, frozenset(frozenset(_conditions(part)) for part in condition)
        elif isinstance(condition, Mapping) and next(iter(condition), "").startswith("$"):
            for operator, value in condition.items():
                yield f"{field} {operator}", _typed(value)
        else:
            yield f"{field} $eq", _typed(condition)


def _typed(value: Any) -> Any:
    """The value with its type: equal where MongoDB finds values equal. 5 is 5.0, but 1 is not true, as in Python."""
    match value:
        case bool():
            return ("bool", value)
        case int() | float():
            return ("number", Decimal(value))
        case Decimal128():
            return ("number", value.to_decimal())
        case Mapping():
            return ("object", tuple((field, _typed(item)) for field, item in value.items()))
        case list() | tuple():
            return ("array", tuple(_typed(item) for item in value))
        case _:
            return (type(value).__name__, value)
