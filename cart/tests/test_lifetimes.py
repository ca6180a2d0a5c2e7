"""The tiers of a cart's life are the same whether Python or the server computes them."""

from datetime import UTC, datetime, timedelta

import pytest
from bson import ObjectId
from django.conf import settings
from django.test import override_settings
from pymongo import ReturnDocument
from pymongo.database import Database

from cart.lifetimes import expires_at, expires_at_expression, kept_until_expression
from gateway.mongo.client import Document

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LINE = {"product_id": "PROD-1", "quantity": 1}
TIERS = [
    ("s:guest", True, timedelta(hours=6)),
    ("s:guest", False, timedelta(days=30)),
    ("u:customer", True, timedelta(hours=6)),
    ("u:customer", False, timedelta(days=90)),
]


@pytest.mark.parametrize(("owner", "empty", "lifetime"), TIERS)
def test_new_cart_lives_by_its_owner_and_contents(owner: str, empty: bool, lifetime: timedelta) -> None:
    assert expires_at(owner, NOW, empty=empty) == NOW + lifetime


@pytest.mark.parametrize(("owner", "empty", "lifetime"), TIERS)
def test_server_computes_the_same(database: Database[Document], owner: str, empty: bool, lifetime: timedelta) -> None:
    changed = _updated(database, owner, empty, expires_at_expression())

    assert changed["expires_at"] - changed["updated_at"] == lifetime


def test_ended_cart_is_kept(database: Database[Document]) -> None:
    ended = _updated(database, "s:guest", True, kept_until_expression())

    assert ended["expires_at"] - ended["updated_at"] == timedelta(days=settings.CART_KEPT_DAYS)


@override_settings(CART_EMPTY_HOURS=1)
def test_tiers_are_settings(database: Database[Document]) -> None:
    changed = _updated(database, "s:guest", True, expires_at_expression())

    assert expires_at("s:guest", NOW, empty=True) == NOW + timedelta(hours=1)
    assert changed["expires_at"] - changed["updated_at"] == timedelta(hours=1)


def _updated(database: Database[Document], owner: str, empty: bool, expression: Document) -> Document:
    user_id = owner.removeprefix("u:") if owner.startswith("u:") else None
    cart = {"_id": ObjectId(), "owner": owner, "user_id": user_id, "items": [] if empty else [LINE]}
    database["carts"].insert_one(cart)
    changed = database["carts"].find_one_and_update(
        {"owner": owner, "_id": cart["_id"]},
        [{"$set": {"updated_at": "$$NOW", "expires_at": expression}}],
        return_document=ReturnDocument.AFTER,
    )
    assert changed is not None
    return changed
