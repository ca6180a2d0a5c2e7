"""What one document may hold, counted on its text and its syntax tree before anything is executed.

Everything here takes time in proportion to the document: a fragment is visited once, however often it is spread.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.conf import settings
from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    ListValueNode,
    Node,
    OperationDefinitionNode,
    SelectionSetNode,
)

from gateway.graphql.errors import Refused
from gateway.texts import Text

Fragments = Mapping[str, FragmentDefinitionNode]

EXCEEDED = Text("{what_ru}: {value}, а можно не больше {maximum}.", "{what_en}: {value}, at most {maximum} allowed.")

# Each guess at a password must pass the throttle by itself.
SIGNING_IN = {"login", "register"}


class Limit(NamedTuple):
    name: str
    setting: str
    ru: str
    en: str

    def check(self, value: int) -> None:
        maximum = getattr(settings, self.setting)
        if value > maximum:
            raise self.refusal(value, maximum)

    def refusal(self, value: int | str, maximum: int) -> Refused:
        return Refused(
            "LIMIT_EXCEEDED",
            EXCEEDED,
            details={"limit": self.name, "maximum": maximum, "value": value},
            what_ru=self.ru,
            what_en=self.en,
            value=value,
            maximum=maximum,
        )


BODY = Limit("bodyBytes", "GRAPHQL_MAX_BODY_BYTES", "Размер тела запроса в байтах", "Bytes of the body")
CHARACTERS = Limit("characters", "GRAPHQL_MAX_CHARACTERS", "Символов в документе", "Characters of the document")
TOKENS = Limit("tokens", "GRAPHQL_MAX_TOKENS", "Лексем в документе", "Tokens of the document")
DEPTH = Limit("depth", "GRAPHQL_MAX_DEPTH", "Глубина вложенности полей", "Depth of nested fields")
INTROSPECTION_DEPTH = Limit(
    "introspectionDepth", "GRAPHQL_MAX_INTROSPECTION_DEPTH", "Глубина интроспекции", "Depth of introspection"
)
ALIASES = Limit("aliases", "GRAPHQL_MAX_ALIASES", "Псевдонимов в документе", "Aliases in the document")
DIRECTIVES = Limit("directives", "GRAPHQL_MAX_DIRECTIVES", "Директив в документе", "Directives in the document")
ROOT_FIELDS = Limit(
    "rootFields", "GRAPHQL_MAX_ROOT_FIELDS", "Полей в корне операции", "Fields at the root of the operation"
)
REPEATS = Limit("repeats", "GRAPHQL_MAX_REPEATS", "Повторений одного поля", "Repetitions of one field")
FRAGMENTS = Limit("fragments", "GRAPHQL_MAX_FRAGMENTS", "Вставок фрагментов", "Spreads of fragments")
PAGE = Limit("page", "GRAPHQL_MAX_PAGE", "Размер страницы", "Size of a page")
LIST = Limit("list", "GRAPHQL_MAX_LIST", "Элементов в списке", "Elements of a list")

TOO_MANY_SIGN_INS = Text(
    "В одном документе можно войти или зарегистрироваться только один раз.",
    "One document may sign in or register only once.",
)


def check_syntax(document: DocumentNode) -> None:
    """What can be counted without a schema, so that validation itself is cheap."""
    counts: Counter[str] = Counter()
    fields: Counter[str] = Counter()
    for node in _nodes(document):
        match node:
            case FieldNode():
                fields[node.alias.value if node.alias else node.name.value] += 1
                counts["aliases"] += node.alias is not None
            case FragmentSpreadNode() | InlineFragmentNode():
                counts["spreads"] += 1
            case DirectiveNode():
                counts["directives"] += 1
            case ListValueNode():
                LIST.check(len(node.values))
    ALIASES.check(counts["aliases"])
    DIRECTIVES.check(counts["directives"])
    FRAGMENTS.check(counts["spreads"])
    REPEATS.check(max(fields.values(), default=0))


def check_operations(document: DocumentNode, fragments: Fragments) -> None:
    """For a valid document, whose fragments therefore have no cycles."""
    measured = _Measured(fragments)
    for operation in document.definitions:
        if isinstance(operation, OperationDefinitionNode):
            roots = measured.root_fields(operation.selection_set)
            ROOT_FIELDS.check(sum(roots.values()))
            if sum(roots[name] for name in SIGNING_IN) > 1:
                raise Refused("LIMIT_EXCEEDED", TOO_MANY_SIGN_INS, details={"limit": "signIns", "maximum": 1})
            ordinary, introspection = measured.depth(operation.selection_set)
            DEPTH.check(ordinary)
            INTROSPECTION_DEPTH.check(introspection)


def check_values(values: object) -> None:
    """Lists in variables, however deep they lie."""
    pending = [values]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            LIST.check(len(value))
            pending += value
        elif isinstance(value, dict):
            pending += value.values()


class _Measured:
    """Depth and root fields through fragments, each fragment measured once."""

    def __init__(self, fragments: Fragments) -> None:
        self._fragments = fragments
        self._depths: dict[str, tuple[int, int]] = {}
        self._roots: dict[str, Counter[str]] = {}

    def depth(self, selections: SelectionSetNode | None) -> tuple[int, int]:
        """Levels of fields below: of the shop's own, and of introspection."""
        ordinary = introspection = 0
        for selection in selections.selections if selections else ():
            match selection:
                case FieldNode():
                    below, asked = self.depth(selection.selection_set)
                    if selection.name.value in {"__schema", "__type"}:
                        below, asked = 0, 1 + max(below, asked)
                    else:
                        below += 1
                case FragmentSpreadNode():
                    below, asked = self._depth_of_fragment(selection.name.value)
                case InlineFragmentNode():
                    below, asked = self.depth(selection.selection_set)
            ordinary, introspection = max(ordinary, below), max(introspection, asked)
        return ordinary, introspection

    def _depth_of_fragment(self, name: str) -> tuple[int, int]:
        if name not in self._depths:
            self._depths[name] = self.depth(self._fragments[name].selection_set)
        return self._depths[name]

    def root_fields(self, selections: SelectionSetNode) -> Counter[str]:
        found: Counter[str] = Counter()
        for selection in selections.selections:
            match selection:
                case FieldNode():
                    found[selection.name.value] += 1
                case FragmentSpreadNode():
                    name = selection.name.value
                    if name not in self._roots:
                        self._roots[name] = self.root_fields(self._fragments[name].selection_set)
                    found += self._roots[name]
                case InlineFragmentNode():
                    found += self.root_fields(selection.selection_set)
        return found


def _nodes(root: Node) -> Iterator[Node]:
    pending: list[Any] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Node):
            yield node
            pending += [getattr(node, key) for key in node.keys if key != "loc"]
        elif isinstance(node, list | tuple):
            pending += node
