"""The tree and the geozones for a process that starts while MongoDB is away."""

import asyncio
from collections.abc import Iterator

import pytest
from pymongo.database import Database
from pytest_django import Settings

from catalog.cassandra.structure import TASK
from catalog.structure.categories import add_category, delete_category
from catalog.structure.category_tree import CATEGORIES, whole_tree
from catalog.structure.geozones import all_geozones, geozones_shown
from catalog.tasks import copy_structure
from catalog.tests.shop import MARINA
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.fallback import noting_degradation
from gateway.mongo.client import Document
from gateway.mongo.outage import MONGODB, MongoUnavailable
from gateway.mongo.reads import run
from gateway.redis.clients import redis_client

pytestmark = pytest.mark.usefixtures("shop")


@pytest.fixture(autouse=True)
def patient(settings: Settings) -> Iterator[None]:
    CONNECTOR.close()
    CIRCUIT.reset()
    settings.CASSANDRA_CONNECT_TIMEOUT = settings.CASSANDRA_REQUEST_TIMEOUT = 20.0
    settings.MONGODB_CIRCUIT_SECONDS = 600.0
    redis_client().delete(f"soon:{TASK}:structure")
    yield
    MONGODB.reset()
    CONNECTOR.close()


def test_process_that_never_saw_the_tree_takes_the_copy() -> None:
    copy_structure()
    tree, geozones = run(whole_tree()), run(all_geozones())
    CATEGORIES.forget()
    MONGODB.note_loss("says the test")

    with noting_degradation() as degradation:
        assert asyncio.run(CATEGORIES.get_async()) == tree
        assert asyncio.run(geozones_shown()) == geozones

    assert degradation.noted
    assert list(tree.nodes) == ["audio", "sound", "video"]


def test_process_that_saw_the_tree_keeps_it_without_cassandra_too(settings: Settings) -> None:
    tree = asyncio.run(CATEGORIES.get_async())
    CATEGORIES._read_at = float("-inf")
    settings.CASSANDRA_CONTACT_POINTS = []
    MONGODB.note_loss("says the test")

    with noting_degradation() as degradation:
        assert asyncio.run(CATEGORIES.get_async()) is tree
        with pytest.raises(MongoUnavailable):
            asyncio.run(geozones_shown())

    assert degradation.noted


def test_change_is_copied_soon_and_leaves_nothing_of_what_was(database: Database[Document]) -> None:
    add_category("tv", "Телевизоры", actor=MARINA)
    copy_structure()
    delete_category("tv", actor=MARINA)
    assert redis_client().exists(f"soon:{TASK}:structure") == 1
    copy_structure()
    CATEGORIES.forget()
    MONGODB.note_loss("says the test")

    assert asyncio.run(CATEGORIES.get_async()).get("tv") is None
    assert redis_client().exists(f"soon:{TASK}:structure") == 0
