"""The shop's geozones: the read that lists them, and what merchandisers do: add, rename, reorder, delete.

A geozone is deleted only while no product has stock there.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from catalog.cassandra.structure import copied
from catalog.documents import GeozoneDocument, Named, ProductDocument
from catalog.errors import BadGeozoneCode, BadPosition, GeozoneExists, GeozoneInUse, UnknownGeozone
from catalog.models import Geozone, Product
from catalog.structure.edition import Edition, refuse_unless_seen
from catalog.structure.guard import change_structure, edit_structure
from gateway.audit.trail import Action, Actor, differences, record
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import Missing, text_errors
from gateway.fallback import served
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Read, run_async

GEOZONES = Geozone._meta.db_table
CODE = re.compile(r"\A[a-z][a-z0-9-]{0,15}\Z")
MAX_NAME = 100
MAX_POSITION = 1_000_000

# Only a deletion that succeeds reads every product; a million of them take a few seconds.
DELETE_SECONDS = 60.0


class GeozoneName(NamedTuple):
    code: str
    name: str


def all_geozones() -> Read[list[GeozoneName]]:
    """All geozones in the order that merchandisers gave them; the collection is small and not sharded."""
    return Read(
        collection=GEOZONES,
        policy=CATALOG_LIST,
        where={},
        fields=("name",),
        sort=(("position", 1), ("_id", 1)),
        result=_names,
    )


async def geozones_shown() -> list[GeozoneName]:
    """All geozones for GraphQL, also while MongoDB is away."""
    return await served(lambda: run_async(all_geozones()), _copied_names)


def add_geozone(code: str, name: str, *, position: int, actor: Actor) -> None:
    """Add a geozone. Its code stands in products, carts and orders and never changes."""
    name = name.strip()
    if errors := [*_code_errors(code), *_errors(name, position)]:
        raise Refused(errors)
    document: GeozoneDocument = {"_id": code, "name": name, "position": position}

    def add() -> None:
        try:
            _geozones().insert_one(document, session=orm_connection().session)
        except DuplicateKeyError as error:
            raise GeozoneExists("code") from error
        record(Action.GEOZONE_ADDED, f"geozone:{code}", actor=actor, changes=differences({}, _audited(document)))

    edit_structure(add)


def edit_geozone(code: str, *, name: str, position: int, actor: Actor, seen: Edition | None = None) -> None:
    """Give the geozone this name and position; refused when it is not what the editor saw."""
    name = name.strip()
    if errors := _errors(name, position):
        raise Refused(errors)

    def edit() -> None:
        session = orm_connection().session
        before = _geozones().find_one({"_id": code}, session=session)
        if before is None:
            raise UnknownGeozone(geozone=code)
        refuse_unless_seen(before, seen)
        after = {"name": name, "position": position}
        if changes := differences(_audited(before), after):
            _geozones().update_one({"_id": code}, {"$set": after}, session=session)
            record(Action.GEOZONE_CHANGED, f"geozone:{code}", actor=actor, changes=changes)

    edit_structure(edit)


def delete_geozone(code: str, *, actor: Actor) -> None:
    """Delete the geozone; refused while any product has stock there. Nobody can put any there meanwhile."""

    def delete() -> None:
        change_structure()
        if product_id := stocked_product(code):
            raise GeozoneInUse(product_id=product_id)
        before = _geozones().find_one_and_delete({"_id": code}, session=orm_connection().session)
        if before is None:
            raise UnknownGeozone(geozone=code)
        record(Action.GEOZONE_DELETED, f"geozone:{code}", actor=actor, changes=differences(_audited(before), {}))

    edit_structure(delete, seconds=DELETE_SECONDS)


def stocked_product(code: str) -> str | None:
    """Id of some product with stock in the geozone. Asks every shard: any category may have one."""
    stocked = {"geozone": code, "$or": [{"quantity": {"$gt": 0}}, {"reserved": {"$gt": 0}}]}
    found = collection_of(Product._meta.db_table, ProductDocument).find_one(
        {"stock": {"$elemMatch": stocked}}, projection=["_id"], session=orm_connection().session
    )
    return None if found is None else found["_id"]


async def _copied_names() -> list[GeozoneName]:
    return _names(await copied(GEOZONES))


def _names(documents: Sequence[Named]) -> list[GeozoneName]:
    return [GeozoneName(code=document["_id"], name=document["name"]) for document in documents]


def _audited(document: GeozoneDocument) -> dict[str, Any]:
    return {"name": document["name"], "position": document["position"]}


def _code_errors(code: str) -> list[DomainError]:
    if not code:
        return [Missing("code")]
    return [] if CODE.match(code) else [BadGeozoneCode("code")]


def _errors(name: str, position: int) -> list[DomainError]:
    errors = text_errors(name, MAX_NAME, "name")
    return errors if 0 <= position <= MAX_POSITION else [*errors, BadPosition("position", limit=MAX_POSITION)]


def _geozones() -> Collection[GeozoneDocument]:
    return collection_of(GEOZONES, GeozoneDocument)
