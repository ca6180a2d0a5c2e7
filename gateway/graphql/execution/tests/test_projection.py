"""Each field of a product says all that it reads: alone in a query it is answered as with the whole document."""

import asyncio
from typing import Any

import pytest
from graphql import GraphQLObjectType, get_named_type, is_leaf_type
from pymongo.database import Database

from catalog.listing.pages import page
from gateway.graphql.execution.schema_parts import parts_of
from gateway.graphql.execution.tests.test_hypothesis import as_guest
from gateway.graphql.execution.tests.twins import Seen, Twins
from gateway.graphql.schema import schema
from gateway.mongo.client import Document, close_async_client

CORE = schema.as_graphql_core()
PRODUCT = CORE.type_map["Product"]
assert isinstance(PRODUCT, GraphQLObjectType)
FIELDS = PRODUCT.fields


def ask(text: str) -> Seen:
    async def asked() -> Seen:
        try:
            return await Twins(parts_of(schema, CORE), as_guest, executor=schema.execution_context_class).ask(text)
        finally:
            await close_async_client()

    return asyncio.run(asked())


@pytest.mark.parametrize("name", FIELDS)
def test_field_alone_reads_all_that_it_shows(stocked: Database[Document], name: str) -> None:
    below = get_named_type(FIELDS[name].type)
    leaves = [key for key, field in getattr(below, "fields", {}).items() if is_leaf_type(get_named_type(field.type))]
    selection = f"{name} {{ {' '.join(leaves)} }}" if leaves else name

    seen = ask(f'{{ product(productId: "PROD-1") {{ {selection} }} }}')

    assert seen.outcome == "compiled"
    assert seen.answer["data"]["product"][name] is not None


def test_page_of_tiles_reads_no_descriptions(stocked: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []

    def noted(*args: Any, **kwargs: Any) -> Any:
        read.append(kwargs["fields"])
        return page(*args, **kwargs)

    monkeypatch.setattr("catalog.graphql.queries.page", noted)

    seen = ask('{ products(filter: {category: "audio"}) { nodes { id name price { amount } images { url } } } }')

    assert seen.outcome == "compiled"
    by_graphql_core, compiled = read
    assert "description" in by_graphql_core
    assert compiled == ("category", "images", "name", "price")
