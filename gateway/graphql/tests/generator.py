"""Documents made at random from a schema: valid ones, and what malice or a bug could make of them."""

import json
import string
from collections.abc import Callable
from random import Random
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
    is_required_input_field,
)

MAX_DEPTH = 7
STRINGS = ("", "msk", "smartphones", "PROD-1", "телефон", "$where", '{"$ne": null}', "\\u0000", "a" * 300, "../etc")
HOSTILE_JSON: tuple[Any, ...] = (None, [], {}, "x", -1, 2**31, 1e308, True, [[]], {"$gt": ""}, "9" * 400, [None] * 101)


class Generator:
    def __init__(self, schema: GraphQLSchema, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - repeatable, not secret
        self._schema = schema

    def request(self) -> dict[str, Any]:
        """A valid request, as far as a schema can say."""
        roots = [root for root in (self._schema.query_type, self._schema.mutation_type) if root]
        # Queries far more often, as in life.
        root = self.random.choices(roots, weights=[9, 1][: len(roots)])[0]
        kind = "mutation" if root is self._schema.mutation_type else "query"
        return {"query": f"{kind} Q{self.random.randrange(10**6)} {self._selection(root, 0)}"}

    def hostile_request(self) -> dict[str, Any]:
        """A request that somebody has tampered with."""
        ways = [
            *(self._cut, self._replace_characters, self._repeat, self._nest, self._bomb),
            *(self._strange_variables, self._strange_envelope, self._strange_hash, self._introspect),
        ]
        return self.random.choice(ways)(self.request())

    def hostile_body(self) -> bytes:
        body = bytearray(json.dumps(self.request()).encode())
        for _ in range(self.random.randrange(1, 6)):
            body[self.random.randrange(len(body))] = self.random.randrange(256)
        return bytes(body)

    def _selection(self, parent: GraphQLObjectType | GraphQLInterfaceType, depth: int) -> str:
        fields = list(parent.fields.items())
        leaves = [name for name, field in fields if is_leaf_type(get_named_type(field.type)) and not field.args]
        chosen = self.random.sample(fields, k=min(len(fields), self.random.randrange(1, 5)))
        if depth >= MAX_DEPTH:
            return "{ " + " ".join(leaves or ["__typename"]) + " }"
        return "{ " + " ".join(self._field(name, field, depth) for name, field in chosen) + " }"

    def _field(self, name: str, field: GraphQLField, depth: int) -> str:
        arguments = [
            f"{key}: {self._literal(argument.type, 0)}"
            for key, argument in field.args.items()
            if is_required_argument(argument) or self.random.random() < 0.3
        ]
        text = name + (f"({', '.join(arguments)})" if arguments else "")
        text += self.random.choice(("", "", "", " @include(if: true)", " @skip(if: false)"))
        type_ = get_named_type(field.type)
        if isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
            below = self._selection(type_, depth + 1)
            text += self.random.choice((" " + below, f" {{ __typename ... on {type_.name} {below} }}"))
        elif isinstance(type_, GraphQLUnionType):
            text += " { __typename }"
        return text

    def _literal(self, type_: Any, depth: int) -> str:
        if isinstance(type_, GraphQLNonNull):
            return self._literal(type_.of_type, depth)
        if isinstance(type_, GraphQLList):
            return "[" + ", ".join(self._literal(type_.of_type, depth) for _ in range(self.random.randrange(3))) + "]"
        if isinstance(type_, GraphQLEnumType):
            return str(self.random.choice(list(type_.values)))
        if isinstance(type_, GraphQLInputObjectType):
            fields = [
                f"{name}: {self._literal(field.type, depth + 1)}"
                for name, field in type_.fields.items()
                if is_required_input_field(field) or (depth < 3 and self.random.random() < 0.4)
            ]
            return "{" + ", ".join(fields) + "}"
        literals: dict[str, Callable[[], str]] = {
            "Int": lambda: str(self.random.choice((0, 1, 5, 24, 100, -1, 101))),
            "Float": lambda: self.random.choice(("0.5", "1e3")),
            "Boolean": lambda: self.random.choice(("true", "false")),
            "Decimal": lambda: self.random.choice(('"1.50"', '"0"', '"NaN"', '"1e99"', '"-1"')),
        }
        literal = literals.get(type_.name)
        return literal() if literal else json.dumps(self.random.choice(STRINGS))

    def _cut(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"query": request["query"][: self.random.randrange(1, len(request["query"]))]}

    def _replace_characters(self, request: dict[str, Any]) -> dict[str, Any]:
        text = list(request["query"])
        for _ in range(self.random.randrange(1, 8)):
            text[self.random.randrange(len(text))] = self.random.choice(string.printable + "ы\u2028\ufeff\U0001f4f1")
        return {"query": "".join(text)}

    def _repeat(self, request: dict[str, Any]) -> dict[str, Any]:
        inner = request["query"].partition("{")[2].rpartition("}")[0]
        return {"query": "{" + inner * self.random.randrange(2, 200) + "}"}

    def _nest(self, _: dict[str, Any]) -> dict[str, Any]:
        opening = self.random.choice(("{ a ", "{ ... ", "{ a(b: [", "{ a(b: {c: "))
        return {"query": opening * self.random.randrange(10, 1_500)}

    def _bomb(self, _: dict[str, Any]) -> dict[str, Any]:
        levels = self.random.randrange(5, 45)
        fragments = [f"fragment F{n} on Query {{ ...F{n + 1} ...F{n + 1} }}" for n in range(levels)]
        last = self.random.choice(("__typename", "...F0", "geozones { code }"))
        return {"query": "{ ...F0 } " + " ".join(fragments) + f" fragment F{levels} on Query {{ {last} }}"}

    def _strange_variables(self, request: dict[str, Any]) -> dict[str, Any]:
        type_ = self.random.choice(("Int", "String!", "[ID!]!", "Boolean", "Nothing"))
        query = f"query ($v: {type_}) {{ __typename @include(if: $v) }}"
        variables = {"v": self.random.choice(HOSTILE_JSON)}
        return {"query": self.random.choice((query, request["query"])), "variables": variables}

    def _strange_envelope(self, request: dict[str, Any]) -> dict[str, Any]:
        key = self.random.choice(("query", "variables", "operationName", "extensions", "documentId"))
        return {**request, key: self.random.choice(HOSTILE_JSON)}

    def _strange_hash(self, _: dict[str, Any]) -> dict[str, Any]:
        persisted = {"version": 1, "sha256Hash": self.random.choice(HOSTILE_JSON)}
        return {"extensions": {"persistedQuery": persisted}}

    def _introspect(self, _: dict[str, Any]) -> dict[str, Any]:
        levels = self.random.randrange(1, 12)
        return {"query": "{ __schema { types " + "{ fields { type " * levels + "{ name }" + " } }" * levels + " } }"}
