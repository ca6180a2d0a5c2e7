"""Which parts of a document a selection reads, so that no more of it is fetched.

A field says so where it is declared: `@strawberry.field(metadata=reads("price"))`. A type of which no field says
anything has no document behind it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from graphql import GraphQLField, GraphQLObjectType
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types.info import Info

READS = "reads"

Reads = Mapping[str, frozenset[str] | None]
"""By the name of the type; None: whole documents, as a field is asked for that does not say what it reads."""


def reads(*parts: str) -> dict[object, object]:
    """Metadata of a field that reads these parts of its document. Its keys, `_id` and the like, are always there."""
    return {READS: frozenset(parts)}


def parts_asked(info: Info[Any, Any], type_name: str, always: Iterable[str] = ()) -> tuple[str, ...] | None:
    """The parts of documents that the selection below this field reads, and those that are always needed.

    None: all that is ever shown; also where the operation has not been compiled.
    """
    below: Reads = getattr(info, "below", {})
    found = below.get(type_name)
    return None if found is None else tuple(sorted(found.union(always)))


def reads_of(parent: GraphQLObjectType, field: GraphQLField) -> Reads:
    """What this one field reads of its object's document."""
    if not any(_declared(each) is not None for each in parent.fields.values()):
        return {}
    return {parent.name: _declared(field)}


def merged(all_reads: Iterable[Reads]) -> Reads:
    found: dict[str, frozenset[str] | None] = {}
    for each in all_reads:
        for name, parts in each.items():
            known = found.get(name, frozenset())
            found[name] = None if parts is None or known is None else known | parts
    return found


def _declared(field: GraphQLField) -> frozenset[str] | None:
    definition = field.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF)
    found: frozenset[str] | None = getattr(definition, "metadata", {}).get(READS)
    return found
