"""The schema as a page for people, docs/reference.md: `make schema` writes it, a test compares."""

from collections.abc import Iterable, Iterator

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    Undefined,
    ast_from_value,
    get_named_type,
    is_introspection_type,
    is_specified_scalar_type,
    print_ast,
)

HEAD = """# The API, field by field

Made from the schema by `make schema`; whoever changes a description changes it in the code. How requests are sent and
what they cost is in [graphql.md](graphql.md); [a storefront in an hour](storefront.md) shows them at work.

`!` is never null. Ids are opaque. Where a field says «Staff», others get `FORBIDDEN` or `UNAUTHENTICATED`.
"""
KINDS = (
    ("Objects", GraphQLObjectType | GraphQLInterfaceType),
    ("Inputs", GraphQLInputObjectType),
    ("Enums", GraphQLEnumType),
    ("Scalars", GraphQLScalarType),
)


def reference(schema: GraphQLSchema) -> str:
    """The page: the root fields first, then every type by kind and name."""
    roots = [root for root in (schema.query_type, schema.mutation_type, schema.subscription_type) if root]
    types = [type_ for _, type_ in sorted(schema.type_map.items()) if is_ours(type_) and type_ not in roots]
    parts = [HEAD, *(_operations(root) for root in roots)]
    for title, kind in KINDS:
        parts += [f"## {title}\n", *(_section(type_) for type_ in types if isinstance(type_, kind))]
    return "\n".join(parts).rstrip() + "\n"


def is_ours(type_: GraphQLNamedType) -> bool:
    return not is_introspection_type(type_) and not is_specified_scalar_type(type_)


def _operations(root: GraphQLObjectType) -> str:
    return "\n".join(
        [f"## {root.name}\n", *(_operation(root.name, name, field) for name, field in root.fields.items())]
    )


def _operation(root: str, name: str, field: GraphQLField) -> str:
    parts = [f"### {root}.{name}\n", f"Answers {_link(field.type)}.\n", f"{_line(field.description)}\n"]
    if field.args:
        parts.append(_table("argument", ((name, argument) for name, argument in field.args.items())))
    return "\n".join(parts)


def _section(type_: GraphQLNamedType) -> str:
    parts = [f"### {type_.name}\n", f"{_line(type_.description)}\n"]
    match type_:
        case GraphQLObjectType() | GraphQLInterfaceType():
            parts.append(_table("field", _with_arguments(type_.fields)))
        case GraphQLInputObjectType():
            parts.append(_table("field", type_.fields.items()))
        case GraphQLEnumType():
            rows = [f"| `{name}` | {_line(value.description)} |" for name, value in type_.values.items()]
            parts.append("\n".join(["| value | means |", "|---|---|", *rows, ""]))
        case GraphQLScalarType() if type_.specified_by_url:
            parts.append(f"Specified by {type_.specified_by_url}\n")
    return "\n".join(parts)


def _with_arguments(
    fields: dict[str, GraphQLField],
) -> Iterator[tuple[str, GraphQLField | GraphQLArgument | GraphQLInputField]]:
    for name, field in fields.items():
        yield name, field
        for argument, taken in field.args.items():
            yield f"{name}({argument}:)", taken


def _table(first: str, rows: Iterable[tuple[str, GraphQLField | GraphQLArgument | GraphQLInputField]]) -> str:
    lines = [f"| {first} | type | |", "|---|---|---|"]
    lines += [f"| `{name}` | {_link(each.type)}{_default(each)} | {_line(each.description)} |" for name, each in rows]
    return "\n".join([*lines, ""])


def _link(type_: object) -> str:
    named = get_named_type(type_)  # type: ignore[call-overload]
    text = str(type_).replace("[", "\\[").replace("]", "\\]")
    return text.replace(named.name, f"[{named.name}](#{named.name.lower()})") if is_ours(named) else text


def _default(taken: GraphQLField | GraphQLArgument | GraphQLInputField) -> str:
    if isinstance(taken, GraphQLField) or taken.default_value is Undefined:
        return ""
    written = ast_from_value(taken.default_value, taken.type)
    return f" = `{print_ast(written)}`" if written else ""


def _line(description: str | None) -> str:
    return " ".join((description or "").split()).replace("|", "\\|")
