"""A product to be asked for, and an endpoint of this process that keeps answers."""

from collections.abc import Iterator

import pytest
from pymongo.database import Database
from pytest_django import Settings

from catalog.products.upsert import upsert_product
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.shop import MARINA, draft
from gateway.graphql.answers.kept import Answers
from gateway.graphql.answers.questions import Questions
from gateway.graphql.http import endpoint
from gateway.mongo.client import Document


@pytest.fixture
def product(shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)


@pytest.fixture
def here(settings: Settings) -> Iterator[None]:
    """The endpoint of this process keeps answers; nobody is kept waiting for a turn."""
    settings.GRAPHQL_ANSWERS_BYTES = 1_000_000
    settings.GRAPHQL_MAX_RUNNING_PER_CLIENT = settings.GRAPHQL_MAX_RUNNING = 100
    _forget(settings)
    CATEGORIES.get()
    yield
    _forget(settings)


def _forget(settings: Settings) -> None:
    endpoint.answers = Answers(lambda: settings.GRAPHQL_ANSWERS_BYTES)
    endpoint.questions = Questions(lambda: settings.GRAPHQL_ANSWERS_BYTES)
