"""The shop's geozones: the description of the read and its typed result."""

from collections.abc import Sequence
from typing import NamedTuple

from catalog.cassandra.structure import copied
from catalog.models import Geozone
from gateway.fallback import served
from gateway.mongo.client import Document
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Read, run_async

GEOZONES = Geozone._meta.db_table


class GeozoneName(NamedTuple):
    code: str
    name: str


def all_geozones() -> Read[list[GeozoneName]]:
    """In the order that merchandisers gave them."""
    return Read(
        collection=GEOZONES,
        policy=CATALOG_LIST,
        where={},
        fields=("name",),
        sort=(("position", 1), ("_id", 1)),
        result=_names,
    )


async def geozones_shown() -> list[GeozoneName]:
    """The same for GraphQL, also while MongoDB is away."""
    return await served(lambda: run_async(all_geozones()), _copied_names)


async def _copied_names() -> list[GeozoneName]:
    return _names(await copied(GEOZONES))


def _names(documents: Sequence[Document]) -> list[GeozoneName]:
    return [GeozoneName(code=document["_id"], name=document["name"]) for document in documents]
