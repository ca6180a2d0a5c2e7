"""Queries of the catalog: describe the read, run it, translate."""

import strawberry

from catalog.geozones import all_geozones
from catalog.graphql.types import Geozone
from gateway.mongo.reading import run_async


@strawberry.type
class CatalogQuery:
    @strawberry.field
    async def geozones(self) -> list[Geozone]:
        return [Geozone(code=zone.code, name=zone.name) for zone in await run_async(all_geozones())]
