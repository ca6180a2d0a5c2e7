"""Generated product pictures over HTTP."""

import xml.etree.ElementTree as ET
from typing import Any

import httpx
import pytest
from django.test import Client
from pymongo.database import Database

from catalog.demo.products import product
from catalog.demo.tree import KINDS
from catalog.documents import ProductDocument
from catalog.products.images import Pictured, svg
from catalog.products.silhouettes import SHAPE_OF, SHAPES
from gateway.mongo.client import Document, collection_of

HOSTILE = '"><script>alert(1)</script><image href="http://evil.example/"/> & \x00\x1b]]> <!-- Ко'


@pytest.fixture
def stored(database: Database[Document]) -> ProductDocument:
    document = product(1, seed=1)
    collection_of("products", ProductDocument).insert_one(document)
    database.product_directory.insert_one({"_id": document["_id"], "category": document["category"]})
    return document


def texts(picture: str) -> list[str]:
    root = ET.fromstring(picture)  # noqa: S314 - our own
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_picture_of_a_product_is_cacheable_svg(stored: ProductDocument, web: httpx.Client) -> None:
    answer = web.get(stored["images"][0]["url"])

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.headers["Cache-Control"].startswith("public, max-age=")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in answer.headers
    assert " ".join(texts(answer.text)).split()[:2] == stored["name"].split()[:2]


def test_same_picture_is_answered_with_304_and_a_renamed_product_with_a_new_one(
    stored: ProductDocument, client: Client, database: Database[Document]
) -> None:
    address = stored["images"][0]["url"]
    first = client.get(address)

    again = client.get(address, headers={"If-None-Match": first["ETag"]})
    database.products.update_one({"_id": stored["_id"], "category": stored["category"]}, {"$set": {"name": "Другой"}})
    renamed = client.get(address, headers={"If-None-Match": first["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == first["Cache-Control"]
    assert renamed.status_code == 200
    assert texts(renamed.content.decode()) == ["Другой"]


@pytest.mark.parametrize("name", ["PROD-99999999", "$ne", "%00", "../etc/passwd", "x" * 3000])
def test_no_product_no_picture(stored: ProductDocument, client: Client, name: str) -> None:
    assert client.get(f"/images/{name}.svg").status_code == 404


def test_only_reading_is_allowed(stored: ProductDocument, client: Client) -> None:
    assert client.post(stored["images"][0]["url"]).status_code == 405


@pytest.mark.parametrize("field", ["id", "category", "name", "colour"])
def test_nothing_that_a_product_says_becomes_markup(field: str) -> None:
    plain: dict[str, Any] = {"id": "PROD-1", "category": "smartphones", "name": "Смартфон", "colour": "синий"}
    harmless = ET.fromstring(svg(Pictured(**plain)))  # noqa: S314

    picture = ET.fromstring(svg(Pictured(**{**plain, field: HOSTILE})))  # noqa: S314

    def outline(root: ET.Element) -> set[str]:
        return {element.tag.rpartition("}")[2] for element in root.iter()}

    assert outline(picture) <= outline(harmless) | {"path", "circle"}
    assert all("href" not in name and not name.startswith("on") for part in picture.iter() for name in part.attrib)
    assert all("evil" not in (part.text or "") for part in picture.iter() if part.tag.endswith("style"))


def test_picture_is_the_same_each_time_and_every_kind_has_a_shape() -> None:
    pictured = Pictured("PROD-1", "cables", "Кабель", "красный")

    assert svg(pictured) == svg(pictured)
    assert {SHAPE_OF[kind.slug] for kind in KINDS} <= SHAPES.keys()
