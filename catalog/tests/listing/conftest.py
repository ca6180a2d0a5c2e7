"""One shop for all tests of reads; they change nothing in it, or put back what they change."""

from collections.abc import Iterator

import pytest

from catalog.structure.category_tree import CATEGORIES
from catalog.tests.listing import shop
from gateway.mongo.client import Document, database
from gateway.mongo.collections import declared_collections

# Enough for plans to differ and pages to be many, and still loaded in seconds.
PRODUCTS = 6_000


@pytest.fixture(scope="package")
def documents(cluster: None) -> Iterator[list[Document]]:
    """What is in the store, for a brute-force reading of the same."""
    documents = shop.products(PRODUCTS)
    shop.fill(database(), documents)
    CATEGORIES.forget()
    yield documents
    CATEGORIES.forget()
    for name, _ in declared_collections():
        database()[name].delete_many({})


@pytest.fixture(scope="package")
def on_sale(documents: list[Document]) -> list[Document]:
    return [document for document in documents if not document["withdrawn"]]
