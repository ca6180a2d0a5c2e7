"""Pictures for products without photographs: the silhouette of the category in the product's colour, and its name."""

import hashlib
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple
from unicodedata import category as character_category
from xml.sax.saxutils import escape

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.views.decorators.http import require_safe

from catalog.documents import ProductDocument
from catalog.models import Product, ProductDirectory
from catalog.products.silhouettes import silhouette
from gateway.mongo.policies import CATALOG_CARD
from gateway.mongo.reads import Read, run

# An hour: a renamed product shows its new name soon enough, and a page of products asks for its pictures once.
CACHE_CONTROL = "public, max-age=3600, stale-while-revalidate=86400"
# The picture is opened on the shop's own address too: nothing in it may ever run or load.
CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

COLOURS = {
    "белый": "#f4f5f7",
    "бежевый": "#d9c7a8",
    "голубой": "#7db8e8",
    "зелёный": "#4f8f63",
    "золотистый": "#cfae6d",
    "красный": "#c23b3b",
    "прозрачный": "#dfe9f0",
    "розовый": "#e59bb4",
    "серебристый": "#c3c9d0",
    "серый": "#868e97",
    "синий": "#30569c",
    "фиолетовый": "#7a5aa6",
    "чёрный": "#2b2e33",
}
NEUTRAL = "#5f6f86"
# A white cable would be lost on its background: lines have no outline.
PALE = {COLOURS["белый"]: "#cfd5dc", COLOURS["прозрачный"]: "#b9c9d6"}
# Backgrounds take turns by the id, so that a page of black phones is not one grey block.
BACKGROUNDS = ("#eef2f7", "#f3f0ea", "#eaf3ef", "#f4eef3", "#eef0fa")

# What fits into two lines under the picture.
LINE = 38
LINES = 2


class Pictured(NamedTuple):
    id: str
    category: str
    name: str
    colour: str


@require_safe
def product_image(request: HttpRequest, product_id: str) -> HttpResponse:
    picture = svg(_pictured(product_id)).encode()
    etag = f'"{hashlib.sha256(picture).hexdigest()[:32]}"'
    fresh = etag in request.headers.get("If-None-Match", "")
    response = HttpResponseNotModified() if fresh else HttpResponse(picture, content_type="image/svg+xml")
    response["ETag"] = etag
    response["Cache-Control"] = CACHE_CONTROL
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return response


def svg(product: Pictured) -> str:
    """The picture: always the same for the same product."""
    colour = COLOURS.get(product.colour, NEUTRAL)
    background = BACKGROUNDS[sum(product.id.encode()) % len(BACKGROUNDS)]
    name = _printable(product.name)
    lines = wrap(name, LINE, max_lines=LINES, placeholder="…")
    caption = "".join(
        f'<text x="200" y="{340 + 24 * number}">{escape(line)}</text>' for number, line in enumerate(lines)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400" role="img">'
        f"<title>{escape(name)}</title>"
        f"<style>.b{{fill:{colour};stroke:#000;stroke-opacity:.15;stroke-width:2}}.d{{fill:#3c434d}}.g{{fill:#9cc7e0}}"
        ".w{fill:#fff;stroke:#000;stroke-opacity:.15}.l{fill:none;stroke:#6b7480;stroke-width:3}"
        f".k{{fill:none;stroke:{PALE.get(colour, colour)};stroke-width:14;stroke-linecap:round}}"
        "text{font:16px sans-serif;text-anchor:middle;fill:#3c434d}</style>"
        f'<rect width="400" height="400" fill="{background}"/>'
        '<ellipse cx="200" cy="290" rx="120" ry="10" fill-opacity=".08"/>'
        f"{silhouette(product.category)}{caption}</svg>"
    )


def _printable(text: str) -> str:
    """The text without control characters, which XML does not allow even escaped."""
    return "".join(" " if character_category(character)[0] == "C" else character for character in text)


def _pictured(product_id: str) -> Pictured:
    category = run(_category_of(product_id))
    product = category and run(_product(category, product_id))
    if not product:
        raise Http404
    return product


def _category_of(product_id: str) -> Read[str | None]:
    return Read(
        collection=ProductDirectory._meta.db_table,
        policy=CATALOG_CARD,
        where={"_id": product_id},
        fields=("category",),
        limit=1,
        result=lambda documents: documents[0]["category"] if documents else None,
    )


def _product(category: str, product_id: str) -> Read[Pictured | None]:
    return Read(
        collection=Product._meta.db_table,
        policy=CATALOG_CARD,
        where={"category": category, "_id": product_id},
        fields=("category", "name", "attributes"),
        limit=1,
        result=_first,
    )


def _first(documents: Sequence[ProductDocument]) -> Pictured | None:
    for document in documents:
        attributes: Mapping[str, str] = document.get("attributes") or {}
        return Pictured(document["_id"], document["category"], document["name"], attributes.get("Цвет", ""))
    return None
