"""A small shop for the tests of writes: two leaves that live on two shards, and what must always be true of it."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pymongo.database import Database

from catalog.products.derived import derived_fields
from catalog.products.drafts import AttributeDraft, ProductDraft, StockDraft
from catalog.structure.category_tree import CATEGORIES
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document, client
from gateway.mongo.client import database as sync_database
from gateway.mongo.routing import ROUTING

MARINA = Actor("1", "marina@mobile-world.example")

DRAFT = ProductDraft(
    product_id="PROD-1",
    name="Наушники Тишина",
    category="audio",
    base_price=Decimal("4990.00"),
    sale_price=Decimal("3990.00"),
    description="Беспроводные наушники.",
    attributes=(AttributeDraft("Цвет", "чёрный"),),
    stock=(StockDraft("msk", 10),),
)


def draft(**changes: Any) -> ProductDraft:
    return replace(DRAFT, **changes)


@pytest.fixture
def shop(database: Database[Document]) -> Database[Document]:
    database["categories"].insert_many(
        [
            {"_id": "sound", "name": "Звук", "path": [], "position": 1},
            {"_id": "audio", "name": "Аудио", "path": ["sound"], "position": 1},
            {"_id": "video", "name": "Видео", "path": [], "position": 2},
        ]
    )
    database["geozones"].insert_many(
        [{"_id": "msk", "name": "Москва", "position": 1}, {"_id": "spb", "name": "Санкт-Петербург", "position": 2}]
    )
    return database


@pytest.fixture
def known_tree(shop: Database[Document]) -> None:
    """For those who count commands: a process reads the tree, by which hidden categories are told, once in seconds."""
    CATEGORIES.get()


@pytest.fixture(scope="session")
def two_shards(cluster: None) -> None:
    """`audio` and `video` on different shards, whatever the first split of the products was."""
    name = f"{sync_database().name}.products"
    admin = client().admin
    audio, video = ({"category": category, "_id": "x"} for category in ("audio", "video"))
    homes = [ROUTING.shards_reached("products", key) for key in (audio, video)]
    if homes[0] != homes[1]:
        return
    admin.command("split", name, middle={"category": "m", "_id": ""})
    shards = {shard["_id"] for shard in admin.command("listShards")["shards"]}
    (away,) = sorted(shards - (homes[0] or set()))[:1]
    admin.command("moveChunk", name, find=video, to=away)
    ROUTING.refresh(client(), sync_database().name)


def raised(action: Callable[[], object]) -> list[tuple[str, tuple[str | int, ...]]]:
    """Code and path of each reason for which the action was refused."""
    with pytest.raises(DomainError) as refusal:
        action()
    return [(reason.code.value, reason.path) for reason in refusal.value]


def assert_whole(database: Database[Document]) -> None:
    """Each product has one directory entry, which names its category, and derived fields that follow from the rest."""
    products = list(database["products"].find())
    places = sorted((product["_id"], product["category"]) for product in products)
    assert places == sorted((entry["_id"], entry["category"]) for entry in database["product_directory"].find())
    assert len({product_id for product_id, _ in places}) == len(places)
    for product in products:
        derived = derived_fields(product)
        assert {field: product[field] for field in derived} == derived
        assert all(0 <= level["reserved"] <= level["quantity"] for level in product["stock"])


def everything(database: Database[Document]) -> dict[str, list[Document]]:
    """To show that nothing changed."""
    names = ("products", "product_directory", "categories", "geozones", "audit")
    return {name: sorted(database[name].find(), key=lambda document: str(document["_id"])) for name in names}
