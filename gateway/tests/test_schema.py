"""The committed SDL is the schema that is served."""

from pathlib import Path

from strawberry.printer import print_schema

from gateway.graphql.schema import schema

COMMITTED = Path(__file__).parent.parent / "schema.graphql"


def test_committed_schema_is_current() -> None:
    assert COMMITTED.read_text().strip() == print_schema(schema).strip(), "run `make schema` and commit the result"
