"""What the README and the docs promise a newcomer is true."""

import json
import re
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from pymongo.database import Database

from catalog.demo.categories import load_categories
from catalog.demo.geozones import load_geozones
from catalog.demo.products import category_of, product, product_id
from catalog.documents import ProductDocument
from gateway.mongo.client import Document, collection_of
from gateway.tests.eventually import eventually

PAGES = [settings.BASE_DIR / "README.md", settings.BASE_DIR / "CONTRIBUTING.md", *settings.BASE_DIR.glob("docs/*.md")]


def test_first_query_of_the_readme_gets_the_answer_printed_there(
    web: httpx.Client, database: Database[Document]
) -> None:
    load_geozones()
    load_categories()
    database["product_directory"].insert_one({"_id": product_id(1), "category": category_of(1, seed=1)})
    collection_of("products", ProductDocument).insert_one(product(1, seed=1))
    readme = (settings.BASE_DIR / "README.md").read_text()
    query = re.search(r"^curl .*/graphql .*-d '(.*)'$", readme, re.MULTILINE)
    answer = re.search(r"^```json\n(.*?)\n```$", readme, re.MULTILINE | re.DOTALL)
    assert query
    assert answer

    def ask() -> object:
        return web.post("/graphql", content=query[1].encode(), headers={"content-type": "application/json"}).json()[
            "data"
        ]

    # The server may still remember the categories of the test before, for some seconds.
    eventually(ask, json.loads(answer[1]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []
