"""From a validated operation to one Python function that makes the answer from what resolvers give.

Which fields are asked for, and in which order, is graphql-core's own `collect_fields`: done once, for one set of
booleans in @skip and @include. Each selection of an object becomes a function that makes one dictionary; each list, and
each interface, a function beside it. Where a value is not as its type promises, the code raises `Unexpected`: whether
the answer is then null, or an error and where, graphql-core says.

Generated functions take `o`, the object or list; `r`, the request, a count of objects and the arguments; where they
need them `p`, the path, and `f`, the info of the field that the object came from.

How many objects an answer holds decides what it has cost. Those that are there whenever something around them is are
added up here; what may be null, and each list, counts as it is made.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import CodeType
from typing import Any

from graphql import (
    GraphQLAbstractType,
    GraphQLField,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    get_nullable_type,
    is_abstract_type,
    is_leaf_type,
    is_object_type,
)
from graphql.execution.collect_fields import (
    FieldDetails,
    GroupedFieldSet,
    collect_fields,
    collect_subfields,
)
from graphql.execution.executor import default_type_resolver
from graphql.pyutils import Path

from gateway.graphql.execution.arguments import Make, Values, method_arguments, raw_arguments
from gateway.graphql.execution.errors import NotCompilable, Unexpected
from gateway.graphql.execution.fields import Attribute, Method, behind, has_own_resolver, python_class
from gateway.graphql.execution.info import FieldInfo, MakeInfo
from gateway.graphql.execution.leaves import class_as_it_is, leaf_of
from gateway.graphql.execution.pieces import Completion, Function, Needs, all_of
from gateway.graphql.execution.plan import ARGUMENTS, OBJECTS, REQUEST, Operation, Plan, Root
from gateway.graphql.execution.schema_parts import SchemaParts
from gateway.graphql.execution.values import is_nothing, nothing, refuse, together
from gateway.graphql.projection import merged, reads_of

# An interface within an interface within an interface has as many selections as its types multiply to; the largest
# page that we know of has some hundreds of names.
MAX_NAMES = 5_000

Details = list[FieldDetails]


def compile_query(parts: SchemaParts, operation: Operation) -> Plan:
    """The plan of a query. Raises NotCompilable."""
    compiler = _Compiler(parts, operation)
    root = compiler.root_type()
    selected = compiler.selection(root, compiler.collected(root), is_root=True)
    namespace, size = compiler.built()
    return Plan(compiler.arguments, namespace[selected.name], selected.is_async, {}, selected.needs.objects, size)


def compile_results(parts: SchemaParts, operation: Operation) -> Plan:
    """The plan for what the fields of a mutation return. Raises NotCompilable."""
    compiler = _Compiler(parts, operation)
    root = compiler.root_type()
    written = {key: compiler.result(root, details) for key, details in compiler.collected(root).items()}
    namespace, size = compiler.built()
    roots = {key: Root(namespace[function.name], function.is_async) for key, function in written.items()}
    return Plan(compiler.arguments, None, False, roots, 0, size)


class _Compiler:
    def __init__(self, parts: SchemaParts, operation: Operation) -> None:
        self._parts = parts
        self._schema = parts.schema
        self._operation = operation
        self._count = 0
        self._source: list[str] = []
        self._names: dict[str, Any] = {
            "Path": Path,
            "Unexpected": Unexpected,
            "is_nothing": is_nothing,
            "nothing": nothing,
            "refuse": refuse,
            "together": together,
        }
        self.arguments: list[Values | Make] = []

    def root_type(self) -> GraphQLObjectType:
        root = self._schema.get_root_type(self._operation.node.operation)
        if root is None:
            raise NotCompilable("no_root")
        return root

    def collected(self, root: GraphQLObjectType) -> GroupedFieldSet:
        operation = self._operation
        fragments = dict(operation.fragments)
        return collect_fields(self._schema, fragments, operation.variables, root, operation.node).grouped_field_set

    def selection(
        self,
        type_: GraphQLObjectType,
        grouped: GroupedFieldSet,
        *,
        is_root: bool = False,
        is_counted: bool = False,
    ) -> Function:
        """Write the function that makes the dictionary of one object of this type.

        `is_counted`: the function counts what it makes, since whoever calls it may as well not.
        """
        check, check_needs = ([], Needs()) if is_root else self._check(type_)
        now: dict[str, str] = {}
        later: dict[str, str] = {}
        needs = [check_needs, Needs(path=is_root, objects=1)]
        for key, details in grouped.items():
            if details[0].node.name.value == "__typename":
                now[key] = repr(type_.name)
                continue
            code, of_field = self._field(type_, key, details)
            needs.append(of_field)
            (later if of_field.is_async else now)[key] = code
        if not later:
            made = ", ".join(f"{key!r}: {now[key]}" for key in grouped)
            return self._selected([*check, f"return {{{made}}}"], all_of(needs), is_counted=is_counted)
        # What waits is begun when all else is there: nothing is left unawaited when something else fails.
        names = {key: f"k{number}" for number, key in enumerate(grouped)}
        lines = [f"{names[key]} = {code}" for key, code in now.items()]
        if len(later) == 1:
            lines += [f"{names[key]} = await {code}" for key, code in later.items()]
        else:
            lines.append(f"{', '.join(names[key] for key in later)} = await together([{', '.join(later.values())}])")
        lines.append(f"return {{{', '.join(f'{key!r}: {name}' for key, name in names.items())}}}")
        return self._selected([*check, *lines], all_of(needs), is_counted=is_counted)

    def _selected(self, lines: Sequence[str], needs: Needs, *, is_counted: bool) -> Function:
        if not is_counted:
            return self._function("select", lines, needs)
        return self._function("select", [f"r[{OBJECTS}] += {needs.objects}", *lines], replace(needs, objects=0))

    def result(self, root: GraphQLObjectType, details: Details) -> Function:
        """Write the function that completes the value of a root field, whose path and info it is given."""
        completion = self._completion(self._definition(root, details).type, details)
        needs = all_of([completion.needs, Needs(path=True, info=True)])
        code = completion.of_name("o", "p")
        return self._function("result", [f"return {'await ' if needs.is_async else ''}{code}"], needs)

    def built(self) -> tuple[dict[str, Any], int]:
        """Run the source; returns its functions by their names, and the bytes that they take."""
        code = compile("\n".join(self._source), "<compiled operation>", "exec")
        namespace = dict(self._names)
        exec(code, namespace)  # noqa: S102 - of names and numbers of ours, and names that GraphQL allows
        return namespace, _bytes_of(code) + sys.getsizeof(namespace)

    def _check(self, type_: GraphQLObjectType) -> tuple[list[str], Needs]:
        """Lines that refuse what is no object of this type."""
        if class_ := python_class(type_):
            # Of this very class, it is what Strawberry's own test would let through.
            return [f"if o.__class__ is not {self._use(class_)}:", "    raise Unexpected(o)"], Needs()
        refused = "is_nothing(o)"
        if type_.is_type_of:
            refused += f" or {self._use(type_.is_type_of)}(o, f) is not True"
        return [f"if {refused}:", "    raise Unexpected(o)"], Needs(info=bool(type_.is_type_of))

    def _field(self, parent: GraphQLObjectType, key: str, details: Details) -> tuple[str, Needs]:
        """The expression for the completed value of a field of the object `o`."""
        definition = self._definition(parent, details)
        completion = self._completion(definition.type, details)
        value, is_async, takes_info = self._value(definition, details)
        has_info = takes_info or completion.needs.info
        needs = Needs(
            is_async or completion.needs.is_async,
            path=has_info or completion.needs.path,
            objects=completion.needs.objects,
            below=merged([reads_of(parent, definition), completion.needs.below]),
        )
        path = f"Path(p, {key!r}, {parent.name!r})"
        if not needs.is_async and not has_info:
            name = self._name("v")
            return completion.text(f"({name} := {value})", name, path), needs
        lines = []
        if has_info:
            lines.append(f"f = {self._use(self._make_info(parent, definition, details, completion))}(r[{REQUEST}], p)")
        awaited = "await " if completion.needs.is_async else ""
        lines += [
            f"v = {'await ' if is_async else ''}{value}",
            f"return {awaited}{completion.of_name('v', 'p')}",
        ]
        return self._function("field", lines, needs).call("o", path), needs

    def _value(self, definition: GraphQLField, details: Details) -> tuple[str, bool, bool]:
        """The expression for what is behind the field; whether it is to be awaited, and whether it takes the info."""
        node = details[0].node
        source = behind(definition)
        if isinstance(source, Attribute):
            return f"o.{source.name}", False, False
        if isinstance(source, Method):
            given = ["o"] if source.takes_source else []
            values = method_arguments(self._parts, source.definition, definition, node)
            if source.info_parameter:
                given.append(f"{source.info_parameter}=f")
            if values:
                given.append(f"**{self._argument(values)}")
            return f"{self._use(source.function)}({', '.join(given)})", source.is_async, bool(source.info_parameter)
        rest = f", **{self._argument(raw_arguments(definition, node))}" if definition.args or node.arguments else ""
        return f"{self._use(source.function)}(o, f{rest})", source.is_async, True

    def _make_info(
        self, parent: GraphQLObjectType, definition: GraphQLField, details: Details, completion: Completion
    ) -> MakeInfo:
        operation = self._operation
        nodes = [each.node for each in details]
        info = FieldInfo(self._schema, operation.node, operation.fragments, parent, definition, nodes)
        source = behind(definition)
        if not isinstance(source, Method):
            return info.for_resolver()
        if completion.needs.info:
            raise NotCompilable("type_resolver")
        return info.for_method(source.definition, completion.needs.below)

    def _completion(self, type_: GraphQLOutputType, details: Details) -> Completion:
        nullable = not isinstance(type_, GraphQLNonNull)
        inner = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
        if is_leaf_type(inner):
            return self._leaf(inner, nullable=nullable)
        if not nullable and is_object_type(inner) and (plain := self._plain(inner, details)):
            return plain
        if isinstance(inner, GraphQLList):
            function = self._list(inner, details)
        elif is_abstract_type(inner):
            function = self._abstract(inner, details)
        elif is_object_type(inner):
            function = self.selection(inner, self._subfields(inner, details), is_counted=nullable)
        else:
            raise NotCompilable("unknown_type")
        if not nullable:
            return Completion(lambda first, _, path: function.call(first, path), function.needs)
        null = "nothing()" if function.is_async else "None"
        return Completion(
            lambda first, again, path: f"({null} if {first} is None else {function.call(again, path)})", function.needs
        )

    def _plain(self, type_: GraphQLObjectType, details: Details) -> Completion | None:
        """The completion of an object of which only plain values are asked, as one expression; None for any other.

        Most objects of an answer are such: an amount, an attribute, a picture.
        """
        class_ = python_class(type_)
        items: dict[str, Callable[[str], str]] = {}
        for key, of_field in self._subfields(type_, details).items():
            if class_ is None or of_field[0].node.name.value == "__typename":
                return None
            definition = self._definition(type_, of_field)
            source = behind(definition)
            if not isinstance(source, Attribute) or not is_leaf_type(get_nullable_type(definition.type)):
                return None
            leaf = self._completion(definition.type, of_field)
            items[key] = partial(_attribute, leaf, source.name)
        name = self._use(class_)

        def text(first: str, again: str, _: str) -> str:
            made = ", ".join(f"{key!r}: {item(again)}" for key, item in items.items())
            return f"({{{made}}} if {first}.__class__ is {name} else refuse({again}))"

        return Completion(text, Needs(objects=1))

    def _leaf(self, type_: GraphQLLeafType, *, nullable: bool) -> Completion:
        convert = self._use(leaf_of(type_))
        class_ = class_as_it_is(type_)
        if class_ is not None:
            tail = " or {again} is None" if nullable else ""
            template = f"({{again}} if {{first}}.__class__ is {class_.__name__}{tail} else {convert}({{again}}))"
        elif nullable:
            template = f"(None if {{first}} is None else {convert}({{again}}))"
        else:
            template = f"{convert}({{first}})"
        return Completion(lambda first, again, _: template.format(first=first, again=again), Needs())

    def _list(self, type_: GraphQLList[Any], details: Details) -> Function:
        item = self._completion(type_.of_type, details)
        loop = "i, x in enumerate(o)" if item.needs.path else "x in o"
        items = f"[{item.of_name('x', 'Path(p, i, None)')} for {loop}]"
        lines = [
            # Anything else may be read once only, or comes asynchronously.
            "if o.__class__ is not list and o.__class__ is not tuple:",
            "    raise Unexpected(o)",
            *([f"r[{OBJECTS}] += {item.needs.objects} * len(o)"] if item.needs.objects else []),
            f"return await together({items})" if item.needs.is_async else f"return {items}",
        ]
        return self._function("list", lines, replace(item.needs, objects=0))

    def _abstract(self, type_: GraphQLAbstractType, details: Details) -> Function:
        """Write the function that finds out of which type an object is, and makes its dictionary."""
        possible = {
            each: self.selection(each, self._subfields(each, details), is_counted=True)
            for each in self._schema.get_possible_types(type_)
        }
        needs = all_of(function.needs for function in possible.values())
        classes = {each: class_ for each in possible if (class_ := python_class(each))}
        if len(classes) == len(possible) and not has_own_resolver(type_):
            tests = {f"o.__class__ is {self._use(class_)}": possible[each] for each, class_ in classes.items()}
            lines = []
        else:
            needs = all_of([needs, Needs(info=True)])
            resolve = self._use(type_.resolve_type or default_type_resolver)
            lines = ["if is_nothing(o):", "    raise Unexpected(o)", f"t = {resolve}(o, f, {self._use(type_)})"]
            tests = {f"t == {each.name!r}": function for each, function in possible.items()}
        for test, function in tests.items():
            lines += [f"if {test}:", f"    return {'await ' if function.is_async else ''}{function.call('o', 'p')}"]
        return self._function("any", [*lines, "raise Unexpected(o)"], needs)

    def _subfields(self, type_: GraphQLObjectType, details: Details) -> GroupedFieldSet:
        operation = self._operation
        fragments = dict(operation.fragments)
        return collect_subfields(
            self._schema, fragments, operation.variables, operation.node, type_, details
        ).grouped_field_set

    def _definition(self, parent: GraphQLObjectType, details: Details) -> GraphQLField:
        name = details[0].node.name.value
        if name in {"__schema", "__type"}:
            raise NotCompilable("introspection")
        definition = self._schema.get_field(parent, name)
        if definition is None:
            raise NotCompilable("unknown_field")
        return definition

    def _function(self, kind: str, lines: Sequence[str], needs: Needs) -> Function:
        function = Function(self._name(kind), needs)
        self._source.append(f"{'async ' if needs.is_async else ''}def {function.call('o', 'p')}:")
        self._source += [f"    {line}" for line in lines]
        if self._count > MAX_NAMES:
            raise NotCompilable("too_large")
        return function

    def _argument(self, made: Values | Make) -> str:
        self.arguments.append(made)
        return f"r[{ARGUMENTS + len(self.arguments) - 1}]"

    def _use(self, thing: Any) -> str:
        """The name by which generated code finds the thing."""
        name = self._name("t")
        self._names[name] = thing
        return name

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def _attribute(leaf: Completion, name: str, of: str) -> str:
    """The completed value of an attribute, which may be looked up twice."""
    return leaf.of_name(f"{of}.{name}", "")


def _bytes_of(code: CodeType) -> int:
    parts = (code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_linetable)
    nested = sum(_bytes_of(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return sys.getsizeof(code) + sum(map(sys.getsizeof, parts)) + nested
