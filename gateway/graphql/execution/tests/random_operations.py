"""Operations made at random from a schema, with all that makes executing them hard; the same for the same seed.

Aliases and merged selections, fragments named and inline on objects, interfaces and unions, @skip and @include by
literals and variables, variables right, missing, null and wrong, with and without defaults, at any place of a value.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, cast

from graphql import (
    GraphQLCompositeType,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_non_null_type,
    is_required_argument,
    is_required_input_field,
    parse,
    validate,
)
from graphql.pyutils import Undefined

MAX_DEPTH = 4
SCALARS: Mapping[str, Sequence[Any]] = {
    "Int": (0, 1, 2, 5, -1, 2**31 - 1),
    "Float": (0, 0.5, 3, -2.5, 1e3),
    "String": ("", "a", "телефон", "$where"),
    "ID": ("1", "x", 7),
    "Boolean": (True, False),
}
WRONG: Sequence[Any] = (None, "x", [], {}, 2**40, 1.5, True, [None], {"x": 1})
# Such fields are left to graphql-core: often enough to be met, rarely enough that most operations compile.
RARE_PREFIXES = ("bad", "rare")
RARE = 0.02
# One more than are compiled, now and then.
MOST_FLAGS = 6


class Asked(NamedTuple):
    """What a client may send."""

    text: str
    variables: dict[str, Any]


@dataclass
class _Operation:
    """What one operation has collected so far."""

    variables: dict[str, str] = field(default_factory=dict)
    """Their declarations, by name."""
    values: dict[str, Any] = field(default_factory=dict)
    fragments: dict[str, tuple[GraphQLCompositeType, str]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


class RandomOperations:
    """Queries of one schema, without the fields that are to be avoided.

    `pools` has values for arguments and input fields by their names: ids that exist.
    """

    def __init__(
        self,
        schema: GraphQLSchema,
        seed: int,
        pools: Mapping[str, Sequence[Any]] | None = None,
        avoided: Collection[str] = (),
    ) -> None:
        self._avoided = avoided
        self._random = Random(seed)  # noqa: S311 - repeatable, not secret
        self._schema = schema
        self._pools = pools or {}
        self._made = _Operation()

    def operation(self) -> Asked:
        """A valid query; its variables need not be."""
        while True:
            asked = self._try()
            if not validate(self._schema, parse(asked.text, no_location=True), max_errors=1):
                return asked

    def _try(self) -> Asked:
        self._made = made = _Operation()
        root = cast("GraphQLObjectType", self._schema.query_type)
        body = self._selections(root, 0)
        declared = f" ({', '.join(made.variables.values())})" if made.variables else ""
        fragments = [f"fragment {name} on {type_.name} {text}" for name, (type_, text) in made.fragments.items()]
        return Asked("\n".join([f"query Q{declared} {body}", *fragments]), made.values)

    def _selections(self, parent: GraphQLCompositeType, depth: int) -> str:
        parts: list[str] = []
        for _ in range(self._random.choice((1, 2, 2, 3))):
            parts += self._selection(parent, depth)
        return "{ " + " ".join(parts or ["__typename"]) + " }"

    def _selection(self, parent: GraphQLCompositeType, depth: int) -> list[str]:
        kind = self._random.random()
        if kind < 0.08 or (isinstance(parent, GraphQLUnionType) and kind < 0.3):
            return [self._random.choice(("__typename", "kind: __typename")) + self._directives()]
        if kind < 0.2 or isinstance(parent, GraphQLUnionType):
            return [self._inline_fragment(parent, depth)]
        if kind < 0.32:
            return [self._spread(parent, depth)]
        return self._field(parent, depth)

    def _field(self, parent: GraphQLObjectType | GraphQLInterfaceType, depth: int) -> list[str]:
        names = [
            name
            for name, each in parent.fields.items()
            if (depth < MAX_DEPTH or not is_composite_type(get_named_type(each.type)))
            and name not in self._avoided
            and (not name.startswith(RARE_PREFIXES) or self._random.random() < RARE)
        ]
        if not names:
            return ["__typename"]
        name = self._random.choice(names)
        definition = parent.fields[name]
        alias = self._random.choice(("", "", "", f"my_{name}: ", f"a{self._random.randrange(100)}: "))
        head = alias + name + self._arguments(definition)
        times = 2 if self._random.random() < 0.2 else 1
        type_ = get_named_type(definition.type)
        if not is_composite_type(type_):
            return [head + self._directives() for _ in range(times)]
        return [head + self._directives() + " " + self._selections(type_, depth + 1) for _ in range(times)]

    def _inline_fragment(self, parent: GraphQLCompositeType, depth: int) -> str:
        on = self._condition(parent)
        condition = "" if on is parent and self._random.random() < 0.5 else f" on {on.name}"
        return f"...{condition}{self._directives()} {self._selections(on, depth + 1)}"

    def _spread(self, parent: GraphQLCompositeType, depth: int) -> str:
        known = [name for name, (on, _) in self._made.fragments.items() if self._overlap(on, parent)]
        if known and self._random.random() < 0.6:
            name = self._random.choice(known)
        else:
            on = self._condition(parent)
            text = self._selections(on, max(depth + 1, 3))
            name = f"F{len(self._made.fragments)}"
            self._made.fragments[name] = (on, text)
        return f"...{name}{self._directives()}"

    def _condition(self, parent: GraphQLCompositeType) -> GraphQLCompositeType:
        """A type by which objects at this place may be chosen."""
        types = [
            each
            for each in self._schema.type_map.values()
            if is_composite_type(each) and not each.name.startswith("__") and self._overlap(each, parent)
        ]
        return self._random.choice(types)

    def _overlap(self, one: GraphQLCompositeType, other: GraphQLCompositeType) -> bool:
        return bool(self._possible(one) & self._possible(other))

    def _possible(self, type_: GraphQLCompositeType) -> set[str]:
        if isinstance(type_, GraphQLObjectType):
            return {type_.name}
        return {each.name for each in self._schema.get_possible_types(type_)}

    def _directives(self) -> str:
        chosen = [name for name in ("skip", "include") if self._random.random() < 0.08]
        return "".join([f" @{name}(if: {self._flag()})" for name in chosen])

    def _flag(self) -> str:
        made = self._made
        if self._random.random() < 0.4:
            return self._random.choice(("true", "false"))
        if made.flags and self._random.random() < (0.5 if len(made.flags) < MOST_FLAGS else 0.97):
            return "$" + self._random.choice(made.flags)
        name = f"if{len(made.flags)}"
        made.flags.append(name)
        default = self._random.choice((None, None, "true", "false"))
        made.variables[name] = f"${name}: Boolean" + ("!" if default is None else f" = {default}")
        if default is None or self._random.random() < 0.6:
            made.values[name] = self._random.choice((True, False))
        elif self._random.random() < 0.1:
            made.values[name] = None
        return f"${name}"

    def _arguments(self, definition: GraphQLField) -> str:
        given = [
            f"{name}: {self._literal(argument.type, self._value(argument.type, name, 0), _has_default(argument))}"
            for name, argument in definition.args.items()
            if is_required_argument(argument) or self._random.random() < 0.5
        ]
        return f"({', '.join(given)})" if given else ""

    def _value(self, type_: GraphQLInputType, name: str, depth: int) -> Any:
        """A value as JSON would bring it."""
        if not is_non_null_type(type_) and self._random.random() < 0.1:
            return None
        inner = get_nullable_type(type_)
        if name in self._pools and not isinstance(inner, GraphQLList):
            return self._random.choice(self._pools[name])
        if isinstance(inner, GraphQLList):
            # One value stands for a list of one.
            if self._random.random() < 0.15:
                return self._value(GraphQLNonNull(get_nullable_type(inner.of_type)), name, depth)
            return [self._value(inner.of_type, name, depth) for _ in range(self._random.randrange(4))]
        if isinstance(inner, GraphQLEnumType):
            return self._random.choice(list(inner.values))
        if isinstance(inner, GraphQLInputObjectType):
            return self._object(inner, depth)
        return self._random.choice(SCALARS.get(inner.name, SCALARS["String"]))

    def _object(self, type_: GraphQLInputObjectType, depth: int) -> dict[str, Any]:
        fields = list(type_.fields.items())
        if type_.is_one_of:
            name, one = self._random.choice(fields)
            return {name: self._value(GraphQLNonNull(one.type), name, depth + 1)}
        return {
            name: self._value(each.type, name, depth + 1)
            for name, each in fields
            if is_required_input_field(each) or (depth < 3 and self._random.random() < 0.5)
        }

    def _literal(self, type_: GraphQLInputType, value: Any, has_default: bool = False) -> str:
        """The value as a document has it, with variables in some places."""
        if self._random.random() < 0.3:
            return self._variable(type_, value, has_default=has_default)
        inner = get_nullable_type(type_)
        if value is None:
            return "null"
        if isinstance(inner, GraphQLList):
            if not isinstance(value, list):
                return self._literal(inner.of_type, value)
            return "[" + ", ".join(self._literal(inner.of_type, each) for each in value) + "]"
        if isinstance(inner, GraphQLInputObjectType) and isinstance(value, dict):
            fields = [
                f"{name}: {self._literal(inner.fields[name].type, each, _has_default(inner.fields[name]))}"
                for name, each in value.items()
            ]
            return "{" + ", ".join(fields) + "}"
        return value if isinstance(inner, GraphQLEnumType) else json.dumps(value, ensure_ascii=False)

    def _variable(self, type_: GraphQLInputType, value: Any, *, has_default: bool) -> str:
        made, chance = self._made, self._random.random()
        name = f"v{len(made.variables)}"
        declared = str(type_)
        if has_default and is_non_null_type(type_) and chance < 0.5:
            declared = declared.rstrip("!")
        elif not is_non_null_type(type_) and value is not None and chance < 0.2:
            declared += "!"
        made.variables[name] = f"${name}: {declared}"
        if not declared.endswith("!") and self._random.random() < 0.25:
            # A default, and then perhaps no value.
            made.variables[name] += f" = {_constant(type_, value)}"
            value = self._random.choice((Undefined, Undefined, value, None))
        elif not declared.endswith("!") and self._random.random() < 0.3:
            value = self._random.choice((Undefined, None))
        if self._random.random() < 0.02:
            value = self._random.choice(WRONG)
        if value is not Undefined:
            made.values[name] = value
        return f"${name}"


def _has_default(definition: Any) -> bool:
    return definition.default is not None or definition.default_value is not Undefined


def _constant(type_: GraphQLInputType, value: Any) -> str:
    """The value as a document has it, without variables."""
    inner = get_nullable_type(type_)
    if value is None:
        return "null"
    if isinstance(inner, GraphQLList):
        each_of = value if isinstance(value, list) else [value]
        return "[" + ", ".join(_constant(inner.of_type, each) for each in each_of) + "]"
    if isinstance(inner, GraphQLInputObjectType) and isinstance(value, dict):
        return (
            "{" + ", ".join(f"{name}: {_constant(inner.fields[name].type, each)}" for name, each in value.items()) + "}"
        )
    return str(value) if isinstance(inner, GraphQLEnumType) else json.dumps(value, ensure_ascii=False)
