"""Limits on a document, counted on its text and its syntax tree before it is validated or executed.

Everything here takes time in proportion to the document: a fragment is visited once, however often it is spread. The
document has not been validated yet: its fragments may be missing, or spread one another in a circle.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from django.conf import settings
from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    ListValueNode,
    NameNode,
    Node,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS

from gateway.domain.texts import Text
from gateway.graphql.errors import RequestRefused

Fragments = Mapping[str, FragmentDefinitionNode]

EXCEEDED = Text(
    "{what}{where}: {value}, а можно не больше {maximum}.", "{what}{where}: {value}, at most {maximum} allowed."
)

# Each guess at a password must pass the throttle by itself.
SIGNING_IN = {"login", "register"}


Where = Node | Sequence[str | int] | None
# A path is as long as a caller likes.
MAX_PLACE = 100


def _told(where: Where) -> str:
    """«line:column» of a node, «$filter.attributes.0» of a variable."""
    if isinstance(where, VariableNode):
        return f"${where.name.value}"
    if isinstance(where, Node):
        return f"{where.loc.start_token.line}:{where.loc.start_token.column}" if where.loc else ""
    return ".".join(map(str, where or ()))[:MAX_PLACE]


class Limit(NamedTuple):
    name: str
    setting: str
    ru: str
    en: str

    def check(self, value: int, where: "Where" = None) -> None:
        """`where`: the node of the document, or the path of the variable, that has so many."""
        maximum = getattr(settings, self.setting)
        if value > maximum:
            raise self.refusal(value, maximum, where)

    def refusal(self, value: int | str, maximum: int, where: "Where" = None) -> RequestRefused:
        place = _told(where)
        return RequestRefused(
            "LIMIT_EXCEEDED",
            EXCEEDED,
            details={"limit": self.name, "maximum": maximum, "value": value},
            what=Text(self.ru, self.en),
            where=f" ({place})" if place else "",
            value=value,
            maximum=maximum,
        )


BODY = Limit("bodyBytes", "GRAPHQL_MAX_BODY_BYTES", "Размер тела запроса в байтах", "Bytes of the body")
URL = Limit("urlBytes", "GRAPHQL_MAX_URL_BYTES", "Размер параметров адреса в байтах", "Bytes of the query string")
VALUES = Limit("values", "GRAPHQL_MAX_VALUES", "Значений в JSON", "Values in the JSON")
DOCUMENT = Limit("documentBytes", "GRAPHQL_MAX_DOCUMENT_BYTES", "Байтов в документе", "Bytes of the document")
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
NAME = Limit("name", "GRAPHQL_MAX_NAME", "Букв в одном имени", "Letters of one name")
COMPARISONS = Limit(
    "comparisons", "GRAPHQL_MAX_COMPARISONS", "Сравнений полей между собой", "Comparisons of fields with each other"
)
FRAGMENTS = Limit("fragments", "GRAPHQL_MAX_FRAGMENTS", "Вставок фрагментов", "Spreads of fragments")
PAGE = Limit("page", "GRAPHQL_MAX_PAGE", "Размер страницы", "Size of a page")
LIST = Limit("list", "GRAPHQL_MAX_LIST", "Элементов в списке", "Elements of a list")

TOO_MANY_SIGN_INS = Text(
    "В одном документе можно войти или зарегистрироваться только один раз.",
    "One document may sign in or register only once.",
)


def check_document(document: DocumentNode) -> None:
    """Refuse a document that exceeds a limit which needs no schema, so that validation has little to do."""
    _check_counts(document)
    fragments = fragments_of(document)
    measured = _Measured(fragments)
    for operation in document.definitions:
        if isinstance(operation, OperationDefinitionNode):
            measured.check(operation)


def fragments_of(document: DocumentNode) -> Fragments:
    return {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}


def _check_counts(document: DocumentNode) -> None:
    counts: Counter[str] = Counter()
    fields: Counter[str] = Counter()
    for node in _nodes(document):
        match node:
            case NameNode():
                NAME.check(len(node.value), node)
            case FieldNode():
                fields[node.alias.value if node.alias else node.name.value] += 1
                counts["aliases"] += node.alias is not None
            case FragmentSpreadNode() | InlineFragmentNode():
                counts["spreads"] += 1
            case DirectiveNode():
                counts["directives"] += 1
            case ListValueNode():
                LIST.check(len(node.values), node)
            case ObjectValueNode():
                LIST.check(len(node.fields), node)
    ALIASES.check(counts["aliases"])
    DIRECTIVES.check(counts["directives"])
    FRAGMENTS.check(counts["spreads"])
    REPEATS.check(max(fields.values(), default=0))


def check_values(values: Mapping[str, object]) -> None:
    """Refuse variables with a list that is too long, however deep it lies."""
    pending: list[tuple[object, Path]] = [(value, (None, f"${name}")) for name, value in values.items()]
    while pending:
        value, path = pending.pop()
        if isinstance(value, list):
            LIST.check(len(value), _steps(path))
            pending += [(each, (path, place)) for place, each in enumerate(value) if isinstance(each, list | dict)]
        elif isinstance(value, dict):
            pending += [(each, (path, name)) for name, each in value.items() if isinstance(each, list | dict)]


Path = tuple["Path | None", str | int]
"""A step and those before it, so that a step costs the same however deep it lies."""


def _steps(path: Path | None) -> list[str | int]:
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return steps[::-1]


class _Shape(NamedTuple):
    """The measures of a selection set, fragments included."""

    depth: int = 0
    """Levels of fields, without those of introspection."""
    introspection: int = 0
    """Levels of fields from `__schema` or `__type` on."""
    fields: int = 0
    """Fields at its own level."""
    sign_ins: int = 0
    """How many of these fields sign in or register."""


NOTHING = _Shape()


class _Measured:
    """Measures operations; each fragment is measured once, after those that it spreads.

    A fragment that is missing, or part of a circle, counts as empty where it is spread: validation will refuse it.
    """

    def __init__(self, fragments: Fragments) -> None:
        self._shapes: dict[str, _Shape] = {}
        for name in _innermost_first(fragments):
            self._shapes[name] = self._shape(fragments[name].selection_set)

    def check(self, operation: OperationDefinitionNode) -> None:
        shape = self._shape(operation.selection_set)
        ROOT_FIELDS.check(shape.fields)
        if shape.sign_ins > 1:
            raise RequestRefused("LIMIT_EXCEEDED", TOO_MANY_SIGN_INS, details={"limit": "signIns", "maximum": 1})
        DEPTH.check(shape.depth)
        INTROSPECTION_DEPTH.check(shape.introspection)

    def _shape(self, selections: SelectionSetNode | None) -> _Shape:
        """The shape of these selections. Recursion goes no deeper than the parser lets one definition nest."""
        depth = introspection = fields = sign_ins = 0
        for selection in selections.selections if selections else ():
            match selection:
                case FieldNode():
                    found = self._field(selection)
                case FragmentSpreadNode():
                    found = self._shapes.get(selection.name.value, NOTHING)
                case InlineFragmentNode():
                    found = self._shape(selection.selection_set)
            depth, introspection = max(depth, found.depth), max(introspection, found.introspection)
            fields, sign_ins = fields + found.fields, sign_ins + found.sign_ins
        return _Shape(depth, introspection, fields, sign_ins)

    def _field(self, node: FieldNode) -> _Shape:
        name, below = node.name.value, self._shape(node.selection_set)
        if name in {"__schema", "__type"}:
            return _Shape(0, 1 + max(below.depth, below.introspection), 1)
        return _Shape(1 + below.depth, below.introspection, 1, int(name in SIGNING_IN))


def _innermost_first(fragments: Fragments) -> list[str]:
    """The fragments' names, each after those that it spreads; in a circle, one of them comes too early."""
    spreads = {
        name: [node.name.value for node in _nodes(fragment) if isinstance(node, FragmentSpreadNode)]
        for name, fragment in fragments.items()
    }
    order: dict[str, None] = {}
    begun: set[str] = set()
    for first in fragments:
        if first in begun:
            continue
        # By a stack of our own: a chain of fragments is longer than Python's.
        path = [first]
        while path:
            name = path[-1]
            begun.add(name)
            missing = next((inner for inner in spreads[name] if inner in spreads and inner not in begun), None)
            if missing is not None:
                path.append(missing)
            else:
                order[path.pop()] = None
    return list(order)


def _nodes(root: Node) -> Iterator[Node]:
    pending: list[object] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Node):
            yield node
            pending += [getattr(node, key) for key in QUERY_DOCUMENT_KEYS.get(node.kind, ())]
        elif isinstance(node, tuple):
            pending += node
