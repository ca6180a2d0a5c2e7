"""A shop with a product in it, for files that change it."""

import pytest
from pymongo.database import Database

from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document


@pytest.fixture
def stocked_shop(shop: Database[Document]) -> Database[Document]:
    upsert_product(draft(), actor=MARINA)
    return shop
