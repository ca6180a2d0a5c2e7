"""`manage.py load_demo` on the real cluster, as real processes where processes matter."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings
from pymongo.database import Database

from catalog.demo.load import INDEXES_AT_ONCE
from catalog.demo.products import LAST_CREATED, LISTED_IN, category_of, product, product_id
from catalog.demo.tree import KINDS, nodes
from catalog.documents import Prices as StoredPrices
from catalog.models import Category, Image, Prices, Product, StockLevel
from catalog.products.derived import derived_fields
from gateway.mongo import topology
from gateway.mongo.client import Document
from gateway.tests.races import environment_of

COUNT = 2_000
REPOSITORY = Path(__file__).parents[2]


class Terminal(StringIO):
    """Shows a bar that moves."""

    def isatty(self) -> bool:
        return True


def load(*options: str, products: int = COUNT) -> str:
    output = StringIO()
    call_command("load_demo", "--products", str(products), *options, stdout=output)
    return output.getvalue()


def whole(database: Database[Document]) -> dict[str, Document]:
    """Without the marks of what Cassandra is owed, which say when they were loaded."""
    return {document["_id"]: document for document in database.products.find({}, {"unsynced": 0})}


def directory(database: Database[Document]) -> dict[str, str]:
    return {entry["_id"]: entry["category"] for entry in database.product_directory.find()}


def assert_complete(database: Database[Document], count: int) -> None:
    """Exactly these products, each once, each where the directory says."""
    products = [(found["_id"], found["category"]) for found in database.products.find({}, {"category": 1})]
    assert len(products) == count
    assert dict(products) == directory(database)
    assert set(dict(products)) == {product_id(number) for number in range(1, count + 1)}


def test_products_depend_on_the_seed_alone() -> None:
    assert product(7, seed=1) == product(7, seed=1)
    assert product(7, seed=1)["name"] != product(7, seed=2)["name"]
    assert [category_of(number, seed=3) for number in range(1, 200)] == [
        product(number, seed=3)["category"] for number in range(1, 200)
    ]


def test_every_product_makes_sense() -> None:
    made = [product(number, seed=1) for number in range(1, COUNT + 1)]

    leaves = {kind.slug for kind in KINDS}
    for document in made:
        prices = [price for price in _decimals(document["prices"]).values() if price]
        assert document["category"] in leaves
        assert document["price"].to_decimal() == min(prices)
        assert str(prices[0])[-3:] in {".00", ".90", ".99"}
        stored: Document = {**document}
        assert {key: stored[key] for key in derived_fields(document)} == derived_fields(document)
        assert all(isinstance(text, str) and text for pair in document["attributes"].items() for text in pair)
        assert LAST_CREATED - timedelta(days=730) <= document["created_at"] <= document["updated_at"] <= LAST_CREATED
        assert 2 <= document["description"].count(". ") + 1 <= 7
        assert not set("{}[]|<>#@") & set(document["name"] + document["description"])
        assert len(document["name"]) <= 200
    assert {level["geozone"] for document in made for level in document["stock"]} == set(LISTED_IN)
    assert 0.28 < sum(document["prices"]["sale"] is not None for document in made) / COUNT < 0.38
    assert any(not document["available_in"] for document in made)


def test_few_categories_are_large_and_many_are_small() -> None:
    sizes = [size for _, size in Counter(category_of(number, seed=1) for number in range(1, 20_001)).most_common()]

    assert len(sizes) == len(KINDS)
    assert sum(sizes[:5]) > 0.4 * sum(sizes)
    assert sizes[0] > 20 * sizes[-1]


def test_categories_are_a_tree_whose_leaves_are_the_kinds(database: Database[Document]) -> None:
    load(products=0)

    paths = {category.slug: tuple(category.path) for category in Category.objects.all()}
    parents = {path[-1] for path in paths.values() if path}
    assert paths == {node.slug: node.path for node in nodes()}
    assert all(paths[path[-1]] == path[:-1] for path in paths.values() if path)
    assert paths.keys() - parents == {kind.slug for kind in KINDS}
    assert 1 < max(len(path) for path in paths.values()) + 1 <= 3


def test_document_is_stored_as_the_orm_would_store_it(database: Database[Document]) -> None:
    document: Document = {**product(5, seed=1)}
    fields = {field.attname: document[field.column] for field in Product._meta.concrete_fields}
    Product(
        **{
            **fields,
            "id": "BY-ORM",
            "prices": Prices(**_decimals(document["prices"])),
            "price": document["price"].to_decimal(),
            "created_at": document["created_at"].replace(tzinfo=UTC),
            "updated_at": document["updated_at"].replace(tzinfo=UTC),
            "edited_at": document["edited_at"].replace(tzinfo=UTC),
            "stock": [StockLevel(**level) for level in document["stock"]],
            "images": [Image(**image) for image in document["images"]],
        }
    ).save()

    stored = database.products.find_one({"_id": "BY-ORM"})

    assert stored == {**document, "_id": "BY-ORM"}


def _decimals(prices: StoredPrices) -> dict[str, Decimal | None]:
    sale = prices["sale"]
    return {"base": prices["base"].to_decimal(), "sale": None if sale is None else sale.to_decimal()}


def test_result_does_not_depend_on_the_number_of_processes(database: Database[Document]) -> None:
    load("--processes", "1")
    by_one = whole(database)
    database.products.delete_many({})
    database.product_directory.delete_many({})

    load("--processes", "3")

    assert whole(database) == by_one
    assert by_one == {product_id(number): product(number, seed=1) for number in range(1, COUNT + 1)}
    assert_complete(database, COUNT)
    shards = database.command("collStats", "products")["shards"].values()
    assert all(shard["count"] > COUNT * 0.35 for shard in shards)


def test_second_run_adds_what_is_missing_and_keeps_what_was_edited(database: Database[Document]) -> None:
    load(products=1_500)
    renamed, moved, lost, dangling = (product_id(number) for number in (3, 4, 5, 6))
    database.products.update_one({"_id": renamed, "category": category_of(3, 1)}, {"$set": {"name": "Мой"}})
    found = database.products.find_one_and_delete({"_id": moved, "category": category_of(4, 1)})
    assert found
    database.products.insert_one({**found, "category": "accessories"})
    database.product_directory.update_one({"_id": moved}, {"$set": {"category": "accessories"}})
    # What a kill between directory and product leaves, and the same of a run with another seed.
    database.products.delete_many({"_id": {"$in": [lost, dangling]}})
    database.product_directory.update_one({"_id": dangling}, {"$set": {"category": "elsewhere"}})
    Category.objects.filter(slug="cables").update(name="Провода")

    load(products=1_800)
    after = whole(database)
    last = load(products=1_800)

    assert "all 1800 products are there already" in last
    assert whole(database) == after
    assert after[renamed]["name"] == "Мой"
    assert after[moved]["category"] == "accessories"
    assert after[lost] == product(5, seed=1)
    assert after[dangling] == product(6, seed=1)
    assert after[product_id(1_800)] == product(1_800, seed=1)
    assert Category.objects.get(slug="cables").name == "Провода"
    assert_complete(database, 1_800)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_run_that_was_ended_in_the_middle_is_completed_by_the_next(database: Database[Document], end: int) -> None:
    count = 2_500
    started = subprocess.Popen(
        [sys.executable, "manage.py", "load_demo", "--products", str(count), "--processes", "1"],
        cwd=REPOSITORY,
        env=environment_of(database),
        stderr=subprocess.PIPE,
        text=True,
    )
    while database.product_directory.estimated_document_count() < 1_000:
        assert started.poll() is None
        time.sleep(0.02)
    os.kill(started.pid, end)
    _, complaint = started.communicate(timeout=30)
    halfway = database.products.estimated_document_count()

    load(products=count)

    assert started.returncode == (130 if end == signal.SIGINT else -signal.SIGKILL)
    assert end == signal.SIGKILL or "run it again to go on" in complaint
    assert halfway < count
    assert_complete(database, count)
    # A first load drops the read indexes and builds them at its end; so does the one that completes it.
    assert topology.plan(database).steps == ()


def test_progress_counts_each_step_to_its_end_and_says_when_all_is_done(database: Database[Document]) -> None:
    output = Terminal()

    call_command("load_demo", "--products", "1500", "--processes", "1", stdout=output)

    shown = output.getvalue()
    indexes = len(Product.collection.indexes)
    steps = [*range(0, indexes, INDEXES_AT_ONCE), indexes]
    assert re.findall(r"\r1/3 products \S+ ([\d,]+) of 1,500", shown) == ["0", "999", "1,500"]
    assert re.findall(r"\r2/3 indexes \S+ (\d+) of (\d+)", shown) == [(str(step), str(indexes)) for step in steps]
    counted = [int(number.replace(",", "")) for number in re.findall(r"\r3/3 words \S+ ([\d,]+) of 1,500", shown)]
    assert (counted[0], counted[-1], counted == sorted(counted)) == (0, 1_500, True)
    *_, words, loaded, copying, end = shown.split("\n")
    assert re.fullmatch(r"\d+ words counted for the search", words)
    assert re.fullmatch(r"loaded in [\d.]+ s, indexes, words and all", loaded)
    assert copying.startswith("Workers copy new products")
    assert end == ""


def test_drop_removes_the_demo_products_only(database: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    load(products=50)
    own = {**product(1, seed=1), "_id": "PROD-12345"}
    database.products.insert_one(own)

    monkeypatch.setattr("builtins.input", lambda _: "n")
    with pytest.raises(CommandError, match="nothing was removed"):
        load("--drop", products=20)
    kept = database.products.count_documents({})
    load("--drop", "--yes", "--seed", "2", products=20)

    assert kept == 51
    assert whole(database) == {
        "PROD-12345": own,
        **{product_id(number): product(number, seed=2) for number in range(1, 21)},
    }


def test_production_refuses_to_drop(database: Database[Document]) -> None:
    load(products=10)

    with override_settings(PRODUCTION=True), pytest.raises(CommandError, match="production"):
        load("--drop", "--yes")

    assert_complete(database, 10)
