"""The shop's geozones: the description of the read and its typed result."""

from collections.abc import Sequence
from typing import NamedTuple

from catalog.models import Geozone
from gateway.mongo.client import Document
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reading import Read


class GeozoneName(NamedTuple):
    code: str
    name: str


def all_geozones() -> Read[list[GeozoneName]]:
    """In the order that merchandisers gave them."""
    return Read(
        collection=Geozone._meta.db_table,
        policy=CATALOG_LIST,
        where={},
        fields=("name",),
        sort=(("position", 1), ("_id", 1)),
        result=_names,
    )


def _names(documents: Sequence[Document]) -> list[GeozoneName]:
    return [GeozoneName(code=document["_id"], name=document["name"]) for document in documents]
