"""A category that is younger than what a process remembers of the tree."""

import pytest
from pymongo.database import Database

from catalog.structure import category_tree
from catalog.tests.listing.questions import ask
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS

NAME = '{ category(slug: "home") { name } products(filter: { category: "home" }) { nodes { name } } }'


def test_young_category_is_known_at_once(shop: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(category_tree, "UNKNOWN_SECONDS", 0.0)
    assert ask('{ category(slug: "audio") { name } }').data["category"] == {"name": "Аудио"}
    shop["categories"].insert_one({"_id": "home", "name": "Для дома", "path": [], "position": 9})

    assert ask(NAME).data == {"category": {"name": "Для дома"}, "products": {"nodes": []}}


def test_category_that_never_was_is_looked_for_once_a_second(shop: Database[Document]) -> None:
    assert ask('{ category(slug: "audio") { name } }').data["category"] == {"name": "Аудио"}

    with COMMANDS.counted() as sent:
        for _ in range(5):
            assert ask('{ category(slug: "never") { name } }').data["category"] is None

    assert sent.total() == 0
