"""Everything in the schema says what it is, and the page about it is the schema's."""

from collections.abc import Iterator

from django.conf import settings
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLInterfaceType, GraphQLObjectType, GraphQLScalarType

from gateway.graphql.reference import is_ours, reference
from gateway.graphql.schema import schema

SCHEMA = schema.as_graphql_core()
OURS = [type_ for type_ in SCHEMA.type_map.values() if is_ours(type_)]
ROOTS = {SCHEMA.query_type, SCHEMA.mutation_type, SCHEMA.subscription_type}
# What a description must be longer than its own name by: «The id» says nothing that `id` does not.
LEAST = 8


def said() -> Iterator[tuple[str, str | None]]:
    """Each type, field, argument, enum value and input by its name, with its description."""
    for type_ in OURS:
        if type_ not in ROOTS:
            yield type_.name, type_.description
        match type_:
            case GraphQLEnumType():
                yield from ((f"{type_.name}.{name}", value.description) for name, value in type_.values.items())
            case GraphQLInputObjectType():
                yield from ((f"{type_.name}.{name}", field.description) for name, field in type_.fields.items())
            case GraphQLObjectType() | GraphQLInterfaceType():
                for name, field in type_.fields.items():
                    yield f"{type_.name}.{name}", field.description
                    yield from (
                        (f"{type_.name}.{name}({arg}:)", taken.description) for arg, taken in field.args.items()
                    )


def test_everything_is_described() -> None:
    assert [name for name, description in said() if len(description or "") < LEAST] == []


def test_descriptions_are_sentences_of_plain_english() -> None:
    wrong = [
        name
        for name, description in said()
        if description and (description != description.strip() or "  " in description or not description[0].isascii())
    ]

    assert wrong == []


def test_scalars_name_their_specification() -> None:
    scalars = {type_.name: type_.specified_by_url for type_ in OURS if isinstance(type_, GraphQLScalarType)}

    assert [name for name, url in scalars.items() if not url] == []


def test_what_may_be_left_out_has_no_default_of_null() -> None:
    printed = (settings.BASE_DIR / "gateway" / "schema.graphql").read_text(encoding="utf-8")

    assert " = null" not in printed


def test_page_of_reference_is_current() -> None:
    page = (settings.BASE_DIR / "docs" / "reference.md").read_text(encoding="utf-8")

    assert page == reference(SCHEMA), "run `make schema` and commit the result"
